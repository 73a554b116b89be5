import Encoding
import Kiosk
import Ledger
import Observation

/// A gate on a busy day, for tests of everything that displays its state.
enum SampleBox {
    /// 2026-03-02 14:05:00 in a zone an hour east of UTC.
    static let now = Timestamp(seconds: 1_772_456_700)
    static let zone = 3600
    static let midnight = Timestamp(seconds: 1_772_406_000)

    /// A gate with everything wired, in normal service.
    static let door = """
        {"mode":"normal","by":"none","inputs":{"passage":false,"request-to-exit":false,"contact":false,"tamper":false,\
        "fire":null},"passages":398,"tailgating":3,"unused":11,"requests":57,"refusedRequests":2,"forced":1,"heldOpen":0}
        """
    /// A gate without inputs that an operator has locked down.
    static let lockedDoor = """
        {"mode":"locked","by":"order","since":"2026-03-02T12:31:07.000Z","seconds":2033,"inputs":{},"passages":0,\
        "tailgating":0,"unused":0,"requests":0,"refusedRequests":0,"forced":0,"heldOpen":0}
        """
    /// A gate in free passage since the day before, with its door open.
    static let freeDoor = """
        {"mode":"free","by":"order","since":"2026-03-01T21:00:00.000Z","seconds":57900,"secondsLeft":3600,\
        "inputs":{"contact":true,"request-to-exit":true},"passages":0,"tailgating":0,"unused":0,"requests":0,\
        "refusedRequests":0,"forced":0,"heldOpen":0}
        """

    /// The state of a gate that has a relay.
    static let gate = "{\"open\":false}"

    /// Returns a status report with faults, or in order.
    static func report(
        faults: Bool, door: String = Self.door, gate: String = Self.gate
    ) throws -> StatusReport {
        let found =
            faults
            ? """
            {"code":"fault.radio","severity":"error","since":"2026-03-02T12:58:00.000Z","seconds":420,"count":3,\
            "meaning":"The radio is out of order: nobody can connect.",\
            "remedy":"Look at the adapter: is it plugged in, is another program using it (bluetoothd)?",\
            "detail":"no adapter hci0 <script>alert(1)</script>"},\
            {"code":"fault.agent-unreachable","severity":"warning","since":"2026-03-02T10:05:00.000Z","seconds":10800,\
            "count":1,"meaning":"The cloud agent does not answer; records wait in the ledger.",\
            "remedy":"Look at the network and at the agent."}
            """ : ""
        let json = try JSON.parse(
            """
            {"state":"\(faults ? "fault" : "fine")","name":"North-Gate","version":"0.1.0","start":12,"uptimeSeconds":273600,
            "observed":"2026-03-02T13:05:00.000Z","silent":\(faults ? "[\"disk\"]" : "[]"),"faults":[\(found)],
            "radio":{"state":"\(faults ? "down" : "up")","openings":2,"failures":\(faults ? 3 : 0),"adapterResets":0,
            "advertisingLapses":0,"linkResets":0,"bufferResets":0,"ignoredPackets":0,"droppedPDUs":0,"phones":1,
            "refusedPhones":0,"spoiledChunks":4,"repairs":2,"controller":"Bluetooth 5.0, Cypress, 4 advertising sets"},
            "light":"ready","gate":\(gate),"door":\(door),
            "visits":{"accepted":412,"rejected":23,"failed":9,"abandoned":31},
            "reasons":{"accepted":{"ok":412},"rejected":{"validity.expired":14,"policy.<id>":9},
            "failed":{"transfer.silence":9},"abandoned":{"abandoned":31}},
            "figures":{"transferMs":{"bounds":[250,500,1000,2000,5000,10000,20000,60000,300000],
            "counts":[0,12,96,201,98,30,6,1,0,0],"sum":812345},
            "transferBytes":{"bounds":[1024,4096,16384,65536,262144,1048576],"counts":[0,120,301,23,0,0,0],"sum":4567890},
            "identifiedMs":{"bounds":[500,1000,2000,5000,10000,20000,60000,120000],"counts":[0,0,3,180,220,30,2,0,0],
            "sum":2612345},
            "decisionUs":{"bounds":[1000,2500,5000,10000,25000,50000,100000,250000,500000,1000000,5000000],
            "counts":[0,0,12,390,31,2,0,0,0,0,0,0],"sum":3456789},
            "turnUs":{"bounds":[1000,10000,100000,500000,1000000,2000000,5000000,10000000],
            "counts":[430,3,2,0,0,0,0,0,0],"sum":123456}},
            "refusedIntents":0,
            "ledger":{"id":"3b0c6c4e-0f5c-4c2f-8d9b-0d6f8f1c2a3b","entries":24680,"visits":12340,"open":1,"lostReports":0},
            \(faults ? "" : "\"disk\":{\"ledgerBytes\":18350080,\"freeBytes\":21474836480,\"totalBytes\":31268536320},")
            "clock":{"utc":"2026-03-02T13:05:00.000Z","source":"synchronised","unsynchronisedSeconds":17},
            "trust":{"version":"bundle 42 sha256:0011223344556677","issuers":3,"issued":"2026-02-20T09:00:00.000Z",
            "validUntil":"2026-04-20T09:00:00.000Z","age":"fresh","policy":"works-gate@7 sha256:0123456789abcdef",
            "policySource":"bundle","policyOrigin":"from policy.toml in bundle 42 sha256:0123456789abcdef",
            "oldest":"2026-03-02T11:40:00.000Z","refreshed":"2026-03-02T11:40:00.000Z","soonestExpiry":"2026-04-20T09:00:00.000Z"},
            "agent":[{"name":"primary","connected":true,"confirmed":24678,"waiting":2,
            "lastReceipt":"2026-03-02T13:04:52.000Z","faults":[]}],
            "sticker":null,"log":{"dropped":0}}
            """)
        return StatusReport(json)
    }

    /// Returns a day at the gate of a factory: shifts begin in the morning and at noon.
    static func day(until now: Timestamp = now) throws -> (day: DailyStatistics, records: Int) {
        var head = LedgerHead(ledger: "l", point: .genesis(ledger: "l"))
        var entries: [LedgerEntry] = []
        var records = 0
        var state: UInt64 = 7
        for minute in 5 * 60..<24 * 60 {
            for _ in 0..<crowd(minute, &state) {
                let at = midnight.advanced(by: .seconds(minute * 60 + records % 60))
                guard at < now else { continue }
                let stamp = RecordStamp(
                    kiosk: "North-Gate", boot: "b", time: WallTime(utc: at, provenance: .rtc), monotonic: .zero)
                let visit = Text("visit-\(records)")
                entries.append(try head.appendIntent(visit, stamp: stamp))
                entries.append(try head.appendOutcome(visit, outcome(records), stamp: stamp).entry)
                records += 1
            }
        }
        var day = DailyStatistics(begin: midnight, after: 0)
        for start in stride(from: 0, to: entries.count, by: 200) { day.take(Array(entries[start...].prefix(200))) }
        for minute in 4 * 60...845 {
            let isUp = !(412...419).contains(minute)
            day.look(radio(isUp ? .up : .down), at: midnight.advanced(by: .seconds(minute * 60)))
        }
        return (day, records)
    }

    /// Returns a report of which only the radio is known.
    static func radio(_ state: KioskStatus.Radio, failures: Int? = nil) -> StatusReport {
        var report = StatusReport()
        var radio = StatusReport.Radio()
        (radio.state, radio.failures) = (state, failures)
        report.radio = radio
        return report
    }

    private static func crowd(_ minute: Int, _ state: inout UInt64) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let chance = Int(state >> 33) % 100
        let most = (5 * 60 + 30..<6 * 60 + 10).contains(minute) ? 7 : (13 * 60 + 20..<14 * 60).contains(minute) ? 5 : 1
        return most == 1 ? (chance < 25 ? 1 : 0) : chance * (most + 1) / 100
    }

    private static func outcome(_ number: Int) -> Outcome {
        let software = Outcome.Software(name: "gatehouse", version: "0")
        func ending(_ result: Outcome.Result, _ codes: Text...) -> Outcome {
            Outcome(
                result, reasons: codes.map { Outcome.Reason($0) },
                gate: result == .accepted ? .pulsed(milliseconds: 200) : .shut, software: software)
        }
        return switch number % 40 {
        case 7: ending(.rejected, "validity.expired")
        case 19: ending(.rejected, "policy.day-shift")
        case 23: ending(.rejected, "issuer.untrusted")
        case 31: ending(.failed, "transfer.TVV_UNK_001", "transfer.silence")
        default: ending(.accepted, "ok")
        }
    }
}
