import Encoding

/// Whether the peer answers pings: each has its time, and after some without answer the peer is silent and is asked ever more
/// rarely.
struct Liveness: Sendable {
    private let limits: ReportSettings.Limits
    /// Whether the last pings stayed unanswered.
    private(set) var isSilent = false
    private var state = State.idle
    private var unanswered = 0
    private var waits = 0

    private enum State: Sendable {
        /// Nothing is wanted.
        case idle
        /// A ping is to be sent, not before that time.
        case due(Instant)
        /// The connection was told to ping; its server did not take it yet.
        case asked
        /// The ping is there; its answer has time until then.
        case sent(until: Instant)
    }

    /// A peer of which nothing is known.
    init(_ limits: ReportSettings.Limits) { self.limits = limits }

    /// Whether an answer is waited for, of a silent peer all the time: what it will prove must not grow meanwhile.
    var isWaiting: Bool { if case .idle = state { false } else { true } }

    /// When ``pass(_:)`` or ``isDue(_:)`` tells something new.
    var deadline: Instant? {
        switch state {
        case .idle, .asked: nil
        case .due(let time), .sent(let time): time
        }
    }

    /// A ping is wanted now, unless one is on its way.
    mutating func ask(at now: Instant, evenIfSilent: Bool = false) {
        switch state {
        case .idle: state = .due(now)
        case .due where evenIfSilent: state = .due(now)
        default: break
        }
    }

    /// Whether the connection is to ping now; true once.
    mutating func takeDue(_ now: Instant) -> Bool {
        guard case .due(let time) = state, now >= time else { return false }
        state = .asked
        return true
    }

    /// The peer's server took a ping.
    mutating func pinged(at now: Instant) { state = .sent(until: now.advanced(by: limits.answer)) }

    /// A ping was answered; whether the peer had been silent.
    mutating func answered() -> Bool {
        defer { self = Liveness(limits) }
        return isSilent
    }

    /// The time is `now`; whether the peer became silent by that.
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
