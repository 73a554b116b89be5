import Encoding

/// Whether a mediator lives: it is asked by a ping when nothing was heard of it for a while, and is silent when nothing is heard
/// behind that in its time.
///
/// The time runs from when there is something to ask, and not from when that got through: however the mediator's server holds posts
/// up, and whatever it answers, silence is known ``Mediator/Limits/life`` and ``Mediator/Limits/silence`` after the last sign of life.
struct MediatorLife: Sendable {
    private let limits: Mediator.Limits
    /// When to ping; nil before there is a connection.
    private var pingAt: Instant?
    /// When it is silent; nil where nothing is asked, and where it is silent already.
    private var silentAt: Instant?
    /// Whether it counts as silent.
    private(set) var isSilent = false

    /// A mediator of which nothing is known.
    init(_ limits: Mediator.Limits) { self.limits = limits }

    /// One that is turned to from now on, though there may be no connection that could be asked over.
    init(_ limits: Mediator.Limits, at now: Instant) {
        self.limits = limits
        silentAt = now.advanced(by: limits.life + limits.silence)
    }

    /// When ``pass(_:isReachable:)`` tells something new.
    var silenceDeadline: Instant? { silentAt }

    /// When something is due over a connection that stands.
    var deadline: Instant? { [pingAt, silentAt].compactMap(\.self).min() }

    /// Whether to ping now.
    mutating func takeDue(at now: Instant) -> Bool {
        guard let due = pingAt else {
            pingAt = now.advanced(by: limits.life)
            return false
        }
        guard now >= due else { return false }
        asked(at: now)
        return true
    }

    /// A ping or another question is on its way to the mediator.
    mutating func asked(at now: Instant) {
        if silentAt == nil, !isSilent { silentAt = now.advanced(by: limits.silence) }
        pingAt = now.advanced(by: isSilent ? limits.idle : limits.answer)
    }

    /// The time is `now`; whether the mediator became silent by that. One that is known to be out of reach is told of otherwise, and
    /// has its time again from when it is back.
    mutating func pass(_ now: Instant, isReachable: Bool) -> Bool {
        guard let until = silentAt, now >= until else { return false }
        silentAt = isReachable ? nil : now.advanced(by: limits.silence)
        isSilent = isReachable
        return isReachable
    }

    /// The mediator said something.
    mutating func heard(at now: Instant) {
        (silentAt, isSilent) = (nil, false)
        pingAt = now.advanced(by: limits.life)
    }
}
