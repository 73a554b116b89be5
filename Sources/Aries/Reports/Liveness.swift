import Encoding

/// Whether the peer answers pings. Each ping has a time limit. A peer that leaves several pings in a row unanswered
/// counts as silent, and is then pinged at growing intervals.
struct Liveness: Sendable {
    private let limits: ReportSettings.Limits
    /// Whether the peer counts as silent.
    private(set) var isSilent = false
    private var state = State.idle
    private var unanswered = 0
    private var waits = 0

    private enum State: Sendable {
        /// No ping is needed.
        case idle
        /// A ping must be sent, but not before the given instant.
        case due(Instant)
        /// The connection was asked to ping, but the peer's server has not accepted the ping yet.
        case asked
        /// The peer's server accepted the ping. The peer's answer is awaited until the given instant.
        case sent(until: Instant)
    }

    /// Creates the state before the first ping.
    init(_ limits: ReportSettings.Limits) { self.limits = limits }

    /// Whether a ping is due or its answer is awaited; always true for a silent peer. No entries are sent in this
    /// state, because the answer to a ping must prove only the entries that were sent before the ping.
    var isWaiting: Bool { if case .idle = state { false } else { true } }

    /// When ``pass(_:)`` or ``takeDue(_:)`` must be called next; nil if time alone changes nothing.
    var deadline: Instant? {
        switch state {
        case .idle, .asked: nil
        case .due(let time), .sent(let time): time
        }
    }

    /// Makes a ping due at `now`, if none is due or under way. `evenIfSilent`: whether a ping that is due later becomes
    /// due at `now`, too.
    mutating func ask(at now: Instant, evenIfSilent: Bool = false) {
        switch state {
        case .idle: state = .due(now)
        case .due where evenIfSilent: state = .due(now)
        default: break
        }
    }

    /// Returns whether the connection must send a ping at `now`. Returns true once for each ping.
    mutating func takeDue(_ now: Instant) -> Bool {
        guard case .due(let time) = state, now >= time else { return false }
        state = .asked
        return true
    }

    /// Records that the peer's server accepted a ping.
    mutating func pinged(at now: Instant) { state = .sent(until: now.advanced(by: limits.answer)) }

    /// Records that the peer answered a ping. Returns whether the peer was silent before.
    mutating func answered() -> Bool {
        defer { self = Liveness(limits) }
        return isSilent
    }

    /// Applies the time limit of the ping. Returns true at the moment at which the peer becomes silent.
    mutating func pass(_ now: Instant) -> Bool {
        guard case .sent(let until) = state, now >= until else { return false }
        unanswered += 1
        guard unanswered >= limits.unansweredPings else {
            state = .due(now)
            return false
        }
        state = .due(now.advanced(by: limits.wait(after: waits)))
        waits += 1
        defer { isSilent = true }
        return !isSilent
    }
}
