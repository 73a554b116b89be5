import Credentials
package import Encoding
package import Kiosk
package import Reasons

// The parts of the report about the kiosk. All counts begin at the start of the service.

extension StatusReport {
    /// A fault in force.
    package struct Fault: StatusObject {
        /// The reason code.
        package var code: Text?
        /// The severity of the code.
        package var severity: Severity?
        /// The date since which the fault is in force without a break.
        package var since: Timestamp?
        /// The seconds since ``since``.
        package var seconds: Int?
        /// The number of times that the fault has occurred.
        package var count: Int?
        /// The meaning of the code.
        package var meaning: String?
        /// The remedy of the code.
        package var remedy: String?
        /// Further details about this fault.
        package var detail: String?

        /// Creates a part without members.
        package init() {}

        /// The members in the order of the JSON.
        package static let members: [StatusMember<Fault>] = [
            .init("code", \.code, .text), .init("severity", \.severity, .word), .init("since", \.since, .date),
            .init("seconds", \.seconds, .int), .init("count", \.count, .int), .init("meaning", \.meaning, .prose),
            .init("remedy", \.remedy, .prose), .init("detail", \.detail, .prose),
        ]
    }

    /// The radio and its transfers.
    package struct Radio: StatusObject {
        /// The state of the radio.
        package var state: KioskStatus.Radio?
        /// The number of times that the adapter became ready.
        package var timesReady: Int?
        /// The number of times that the radio was reset or opened again.
        package var failures: Int?
        /// The number of times that a reset of the adapter was requested.
        package var adapterResets: Int?
        /// The number of times that the adapter stopped advertising without a request.
        package var advertisingLapses: Int?
        /// The number of resets because silent phones occupied all links.
        package var linkResets: Int?
        /// The number of resets because phones did not free the buffers.
        package var bufferResets: Int?
        /// The number of packets from the adapter that were ignored.
        package var ignoredPackets: Int?
        /// The number of messages from phones with inconsistent fragments.
        package var droppedPDUs: Int?
        /// The number of connected phones.
        package var phones: Int?
        /// The number of phones that were disconnected because every place was taken.
        package var refusedPhones: Int?
        /// The number of chunks with a wrong CRC.
        package var spoiledChunks: Int?
        /// The repair rounds.
        package var repairs: Int?
        /// The description of the controller; nil until the controller is ready for the first time.
        package var controller: String?

        /// Creates a part without members.
        package init() {}

        /// The members in the order of the JSON.
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

    /// The relay.
    package struct Gate: StatusObject {
        /// Whether the relay is energised.
        package var isOpen: Bool?

        /// Creates a part without members.
        package init() {}

        /// The members in the order of the JSON.
        package static let members: [StatusMember<Gate>] = [.init("open", \.isOpen, .flag)]
    }

    /// The durations and sizes since the start.
    package struct Figures: StatusObject {
        /// The milliseconds from the announcement of a transfer to its last missing byte.
        package var transfer: Histogram?
        /// The encrypted bytes of a whole transfer.
        package var bytes: Histogram?
        /// The milliseconds from the identification of a wallet to the verdict.
        package var identified: Histogram?
        /// The microseconds from T0 to gate and light.
        package var decision: Histogram?
        /// The part of ``decision`` during which other verdicts were shown.
        package var turn: Histogram?

        /// Creates a part without members.
        package init() {}

        /// The members in the order of the JSON.
        package static let members: [StatusMember<Figures>] = [
            .init("transferMs", \.transfer, .histogram), .init("transferBytes", \.bytes, .histogram),
            .init("identifiedMs", \.identified, .histogram), .init("decisionUs", \.decision, .histogram),
            .init("turnUs", \.turn, .histogram),
        ]
    }

    /// The door: also the answer of `gatehouse door`.
    package struct Door: StatusObject {
        /// The mode in force.
        package var mode: DoorMode?
        /// The cause of the mode.
        package var cause: DoorCause?
        /// The date since which mode and cause are in force; nil in the normal mode.
        package var since: Timestamp?
        /// The seconds since ``since``.
        package var seconds: Int?
        /// The seconds until the mode ends by itself; nil for a mode without an end.
        package var secondsLeft: Int?
        /// The levels of the wired inputs; nil inside: the input cannot be read.
        package var inputs: [DoorInput: Bool?]?
        /// The number of people who passed.
        package var passages: Int?
        /// The number of people who passed without an opening of the gate.
        package var tailgating: Int?
        /// The openings without a passage.
        package var unused: Int?
        /// The number of granted requests to exit.
        package var requests: Int?
        /// The number of refused requests to exit.
        package var refusedRequests: Int?
        /// The number of times that the door was forced.
        package var forced: Int?
        /// The number of times that the door was held open.
        package var heldOpen: Int?

        /// Creates a part without members.
        package init() {}

        /// The members in the order of the JSON.
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
