package import Encoding

/// The gate relay as a timeline of pulses. Each pulse belongs to one visit, or to a person who asked to exit.
///
/// There is no way to hold the relay open: every opening has an end, at most ``hardLimit`` ahead. Between two pulses
/// the relay rests for a ``gap``, so that a turnstile counts every person. A pulse that is requested before
/// ``readyAt`` does not begin.
package struct Gate: Sendable {
    /// The longest pulse, whatever the configuration says (turnstiles want 100–500 ms, door strikes up to 5 s).
    package static let hardLimit: Duration = .seconds(5)
    /// The shortest rest of the relay between two pulses. Turnstile controllers debounce their input for up
    /// to 50 ms; the rest is twice as long, with a margin for the two threads that switch.
    package static let gap: Duration = .milliseconds(120)

    /// A command to the relay.
    package enum Command: Hashable, Sendable {
        /// Energise the relay until the given instant, whatever else happens.
        case open(until: Instant)
        /// Release the relay.
        case shut
    }

    /// A pulse that has ended, or a requested pulse that did not begin.
    package struct Ended: Hashable, Sendable {
        /// The visit of the pulse; nil: it belongs to a person who asked to exit.
        package let visit: VisitID?
        /// How long the relay was commanded to be energised; nil if no pulse began.
        package let length: Duration?
    }

    private enum State {
        case shut
        case open(VisitID?, since: Instant, until: Instant)
    }

    private var state: State = .shut
    /// The instant from which a pulse may begin if none is in progress.
    package private(set) var readyAt: Instant = .zero
    private var ended: [Ended] = []

    /// Creates a gate that is shut.
    package init() {}

    /// Whether the relay is energised.
    package var isOpen: Bool { if case .open = state { true } else { false } }

    /// The visit whose pulse is in progress, or has ended since the last call of ``takeEnded()``. Nil if
    /// there is no such pulse, or if the pulse belongs to a person who asked to exit.
    package var visit: VisitID? {
        switch state {
        case .shut: ended.last?.visit ?? nil
        case .open(let visit, _, _): visit
        }
    }

    /// The command to the relay that is in force.
    package var command: Command { if case .open(_, _, let until) = state { .open(until: until) } else { .shut } }

    /// When the relay's pulse ends; nil if no pulse is in progress.
    package var deadline: Instant? { if case .open(_, _, let until) = state { until } else { nil } }

    /// Begins a pulse for `visit` (nil: for a person who asked to exit), of the duration `length`, at most the hard
    /// limit. Ends a pulse that is in progress. Begins no pulse before ``readyAt``. So if this call ends a pulse, the
    /// new pulse does not begin and has to be requested again later.
    package mutating func pulse(_ length: Duration, for visit: VisitID?, at now: Instant) {
        shut(at: now)
        let length = min(length, Self.hardLimit)
        guard length > .zero, now >= readyAt else { return ended.append(Ended(visit: visit, length: nil)) }
        state = .open(visit, since: now, until: now.advanced(by: length))
    }

    /// Delays the pulse in progress by `delay`, because it began later than it was requested. The pulse keeps its
    /// length.
    package mutating func delay(by delay: Duration) {
        guard case .open(let visit, let since, let until) = state, delay > .zero else { return }
        state = .open(visit, since: since.advanced(by: delay), until: until.advanced(by: delay))
    }

    /// Ends the pulse in progress at once.
    package mutating func shut(at now: Instant) {
        guard case .open(let visit, let since, let until) = state else { return }
        let end = min(now, until)
        state = .shut
        // Count the relay's rest from now, although the pulse ended before: the thread that switches the relay may be
        // as late as the caller.
        readyAt = now.advanced(by: Self.gap)
        ended.append(Ended(visit: visit, length: since.duration(to: end)))
    }

    /// Releases the relay if the pulse has reached its end.
    package mutating func advance(to now: Instant) {
        if case .open(_, _, let until) = state, now >= until { shut(at: now) }
    }

    /// Returns the pulses that have ended since the last call.
    package mutating func takeEnded() -> [Ended] {
        defer { ended = [] }
        return ended
    }
}
