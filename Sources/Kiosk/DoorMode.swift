package import Encoding

/// How the gate treats visitors.
package enum DoorMode: String, CaseIterable, Sendable {
    /// Each accepted visitor gets one opening.
    case normal
    /// Lock-down: nobody is admitted.
    case locked
    /// Free passage: the gate is open. Credentials that visitors present are still verified and recorded.
    case free
}

/// An operator's order; it holds until the next order, or until its end.
package enum DoorOrder: Hashable, Sendable {
    /// No order: the schedule holds.
    case none
    /// Lock-down.
    case lock
    /// Free passage until that instant, at most ``DoorSettings/longestFree`` ahead.
    case free(until: Instant)
}

/// The cause of a mode.
package enum DoorCause: String, CaseIterable, Sendable {
    /// None: the mode is the normal one.
    case none
    /// An operator.
    case order
    /// The schedule.
    case schedule
    /// The fire panel.
    case fire
}

/// An input of the door.
package enum DoorEvent: Sendable {
    /// The inputs can be read from now on; carries their levels at this moment.
    case lines([DoorInput: Bool])
    /// An input has changed, at an instant that is past or present.
    case edge(DoorInput, isActive: Bool, at: Instant)
    /// The inputs cannot be read any more; carries the system's message.
    case linesLost(detail: String)
    /// An operator's order.
    case order(DoorOrder)
    /// The schedule's mode. Free passage lasts until that instant, at most ``DoorSettings/scheduleLease``
    /// ahead; a lock-down lasts until the schedule says otherwise.
    case schedule(DoorMode, until: Instant)
    /// The relay was energised until that instant, for that visit; nil: for a request to exit.
    case opened(VisitID?, until: Instant)
}

/// Whether a person passed after an opening.
package enum Passage: Hashable, Sendable {
    /// A person passed.
    case seen
    /// Nobody passed within the time.
    case unseen
    /// Not known: the inputs became unreadable, or would not have shown a passage.
    case unknown
}

/// A command or report of the door.
package enum DoorAction: Sendable {
    /// Open once: the button inside was pressed.
    case open
    /// Whether a person passed for that visit is decided; nil: for a request to exit.
    case settled(VisitID?, Passage)
    /// A fault begins or ends.
    case report(HealthReport)
    /// A note for the log, about that visit.
    case note(KioskNote, VisitID?)
}
