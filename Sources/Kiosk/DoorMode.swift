package import Encoding

/// How the gate treats visitors.
package enum DoorMode: String, CaseIterable, Sendable {
    /// Each accepted visitor gets one opening.
    case normal
    /// Lock-down: the gate opens for no credential.
    case locked
    /// Free passage: the gate is open. Credentials that visitors present are still verified and recorded.
    case free
}

/// An operator's order for the door. It is in force until the next order, or until its end.
package enum DoorOrder: Hashable, Sendable {
    /// No order is in force: the schedule determines the mode.
    case none
    /// A lock-down until the next order.
    case lock
    /// Free passage until the given instant, which is at most ``DoorSettings/longestFree`` ahead.
    case free(until: Instant)
}

/// The cause of a mode.
package enum DoorCause: String, CaseIterable, Sendable {
    /// No cause: the mode is the normal one.
    case none
    /// An operator's order caused the mode.
    case order
    /// The schedule caused the mode.
    case schedule
    /// The fire panel caused the mode.
    case fire
}

/// An event that the door handles.
package enum DoorEvent: Equatable, Sendable {
    /// The inputs can be read from now on. The value has their levels at this moment.
    case lines([DoorInput: Bool])
    /// The input has changed at the instant `at`, which is past or present. `isActive`: its new level.
    case edge(DoorInput, isActive: Bool, at: Instant)
    /// The inputs can no longer be read. `detail`: the system's message.
    case linesLost(detail: String)
    /// An operator gave the given order.
    case order(DoorOrder)
    /// The schedule orders the given mode. Free passage lasts until the instant `until`, which is at most
    /// ``DoorSettings/scheduleLease`` ahead; a lock-down lasts until the schedule says otherwise.
    case schedule(DoorMode, until: Instant)
    /// The relay was energised until the instant `until` for the given visit; nil: for a request to exit.
    case opened(VisitID?, until: Instant)
}

/// Whether a person passed after an opening.
package enum Passage: Hashable, Sendable {
    /// A person passed the gate.
    case seen
    /// No person passed the gate within the waiting time.
    case unseen
    /// It is not known whether a person passed: the inputs became unreadable, or could not have shown a
    /// passage.
    case unknown
}

/// A command or report of the door to the kiosk.
package enum DoorAction: Equatable, Sendable {
    /// Open the gate once, because the button inside was pressed.
    case open
    /// It is now determined whether a person passed for the given visit; nil: for a request to exit.
    case settled(VisitID?, Passage)
    /// A fault has begun or ended.
    case report(HealthReport)
    /// A note for the log, about the given visit if it is not nil.
    case note(KioskNote, VisitID?)
}
