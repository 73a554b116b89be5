import Credentials
package import Encoding
package import Kiosk
package import Reasons

// The parts of the status report about the kiosk. All counts begin with zero at the start of the service.

extension StatusReport {
    /// A fault in force.
    package struct Fault: StatusObject {
        /// The reason code of the fault.
        package var code: Text?
        /// The severity of the fault.
        package var severity: Severity?
        /// The date since which the fault has been in force without a break.
        package var since: Timestamp?
        /// The time since ``since`` in seconds.
        package var seconds: Int?
        /// The number of times that the fault has occurred.
        package var count: Int?
        /// The meaning of the reason code, in plain words.
        package var meaning: String?
        /// The remedy of the reason code, in plain words.
        package var remedy: String?
        /// Details of this fault, in plain words; nil: there are none.
        package var detail: String?

        /// Creates an object in which all members are nil.
        package init() {}

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<Fault>] = [
            .init("code", \.code, .text), .init("severity", \.severity, .word), .init("since", \.since, .date),
            .init("seconds", \.seconds, .int), .init("count", \.count, .int), .init("meaning", \.meaning, .prose),
            .init("remedy", \.remedy, .prose), .init("detail", \.detail, .prose),
        ]
    }

    /// The radio, with the transfers over it.
    package struct Radio: StatusObject {
        /// The state of the radio.
        package var state: KioskStatus.Radio?
        /// The number of times that the adapter became ready.
        package var timesReady: Int?
        /// The number of times that the radio was reset or reopened.
        package var failures: Int?
        /// The number of times that a reset of the adapter was requested.
        package var adapterResets: Int?
        /// The number of times that the adapter stopped advertising unexpectedly.
        package var advertisingLapses: Int?
        /// The number of resets of the adapter because silent phones occupied all its links.
        package var linkResets: Int?
        /// The number of resets of the adapter because phones that acknowledge nothing occupied its buffers.
        package var bufferResets: Int?
        /// The number of invalid packets from the adapter.
        package var ignoredPackets: Int?
        /// The number of messages from phones that could not be reassembled.
        package var droppedPDUs: Int?
        /// The number of connected phones.
        package var phones: Int?
        /// The number of phones that were disconnected because every place was taken.
        package var refusedPhones: Int?
        /// The number of chunks that arrived damaged (with a wrong CRC).
        package var spoiledChunks: Int?
        /// The number of repair rounds.
        package var repairs: Int?
        /// The description of the controller; nil before the radio is ready for the first time.
        package var controller: String?

        /// Creates an object in which all members are nil.
        package init() {}

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<Radio>] = [
            .init("state", \.state, .word), .init("openings", \.timesReady, .int), .init("failures", \.failures, .int),
            .init("adapterResets", \.adapterResets, .int), .init("advertisingLapses", \.advertisingLapses, .int),
            .init("linkResets", \.linkResets, .int), .init("bufferResets", \.bufferResets, .int),
            .init("ignoredPackets", \.ignoredPackets, .int), .init("droppedPDUs", \.droppedPDUs, .int),
            .init("phones", \.phones, .int), .init("refusedPhones", \.refusedPhones, .int),
            .init("spoiledChunks", \.spoiledChunks, .int), .init("repairs", \.repairs, .int),
            .init("controller", \.controller, .prose),
        ]
    }

    /// The gate's relay.
    package struct Gate: StatusObject {
        /// Whether the relay is energised.
        package var isOpen: Bool?

        /// Creates an object in which all members are nil.
        package init() {}

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<Gate>] = [.init("open", \.isOpen, .flag)]
    }

    /// Histograms of durations and sizes since the start of the service.
    package struct Figures: StatusObject {
        /// The time from the announcement of a transfer to its last missing byte, in milliseconds.
        package var transfer: Histogram?
        /// The encrypted size of a whole transfer, in bytes.
        package var bytes: Histogram?
        /// The time from the identification of a wallet to the verdict, in milliseconds.
        package var identified: Histogram?
        /// The time from T0 to the order to gate and light, in microseconds.
        package var decision: Histogram?
        /// The part of ``decision`` in which earlier verdicts were shown, in microseconds.
        package var turn: Histogram?

        /// Creates an object in which all members are nil.
        package init() {}

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<Figures>] = [
            .init("transferMs", \.transfer, .histogram), .init("transferBytes", \.bytes, .histogram),
            .init("identifiedMs", \.identified, .histogram), .init("decisionUs", \.decision, .histogram),
            .init("turnUs", \.turn, .histogram),
        ]
    }

    /// The door. `gatehouse door` prints this part by itself.
    package struct Door: StatusObject {
        /// The mode in force.
        package var mode: DoorMode?
        /// The cause of the mode.
        package var cause: DoorCause?
        /// The date since which mode and cause are in force; nil in the normal mode.
        package var since: Timestamp?
        /// The time since ``since`` in seconds.
        package var seconds: Int?
        /// The time until the mode ends by itself, in seconds; nil: it has no end.
        package var secondsLeft: Int?
        /// Whether each wired input is active. The inner nil: the input cannot be read.
        package var inputs: [DoorInput: Bool?]?
        /// The number of people who passed.
        package var passages: Int?
        /// The number of passages without an opening of the gate.
        package var tailgating: Int?
        /// The number of openings without a passage.
        package var unused: Int?
        /// The number of granted requests to exit.
        package var requests: Int?
        /// The number of refused requests to exit.
        package var refusedRequests: Int?
        /// The number of times that the door was opened without an admitted visitor.
        package var forced: Int?
        /// The number of times that the door was held open for too long.
        package var heldOpen: Int?

        /// Creates an object in which all members are nil.
        package init() {}

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<Door>] = [
            .init("mode", \.mode, .word), .init("by", \.cause, .word), .init("since", \.since, .date),
            .init("seconds", \.seconds, .int), .init("secondsLeft", \.secondsLeft, .int),
            .init("inputs", \.inputs, .inputs), .init("passages", \.passages, .int),
            .init("tailgating", \.tailgating, .int), .init("unused", \.unused, .int),
            .init("requests", \.requests, .int), .init("refusedRequests", \.refusedRequests, .int),
            .init("forced", \.forced, .int), .init("heldOpen", \.heldOpen, .int),
        ]
    }
}
