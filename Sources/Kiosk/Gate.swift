package import Encoding

/// The gate relay as a timeline of pulses, each of which belongs to one visit.
///
/// There is no way to hold it open: every opening carries its own end, at most ``hardLimit`` ahead. An acceptance during a pulse
/// ends it, leaves a ``gap`` and gives its own, so that a turnstile counts every person; a rejection shuts.
package struct Gate: Sendable {
    /// No pulse lasts longer, whatever the configuration says (turnstiles want 100–500 ms, door strikes up to 5 s).
    package static let hardLimit: Duration = .seconds(5)
    /// The relay rests at least that long between two pulses. Turnstile controllers debounce their input for up to 50 ms; twice
    /// that and a margin for the two threads that switch.
    package static let gap: Duration = .milliseconds(120)

    /// What the relay is told.
    package enum Command: Hashable, Sendable {
        /// Energise until then, whatever else happens.
        case open(until: Instant)
        /// Release.
        case shut
    }

    /// A pulse that is over, or one that was never given.
    package struct Ended: Hashable, Sendable {
        /// Whose it was.
        package let visit: VisitID
        /// How long the relay was told to be energised; nil when the pulse was taken back before it began.
        package let length: Duration?
    }

    private enum State {
        case shut
        case waiting(VisitID, since: Instant, length: Duration)
        case open(VisitID, since: Instant, until: Instant)
    }

    private var state: State = .shut
    private var lastShut: Instant?
    private var ended: [Ended] = []

    /// A gate that is shut.
    package init() {}

    /// Whether the relay is energised.
    package var isOpen: Bool { if case .open = state { true } else { false } }

    /// Whether a pulse waits for the gap behind the one before.
    package var isWaiting: Bool { if case .waiting = state { true } else { false } }

    /// Whose pulse runs or ran last; nil before the first.
    package var visit: VisitID? {
        switch state {
        case .shut: ended.last?.visit
        case .waiting(let visit, _, _), .open(let visit, _, _): visit
        }
    }

    /// What the relay is to be told now.
    package var command: Command { if case .open(_, _, let until) = state { .open(until: until) } else { .shut } }

    /// When it opens or shuts by itself; nil: not at all.
    package var deadline: Instant? {
        switch state {
        case .shut: nil
        case .waiting(_, let since, _): opening(since: since)
        case .open(_, _, let until): until
        }
    }

    /// Gives `visit` a pulse of that length, cut to the hard limit: now, or after the gap behind the one before.
    package mutating func pulse(_ length: Duration, for visit: VisitID, at now: Instant) {
        shut(at: now)
        let length = min(max(length, .zero), Self.hardLimit)
        guard length > .zero else { return ended.append(Ended(visit: visit, length: nil)) }
        state = .waiting(visit, since: now, length: length)
        advance(to: now)
    }

    /// Shuts at once; a pulse that has not begun is not given.
    package mutating func shut(at now: Instant) {
        advance(to: now)
        switch state {
        case .shut: break
        case .waiting(let visit, _, _): ended.append(Ended(visit: visit, length: nil))
        case .open(let visit, let since, _): close(visit, since: since, at: now)
        }
        state = .shut
    }

    /// Opens and shuts what is due.
    package mutating func advance(to now: Instant) {
        if case .waiting(let visit, let since, let length) = state, now >= opening(since: since) {
            state = .open(visit, since: now, until: now.advanced(by: length))
        }
        if case .open(let visit, let since, let until) = state, now >= until {
            close(visit, since: since, at: until)
            state = .shut
        }
    }

    /// The pulses that have ended since the last call.
    package mutating func takeEnded() -> [Ended] {
        defer { ended = [] }
        return ended
    }

    private mutating func close(_ visit: VisitID, since: Instant, at end: Instant) {
        lastShut = end
        ended.append(Ended(visit: visit, length: since.duration(to: end)))
    }

    private func opening(since: Instant) -> Instant { max(since, lastShut?.advanced(by: Self.gap) ?? since) }
}
