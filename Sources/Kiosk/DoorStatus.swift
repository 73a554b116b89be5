package import Encoding

/// How it is at the door.
package struct DoorStatus: Sendable {
    /// Counts since the start.
    package struct Counters: Hashable, Sendable {
        /// People who were seen to pass.
        package var passages = 0
        /// Of them, those for whom the gate had not been opened.
        package var tailgating = 0
        /// Openings behind which nobody passed in time.
        package var unused = 0
        /// Requests to exit that were granted.
        package var requests = 0
        /// Requests to exit that were not.
        package var refusedRequests = 0
        /// Times the door was opened although nobody was let through.
        package var forced = 0
        /// Times it stood open for too long.
        package var held = 0
    }

    /// The mode in force.
    package let mode: DoorMode
    /// Who has brought it about.
    package let cause: DoorCause
    /// Since when, in this run of the program; nil: it is the normal mode.
    package let since: Instant?
    /// When it ends by itself; nil: nobody knows, or never.
    package let until: Instant?
    /// What is wired, and whether it is active; nil: it cannot be read.
    package let inputs: [DoorInput: Bool?]
    /// Counts since the start.
    package let counters: Counters
}
