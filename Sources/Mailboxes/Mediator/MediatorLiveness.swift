import Encoding

/// Whether a mediator is alive. The gate pings the mediator if nothing was received from it for a while. The
/// mediator counts as silent if nothing is received for a certain time after the ping.
///
/// This time begins when the ping is due, not when the mediator receives it. However long the mediator's
/// server delays posts, and whatever it answers, silence is detected ``Mediator/Limits/life`` and
/// ``Mediator/Limits/silence`` after the last sign of life.
struct MediatorLiveness: Sendable {
    private let limits: Mediator.Limits
    /// When to ping the mediator; nil before a connection to it exists.
    private var pingAt: Instant?
    /// When the mediator begins to count as silent; nil if no ping is open, or if it counts as silent
    /// already.
    private var silentAt: Instant?
    /// Whether the mediator counts as silent.
    private(set) var isSilent = false

    /// Creates the state of a mediator about which nothing is known.
    init(_ limits: Mediator.Limits) { self.limits = limits }

    /// Creates the state of a mediator that is used from now on, even if there is no connection to ask over
    /// yet.
    init(_ limits: Mediator.Limits, at now: Instant) {
        self.limits = limits
        silentAt = now.advanced(by: limits.life + limits.silence)
    }

    /// When ``pass(_:isReachable:)`` may report that the mediator became silent.
    var silenceDeadline: Instant? { silentAt }

    /// When the next action over an existing connection is due.
    var deadline: Instant? { [pingAt, silentAt].compactMap(\.self).min() }

    /// Returns whether to ping now.
    mutating func takeDue(at now: Instant) -> Bool {
        guard let due = pingAt else {
            pingAt = now.advanced(by: limits.life)
            return false
        }
        guard now >= due else { return false }
        asked(at: now)
        return true
    }

    /// Records that a ping or another question is on its way to the mediator.
    mutating func asked(at now: Instant) {
        if silentAt == nil, !isSilent { silentAt = now.advanced(by: limits.silence) }
        pingAt = now.advanced(by: isSilent ? limits.idle : limits.answer)
    }

    /// Returns whether the mediator became silent at `now`. A mediator that is known to be unreachable is
    /// reported in another way, and gets the full time again once it is reachable.
    mutating func pass(_ now: Instant, isReachable: Bool) -> Bool {
        guard let until = silentAt, now >= until else { return false }
        silentAt = isReachable ? nil : now.advanced(by: limits.silence)
        isSilent = isReachable
        return isReachable
    }

    /// Records that the mediator sent something.
    mutating func heard(at now: Instant) {
        (silentAt, isSilent) = (nil, false)
        pingAt = now.advanced(by: limits.life)
    }
}
