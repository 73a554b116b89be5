import Encoding

/// Whether the peer answers pings. Each ping has a time limit. After several pings without an answer the peer
/// is silent, and is pinged at growing intervals.
struct Liveness: Sendable {
    private let limits: ReportSettings.Limits
    /// Whether the last pings stayed unanswered.
    private(set) var isSilent = false
    private var state = State.idle
    private var unanswered = 0
    private var waits = 0

    private enum State: Sendable {
        /// No ping is needed.
        case idle
        /// A ping is to be sent, but not before the given instant.
        case due(Instant)
        /// The connection was asked to ping; the peer's server has not accepted the ping yet.
        case asked
        /// The peer's server accepted the ping. The connection waits for the answer until the given instant.
        case sent(until: Instant)
    }

    /// Creates the state of a peer about which nothing is known.
    init(_ limits: ReportSettings.Limits) { self.limits = limits }

    /// Whether an answer to a ping is awaited. It is always true for a silent peer. Nothing is sent while an
    /// answer is awaited, because the answer would then prove more than it should.
    var isWaiting: Bool { if case .idle = state { false } else { true } }

    /// When ``pass(_:)`` or ``takeDue(_:)`` returns a new result.
    var deadline: Instant? {
        switch state {
        case .idle, .asked: nil
        case .due(let time), .sent(let time): time
        }
    }

    /// Makes a ping due now, unless one is on its way.
    mutating func ask(at now: Instant, evenIfSilent: Bool = false) {
        switch state {
        case .idle: state = .due(now)
        case .due where evenIfSilent: state = .due(now)
        default: break
        }
    }

    /// Returns whether the connection must ping now. The result is true once for each ping.
    mutating func takeDue(_ now: Instant) -> Bool {
        guard case .due(let time) = state, now >= time else { return false }
        state = .asked
        return true
    }

    /// Records that the peer's server accepted a ping.
    mutating func pinged(at now: Instant) { state = .sent(until: now.advanced(by: limits.answer)) }

    /// Records that a ping was answered. Returns whether the peer had been silent.
    mutating func answered() -> Bool {
        defer { self = Liveness(limits) }
        return isSilent
    }

    /// Applies the time `now`. Returns whether the peer became silent.
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
