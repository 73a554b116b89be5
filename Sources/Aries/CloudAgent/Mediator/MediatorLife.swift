import Encoding

/// Whether a mediator lives: it is asked by a ping when nothing was heard of it for a while.
struct MediatorLife: Sendable {
    private let limits: Mediator.Limits
    private var pingAt: Instant?
    /// Questions in a row that nobody answered.
    private(set) var unanswered = 0

    init(_ limits: Mediator.Limits) { self.limits = limits }

    /// When to ping; nil before there is a connection.
    var deadline: Instant? { pingAt }

    /// Whether it counts as silent.
    var isSilent: Bool { unanswered >= limits.unanswered }

    /// Whether to ping now.
    mutating func takeDue(at now: Instant) -> Bool {
        guard let due = pingAt else {
            pingAt = now.advanced(by: limits.life)
            return false
        }
        guard now >= due else { return false }
        pingAt = now.advanced(by: limits.life)
        return true
    }

    /// A ping or another question is at the mediator's server.
    mutating func asked(at now: Instant) {
        unanswered += 1
        pingAt = now.advanced(by: limits.idle)
    }

    /// The mediator said something.
    mutating func heard(at now: Instant) {
        unanswered = 0
        pingAt = now.advanced(by: limits.life)
    }
}
