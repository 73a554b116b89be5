package import Encoding

/// The gate relay as a timeline of pulses, each of which belongs to one visit, or to somebody who asked to go out.
///
/// There is no way to hold it open: every opening carries its own end, at most ``hardLimit`` ahead. Between two pulses it rests for
/// a ``gap``, so that a turnstile counts every person; who would begin one before ``readyAt`` is given none.
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
        /// Whose it was; nil: of somebody who asked to go out.
        package let visit: VisitID?
        /// How long the relay was told to be energised; nil when there was no pulse.
        package let length: Duration?
    }

    private enum State {
        case shut
        case open(VisitID?, since: Instant, until: Instant)
    }

    private var state: State = .shut
    /// From when on a pulse may begin, if none runs.
    package private(set) var readyAt: Instant = .zero
    private var ended: [Ended] = []

    /// A gate that is shut.
    package init() {}

    /// Whether the relay is energised.
    package var isOpen: Bool { if case .open = state { true } else { false } }

    /// Whose pulse runs, or has ended since the last call of ``takeEnded()``; nil: there is none, or it is of somebody who asked to go
    /// out.
    package var visit: VisitID? {
        switch state {
        case .shut: ended.last?.visit ?? nil
        case .open(let visit, _, _): visit
        }
    }

    /// What the relay is to be told now.
    package var command: Command { if case .open(_, _, let until) = state { .open(until: until) } else { .shut } }

    /// When it shuts by itself; nil: it is shut.
    package var deadline: Instant? { if case .open(_, _, let until) = state { until } else { nil } }

    /// Gives `visit` (nil: somebody who asked to go out) a pulse of that length, cut to the hard limit, and ends the one before; none before ``readyAt``.
    package mutating func pulse(_ length: Duration, for visit: VisitID?, at now: Instant) {
        shut(at: now)
        let length = min(length, Self.hardLimit)
        guard length > .zero, now >= readyAt else { return ended.append(Ended(visit: visit, length: nil)) }
        state = .open(visit, since: now, until: now.advanced(by: length))
    }

    /// Shuts at once.
    package mutating func shut(at now: Instant) {
        guard case .open(let visit, let since, let until) = state else { return }
        let end = min(now, until)
        state = .shut
        // From now on, although it has ended before: whoever switches the relay may be as late as the one who asks.
        readyAt = now.advanced(by: Self.gap)
        ended.append(Ended(visit: visit, length: since.duration(to: end)))
    }

    /// Shuts when it is time.
    package mutating func advance(to now: Instant) {
        if case .open(_, _, let until) = state, now >= until { shut(at: now) }
    }

    /// The pulses that have ended since the last call.
    package mutating func takeEnded() -> [Ended] {
        defer { ended = [] }
        return ended
    }
}
