import Encoding

/// Whose turn it is to be shown a verdict: lights, tone and pulse belong to one visit at a time, in the order in which the
/// verdicts were ready.
///
/// Whoever came when the verdict before was on show already has seen whom it was for: he waits for the other's pulse, and no longer.
struct VerdictTurns: Sendable {
    /// Shortest time for which an acceptance is shown: the tone is over, and people have seen whom it is for.
    static let accepted: Duration = .seconds(1)
    /// The same for a rejection, with its three tones.
    static let rejected: Duration = .milliseconds(1500)
    /// The same for what no trusted issuer made, which any phone can send.
    static let nonsense: Duration = .milliseconds(300)
    /// A pulse is not cut short by the next verdict before this time.
    static let pulse: Duration = .seconds(2)

    /// The longest that a verdict is shown before the next.
    static var longest: Duration { max(accepted, rejected, pulse) }

    private var waiting: [(visit: VisitID, came: Instant, isCredential: Bool)] = []
    private var shownAt: Instant?
    private var pulseOver: Instant = .zero
    private var freeAt: Instant = .zero

    /// When the next turn begins; nil: nobody waits.
    var deadline: Instant? { waiting.first.map { free(for: $0.came) } }

    /// Puts a visit that began at `came` at the end, one with a credential before all that have none; returns how many
    /// are before it, the one that is being shown included.
    mutating func join(_ visit: VisitID, came: Instant, isCredential: Bool, at now: Instant) -> Int {
        let place = isCredential ? waiting.firstIndex { !$0.isCredential } ?? waiting.count : waiting.count
        waiting.insert((visit, came, isCredential), at: place)
        return place + (now >= free(for: came) ? 0 : 1)
    }

    /// Those who wait no more leave.
    mutating func keep(_ isWaiting: (VisitID) -> Bool) { waiting.removeAll { !isWaiting($0.visit) } }

    /// The next visit; only when its turn has come.
    mutating func next(at now: Instant) -> VisitID? {
        guard let deadline, now >= deadline else { return nil }
        return waiting.removeFirst().visit
    }

    private func free(for came: Instant) -> Instant {
        if let shownAt, came < shownAt { freeAt } else { pulseOver }
    }

    /// Somebody who goes out has a pulse, which the next verdict does not cut short either.
    mutating func wait(for pulse: Duration, at now: Instant) {
        let end = now.advanced(by: min(pulse, Self.pulse))
        (pulseOver, freeAt) = (max(pulseOver, end), max(freeAt, end))
    }

    /// A verdict is shown from now on.
    mutating func show(accepted isAccepted: Bool, isCredential: Bool, pulse: Duration, at now: Instant) {
        let pulse = isAccepted ? min(pulse, Self.pulse) : .zero
        let least = isAccepted ? max(Self.accepted, pulse) : isCredential ? Self.rejected : Self.nonsense
        (shownAt, pulseOver, freeAt) = (now, now.advanced(by: pulse), now.advanced(by: least))
    }
}
