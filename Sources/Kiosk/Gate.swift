package import Encoding

/// The gate relay as a timeline: shut, or open until an instant that lies at most ``hardLimit`` ahead.
///
/// There is no way to hold it open: every opening carries its own end, and asking again while it is open does not
/// lengthen it beyond the hard limit from the first opening.
package struct Gate: Sendable {
    /// No opening lasts longer, whatever the configuration says (turnstiles want 100–500 ms, door strikes up to 5 s).
    package static let hardLimit: Duration = .seconds(5)

    private enum State {
        case shut
        case open(since: Instant, until: Instant)
    }

    private var state: State = .shut

    /// A gate that is shut.
    package init() {}

    /// Whether the relay is energised.
    package var isOpen: Bool { if case .open = state { true } else { false } }

    /// When it shuts; nil while it is shut.
    package var deadline: Instant? { if case .open(_, let until) = state { until } else { nil } }

    /// Opens for `pulse`, cut to the hard limit.
    package mutating func open(for pulse: Duration, at now: Instant) {
        advance(to: now)
        var since = now
        if case .open(let first, _) = state { since = first }
        let until = min(now.advanced(by: min(max(pulse, .zero), Self.hardLimit)), since.advanced(by: Self.hardLimit))
        state = until > now ? .open(since: since, until: until) : .shut
    }

    /// Shuts at once.
    package mutating func shut() {
        state = .shut
    }

    /// Shuts when the time has come.
    package mutating func advance(to now: Instant) {
        if let deadline, now >= deadline { state = .shut }
    }
}
