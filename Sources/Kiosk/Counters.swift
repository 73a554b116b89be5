import Encoding

extension Kiosk {
    /// Counts since the start, for the status report and for metrics. No other type counts visits. The table of reason
    /// codes limits the size of the counters, whatever phones do.
    package struct Counters: Sendable {
        /// The times of a visit that is not complete.
        private struct Course {
            var identified: Instant?
            var announced: (at: Instant, bytes: Int)?
        }

        /// The number of visits, by result and reason.
        package private(set) var endings: [VisitEnding: Int] = [:]
        /// The number of visits, by result.
        package var visits: [VisitResult: Int] {
            endings.reduce(into: [:]) { $0[$1.key.result, default: 0] += $1.value }
        }
        /// The histogram of the time from the announcement of a transfer to its last missing byte (T0), in
        /// milliseconds.
        package private(set) var transfer = Histogram([250, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000, 300_000])
        /// The histogram of the encrypted bytes of a whole transfer, rounded up to a multiple of ``grain``. A
        /// sum exact to the byte, read after each visit, would distinguish one credential from another.
        package private(set) var bytes = Histogram([1024, 4096, 16_384, 65_536, 262_144, 1_048_576])
        /// The histogram of the time from the phone's identification to the verdict, in milliseconds. This time
        /// includes choosing, transfer and verification.
        package private(set) var identified = Histogram([500, 1000, 2000, 5000, 10_000, 20_000, 60_000, 120_000])
        /// The histogram of the time from T0 to the relay and the light, in microseconds: for every verdict, including
        /// the wait for its verdict turn.
        package private(set) var decision = Histogram([
            1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000,
        ])
        /// The histogram of the part of ``decision`` that was spent waiting for the visit's verdict turn, in
        /// microseconds.
        package private(set) var turn = Histogram([
            1000, 10_000, 100_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000,
        ])
        /// The number of phones that were sent away because every place was taken by a phone that made
        /// progress.
        package internal(set) var refusedPhones = 0
        /// The number of times that the controller became ready.
        package private(set) var timesRadioWasReady = 0
        /// The number of times that the radio had to be reset or opened again.
        package internal(set) var radioFailures = 0
        /// The number of times that the reset of the adapter was requested.
        package private(set) var adapterResets = 0
        /// The number of times that the controller was found not to advertise although it should have.
        package internal(set) var advertisingLapses = 0
        /// The number of times that the controller was reset because it was short of links and all its links were
        /// dead.
        package internal(set) var linkResets = 0
        /// The number of times that the controller was reset because it returned no data buffer.
        package internal(set) var bufferResets = 0
        /// The number of intents, and of sessions of a printed key, that were not stored or not confirmed in time.
        package internal(set) var ledgerFailures = 0
        /// The number of malformed or unexpected packets from the controller.
        package internal(set) var ignoredPackets = 0
        /// The number of L2CAP PDUs from phones whose fragments did not fit together.
        package internal(set) var droppedPDUs = 0
        /// The number of chunks that arrived corrupted.
        package private(set) var spoiledChunks = 0
        /// The number of repair rounds.
        package private(set) var repairs = 0

        /// The unit in bytes to which sizes are rounded up.
        static let grain = 1024
        /// The visits that have not ended: at most one for each connected phone.
        private var courses: [VisitID: Course] = [:]

        /// Creates counters that are all zero.
        package init() {}

        /// Counts the event that a note reports.
        mutating func count(_ note: KioskNote, of visit: VisitID?, at now: Instant) {
            switch note {
            case .radioReady: timesRadioWasReady += 1
            case .adapterReset: adapterResets += 1
            case .received(_, let crcErrors, let rounds):
                spoiledChunks += crcErrors
                repairs += rounds
            default: break
            }
            if let visit { follow(note, visit, at: now) }
        }

        private mutating func follow(_ note: KioskNote, _ visit: VisitID, at now: Instant) {
            switch note {
            case .identified: courses[visit, default: Course()].identified = now
            case .transferStarted(let bytes, _): courses[visit, default: Course()].announced = (now, bytes)
            case .received:
                guard let announced = courses[visit]?.announced else { return }
                transfer.count(Int(announced.at.duration(to: now).milliseconds))
                bytes.count((max(0, announced.bytes) + Self.grain - 1) / Self.grain * Self.grain)
            case .decided(_, _, let sinceT0, let waited):
                decision.count(Self.microseconds(sinceT0))
                turn.count(Self.microseconds(waited))
                if let start = courses[visit]?.identified {
                    identified.count(Int(start.duration(to: now).milliseconds))
                }
            case .visitEnded(let result, let reasons, _):
                courses[visit] = nil
                endings[VisitEnding(result, reasons), default: 0] += 1
            default: break
            }
        }

        private static func microseconds(_ time: Duration) -> Int { Int(time.nanoseconds / 1000) }
    }
}
