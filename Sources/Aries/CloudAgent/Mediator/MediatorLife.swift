import Encoding

/// Whether a mediator is alive. It is pinged if nothing was received from it for a while, and counts as
/// silent if nothing is received in a certain time after that.
///
/// The time runs from when a question is due, not from when the mediator receives it. However long the
/// mediator's server delays posts, and whatever it answers, silence is detected ``Mediator/Limits/life`` and
/// ``Mediator/Limits/silence`` after the last sign of life.
struct MediatorLife: Sendable {
    private let limits: Mediator.Limits
    /// When to ping; nil before there is a connection.
    private var pingAt: Instant?
    /// When it becomes silent; nil if nothing is asked, or if it is silent already.
    private var silentAt: Instant?
    /// Whether it counts as silent.
    private(set) var isSilent = false

    /// Creates the state of a mediator about which nothing is known.
    init(_ limits: Mediator.Limits) { self.limits = limits }

    /// Creates the state of a mediator that is used from now on, even if there is no connection to ask over
    /// yet.
    init(_ limits: Mediator.Limits, at now: Instant) {
        self.limits = limits
        silentAt = now.advanced(by: limits.life + limits.silence)
    }

    /// When ``pass(_:isReachable:)`` has something new.
    var silenceDeadline: Instant? { silentAt }

    /// When something is due over an existing connection.
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
