import Encoding

/// Whether a mediator is alive. If no message arrives from the mediator for a while, the gate pings it. If no message
/// arrives for a certain time after that, the mediator counts as silent.
///
/// That time begins when the ping is due, not when the mediator's server accepts it. So silence is detected
/// ``Mediator/Limits/life`` plus ``Mediator/Limits/silence`` after the last message, however long the server delays
/// posts.
struct MediatorLiveness: Sendable {
    private let limits: Mediator.Limits
    /// When the mediator is pinged next; nil before there is a connection to it.
    private var pingAt: Instant?
    /// When the mediator counts as silent unless a message arrives before; nil if no ping is open or if it counts as
    /// silent already.
    private var silentAt: Instant?
    /// Whether the mediator counts as silent.
    private(set) var isSilent = false

    /// Creates the state before the mediator is used: nothing is expected from it.
    init(_ limits: Mediator.Limits) { self.limits = limits }

    /// Creates the state of a mediator that is used from `now` on. It counts as silent if no message arrives in time,
    /// even if there is no connection to it yet.
    init(_ limits: Mediator.Limits, at now: Instant) {
        self.limits = limits
        silentAt = now.advanced(by: limits.life + limits.silence)
    }

    /// When ``pass(_:isReachable:)`` may detect silence; nil if it cannot.
    var silenceDeadline: Instant? { silentAt }

    /// When ``takeDue(at:)`` or ``pass(_:isReachable:)`` must be called next; nil if time alone changes nothing.
    var deadline: Instant? { [pingAt, silentAt].compactMap(\.self).min() }

    /// Returns whether the mediator must be pinged at `now`.
    mutating func takeDue(at now: Instant) -> Bool {
        guard let due = pingAt else {
            pingAt = now.advanced(by: limits.life)
            return false
        }
        guard now >= due else { return false }
        asked(at: now)
        return true
    }

    /// Records that a ping or a request that the mediator must answer is sent at `now`.
    mutating func asked(at now: Instant) {
        if silentAt == nil, !isSilent { silentAt = now.advanced(by: limits.silence) }
        pingAt = now.advanced(by: isSilent ? limits.idle : limits.answer)
    }

    /// Returns whether the mediator became silent at `now`. A mediator that cannot be reached does not become silent:
    /// that failure is reported separately, and the time for an answer begins again.
    mutating func pass(_ now: Instant, isReachable: Bool) -> Bool {
        guard let until = silentAt, now >= until else { return false }
        silentAt = isReachable ? nil : now.advanced(by: limits.silence)
        isSilent = isReachable
        return isReachable
    }

    /// Records that a message from the mediator arrived at `now`.
    mutating func heard(at now: Instant) {
        (silentAt, isSilent) = (nil, false)
        pingAt = now.advanced(by: limits.life)
    }
}
