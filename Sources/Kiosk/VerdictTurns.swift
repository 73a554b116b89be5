import Encoding

/// Chooses the verdict that is shown next. Lights, tone and pulse belong to one visit at a time, in the order
/// in which the verdicts were ready.
///
/// A visitor who connected after the previous verdict had appeared knows that the previous verdict is another
/// person's. Therefore this visitor's verdict waits only for the end of the previous pulse.
struct VerdictTurns: Sendable {
    /// The shortest time for which an acceptance is shown: then the tone is over, and people have seen which visitor
    /// it concerns.
    static let accepted: Duration = .seconds(1)
    /// How long a rejection is shown before the next verdict, with its three tones.
    static let rejected: Duration = .milliseconds(1500)
    /// How long a verdict is shown before the next one, for a payload that no trusted issuer made. The time is shorter
    /// than for others, because any phone can send such a payload.
    static let nonsense: Duration = .milliseconds(300)
    /// The time after which the next verdict may end a pulse that is still in progress.
    static let pulse: Duration = .seconds(2)

    /// The longest time for which a verdict is shown before the next.
    static var longest: Duration { max(accepted, rejected, pulse) }

    private var waiting: [(visit: VisitID, came: Instant, isCredential: Bool)] = []
    private var shownAt: Instant?
    private var pulseOver: Instant = .zero
    private var freeAt: Instant = .zero

    /// When the next verdict turn begins; nil when no visit waits.
    var deadline: Instant? { waiting.first.map { free(for: $0.came) } }

    /// Adds a visit that began at `came` to the end of the queue. A visit with a credential is put before all
    /// visits without one. Returns the number of verdicts before it, including the one that is being shown.
    mutating func join(_ visit: VisitID, came: Instant, isCredential: Bool, at now: Instant) -> Int {
        let place = isCredential ? waiting.firstIndex { !$0.isCredential } ?? waiting.count : waiting.count
        waiting.insert((visit, came, isCredential), at: place)
        return place + (now >= free(for: came) ? 0 : 1)
    }

    /// Removes the visits for which `isWaiting` returns false.
    mutating func keep(_ isWaiting: (VisitID) -> Bool) { waiting.removeAll { !isWaiting($0.visit) } }

    /// Removes and returns the next visit if its verdict turn has come; otherwise returns nil.
    mutating func next(at now: Instant) -> VisitID? {
        guard let deadline, now >= deadline else { return nil }
        return waiting.removeFirst().visit
    }

    private func free(for came: Instant) -> Instant {
        if let shownAt, came < shownAt { freeAt } else { pulseOver }
    }

    /// Reserves time for the pulse of a person who exits, or for the rest of a pulse that began late. The next
    /// verdict must not end this pulse early.
    mutating func wait(for pulse: Duration, at now: Instant) {
        let end = now.advanced(by: min(pulse, Self.pulse))
        (pulseOver, freeAt) = (max(pulseOver, end), max(freeAt, end))
    }

    /// Notes that a verdict is shown from now on.
    mutating func show(accepted isAccepted: Bool, isCredential: Bool, pulse: Duration, at now: Instant) {
        let pulse = isAccepted ? min(pulse, Self.pulse) : .zero
        let least = isAccepted ? max(Self.accepted, pulse) : isCredential ? Self.rejected : Self.nonsense
        (shownAt, pulseOver, freeAt) = (now, now.advanced(by: pulse), now.advanced(by: least))
    }
}
