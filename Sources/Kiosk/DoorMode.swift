package import Encoding

/// How the gate stands to visitors.
package enum DoorMode: String, CaseIterable, Sendable {
    /// Whoever is accepted has one opening.
    case normal
    /// Lock-down: nobody is let in.
    case locked
    /// Free passage: the gate stands open. Whoever shows a credential is verified and recorded all the same.
    case free
}

/// What an operator has said; it holds until another word, or its end.
package enum DoorOrder: Hashable, Sendable {
    /// Nothing: the schedule holds.
    case none
    /// Lock-down.
    case lock
    /// Free passage until then, at most ``DoorSettings/longestFree`` ahead.
    case free(until: Instant)
}

/// Who has brought a mode about.
package enum DoorCause: String, CaseIterable, Sendable {
    /// Nobody: it is the normal one.
    case none
    /// An operator.
    case order
    /// The schedule.
    case schedule
    /// The fire panel.
    case fire
}

/// What happens at the door.
package enum DoorEvent: Sendable {
    /// The inputs can be read from now on; their levels at this moment.
    case lines([DoorInput: Bool])
    /// An input has changed, at an instant that is past or present.
    case edge(DoorInput, isActive: Bool, at: Instant)
    /// The inputs cannot be read any more; what the system said.
    case linesLost(detail: String)
    /// An operator's word.
    case order(DoorOrder)
    /// What the schedule says. Free passage lasts until then, at most ``DoorSettings/scheduleLease`` ahead; a lock-down until it says
    /// otherwise.
    case schedule(DoorMode, until: Instant)
    /// The relay has been energised until then, for that visit; nil: for a request to exit.
    case opened(VisitID?, until: Instant)
}

/// Whether somebody went through behind an opening.
package enum Passage: Hashable, Sendable {
    /// Somebody did.
    case seen
    /// Nobody did within the time.
    case unseen
    /// Nobody can tell: the inputs went away, or would not have shown it.
    case unknown
}

/// What follows.
package enum DoorAction: Sendable {
    /// Open once: the button inside was pressed.
    case open
    /// It is known whether somebody passed for that visit; nil: for a request to exit.
    case settled(VisitID?, Passage)
    /// Something is wrong, or over.
    case report(HealthReport)
    /// For whoever listens, about that visit.
    case note(KioskNote, VisitID?)
}
