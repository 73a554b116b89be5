package import Encoding

/// The state of the door.
package struct DoorStatus: Sendable {
    /// The numbers of events at the door since the start.
    package struct Counters: Hashable, Sendable {
        /// The number of passages that were seen.
        package var passages = 0
        /// The number of passages for which the gate had not been opened.
        package var tailgating = 0
        /// The number of openings after which no person passed in time.
        package var unused = 0
        /// The number of requests to exit that were granted.
        package var requests = 0
        /// The number of requests to exit that were refused.
        package var refusedRequests = 0
        /// The number of times that the door was opened although no person was let through.
        package var forced = 0
        /// The number of times that the door was open for too long.
        package var held = 0
    }

    /// The mode in force.
    package let mode: DoorMode
    /// The cause of the mode.
    package let cause: DoorCause
    /// Since when the mode has been in force, in this run of the program; nil: it is the normal mode.
    package let since: Instant?
    /// When the mode ends by itself; nil: not known, or never.
    package let until: Instant?
    /// The wired inputs, and whether each is active; nil: the input cannot be read.
    package let inputs: [DoorInput: Bool?]
    /// The numbers of events at the door since the start.
    package let counters: Counters
}
