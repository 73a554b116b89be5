import Administration
import Clocks
import Credentials
import Encoding
import Kiosk
import Monitoring
import Observation
import Simulation
import Synchronization
import TestKit
import Testing
import Tuvali

private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

/// Returns the status of a kiosk with these faults, at an instant.
private func status(_ faults: [ReasonCode], at now: Instant) throws -> KioskStatus {
    var kiosk = Kiosk(settings: KioskSettings(name: try .init("Status"), softwareVersion: "test"), at: .zero)
    for code in faults { _ = kiosk.handle(.health(.present(code, detail: "for a reason")), at: at(10)) }
    return kiosk.status(at: now)
}

/// The answer of `gatehouse status`, which no stuck part delays.
@Suite struct StatusTests {
    private func desk(
        _ parts: [(name: Text, tell: @Sendable () async -> JSON)] = [], opens: Bool = true, by time: VirtualTime,
        kiosk: @escaping @Sendable () async -> KioskStatus
    ) -> StatusDesk {
        StatusDesk(
            StatusDesk.Identity(
                name: "North", version: "1.2.3", start: 7, since: at(4), configuration: "00ff", opens: opens),
            clock: time.clock, spawner: time.spawner, kiosk: kiosk, parts: parts,
            now: { (at(100), Timestamp(seconds: 1_767_225_600)) })
    }

    @Test func everythingInOrder() throws {
        let kiosk = try status([], at: at(100))
        let report = try VirtualTime.run { time in
            await desk([("clock", { ["source": "rtc"] })], by: time, kiosk: { kiosk }).report()
        }
        #expect(report["state"]?.string == "fine" && report["name"]?.string == "North" && report["start"]?.int == 7)
        #expect(report["uptimeSeconds"]?.int == 96 && report["configuration"]?.string == "00ff")
        #expect(report["faults"]?.array?.isEmpty == true && report["silent"]?.array?.isEmpty == true)
        #expect(report["radio"]?["state"]?.string == "down" && report["clock"]?["source"]?.string == "rtc")
        #expect(report["gate"]?["open"]?.bool == false && report["radio"]?["advertisingLapses"]?.int == 0)
        let judging = try VirtualTime.run { await desk(opens: false, by: $0, kiosk: { kiosk }).report() }
        #expect(judging["gate"] == .null, "a box that opens nothing")
    }

    @Test func faultsStandInTheirOrderWithAgeAndRemedy() throws {
        let kiosk = try status([.agentUnreachable, .ledgerLost], at: at(100))
        let report = try VirtualTime.run { await desk(by: $0, kiosk: { kiosk }).report() }
        #expect(report["state"]?.string == "attention")
        let faults = report["faults"]?.array ?? []
        #expect(faults.map { $0["code"]?.string } == ["fault.ledger-lost", "fault.agent-unreachable"])
        #expect(faults.first?["seconds"]?.int == 90)
        #expect(faults.first?["since"]?.string == "2025-12-31T23:58:30.000Z")
        #expect(faults.first?["detail"]?.string == "for a reason")
        #expect(faults.first?["remedy"]?.string == Text(ReasonCode.ledgerLost.remedy))
        let stuck = try status([.agentUnreachable, .gateStuck], at: at(100))
        let worse = try VirtualTime.run { await desk(by: $0, kiosk: { stuck }).report() }
        #expect(worse["state"]?.string == "fault")
    }

    /// The cause of a lock-down and its beginning: repeating the same order does not change the beginning,
    /// another cause does.
    @Test func aLockDownIsToldWithItsBeginning() throws {
        var kiosk = Kiosk(settings: KioskSettings(name: try .init("Status"), softwareVersion: "test"), at: .zero)
        func door() throws -> JSON? {
            let status = kiosk.status(at: at(100))
            let report = try VirtualTime.run { await desk(by: $0, kiosk: { status }).report() }
            #expect(report["state"]?.string == "fine")
            return report["door"]
        }
        #expect(try door()?["since"] == nil)
        _ = kiosk.handle(.door(.schedule(.locked, until: at(60))), at: at(30))
        _ = kiosk.handle(.door(.order(.lock)), at: at(40))
        _ = kiosk.handle(.door(.order(.lock)), at: at(70))
        let locked = try door()
        #expect(locked?["mode"] == "locked" && locked?["by"] == "order" && locked?["seconds"]?.int == 60)
        #expect(locked?["since"]?.string == "2025-12-31T23:59:00.000Z")
        _ = kiosk.handle(.door(.order(.none)), at: at(90))
        let scheduled = try door()
        #expect(scheduled?["by"] == "schedule" && scheduled?["seconds"]?.int == 10)
        _ = kiosk.handle(.door(.schedule(.normal, until: at(120))), at: at(95))
        let over = try door()
        #expect(over?["mode"] == "normal" && over?["since"] == nil)
    }

    /// Metrics and page show every mode, cause, input and light of the kiosk by name.
    @Test func everyModeCauseInputAndLightIsShown() {
        func isShown(_ report: JSON, _ sample: String) -> Bool {
            Metric.exposition(of: report).contains("\n\(sample) 1\n")
        }
        for mode in DoorMode.allCases {
            let door: JSON = ["mode": .text(mode.rawValue), "by": "order"]
            #expect(isShown(["door": door], "gatehouse_door_mode{mode=\"\(mode.rawValue)\"}"))
            #expect((DoorWords(door).mode == nil) == (mode == .normal))
        }
        for cause in DoorCause.allCases {
            let door: JSON = ["mode": "locked", "by": .text(cause.rawValue)]
            #expect(isShown(["door": door], "gatehouse_door_cause{cause=\"\(cause.rawValue)\"}"))
            #expect(DoorWords(door).mode?.hasPrefix("locked down by ") == (cause != .none), "\(cause)")
        }
        for input in DoorInput.allCases {
            let door: JSON = ["inputs": .object(JSONObject([.init(Text(input.rawValue), true)]))]
            #expect(isShown(["door": door], "gatehouse_door_input_active{input=\"\(input.rawValue)\"}"))
            #expect(DoorWords(door).inputs.count == 1, "\(input)")
        }
        for pattern in IndicatorPattern.allCases {
            #expect(
                isShown(["light": .text(pattern.rawValue)], "gatehouse_light{pattern=\"\(pattern.rawValue)\"}"),
                "\(pattern)")
        }
    }

    /// A part that does not answer is named after its time limit, and the report has what the others answered.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func whatIsStuckIsNamed(seed: UInt64) throws {
        let kiosk = try status([], at: at(100))
        try VirtualTime.run(seed: seed) { time in
            let parts: [(name: Text, tell: @Sendable () async -> JSON)] = [
                (
                    "ledger",
                    {
                        try? await time.clock.sleep(for: .seconds(3600))
                        return ["visits": 1]
                    }
                ), ("log", { ["dropped": 3] }),
            ]
            let began = time.now
            let report = await desk(parts, by: time, kiosk: { kiosk }).report()
            #expect(began.duration(to: time.now) == ControlDesk.partLimit)
            #expect(report["state"]?.string == "attention" && report["silent"]?.array == ["ledger"])
            #expect(report["ledger"] == nil && report["log"]?["dropped"]?.int == 3)
            let silent = await desk(
                parts, by: time,
                kiosk: {
                    try? await time.clock.sleep(for: .seconds(3600))
                    return kiosk
                }
            ).report()
            #expect(began.duration(to: time.now) == ControlDesk.partLimit * 2, "all have the same limit")
            #expect(silent["state"]?.string == "fault" && silent["silent"]?.array == ["radio", "ledger"])
            #expect(silent["radio"] == nil && silent["log"]?["dropped"]?.int == 3)
        }
    }

    /// A caller that asks repeatedly while a part is stuck does not pile up questions.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func atMostOneQuestionWaits(seed: UInt64) throws {
        try VirtualTime.run(seed: seed) { time in
            let asked = Mutex(0)
            let question = TimedQuestion<Int>(by: time.clock, time.spawner) {
                let number = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                if number == 1 { try? await time.clock.sleep(for: .seconds(60)) }
                return number
            }
            for _ in 0..<20 { #expect(await question.answer(within: .seconds(1)) == nil) }
            #expect(asked.withLock { $0 } == 1)
            async let patient = question.answer(within: .seconds(50))
            async let another = question.answer(within: .seconds(50))
            #expect(await [patient, another] == [1, 1])
            #expect(await question.answer(within: .seconds(50)) == 2)
        }
    }
}

/// Requests to the control desk, as lines.
@Suite struct ControlDeskTests {
    private func answer(_ line: String) async throws -> JSON {
        var desk = ControlDesk()
        desk.take(.status) { (members) throws(ControlRefusal) in
            if members["fail"] != nil { throw ControlRefusal("no", remedy: "yes") }
            return ["members": .int(members.count)]
        }
        return try JSON.parse(await desk.answer(Array(line.utf8)))
    }

    @Test func aRequestIsAnswered() async throws {
        #expect(try await answer(#"{"request":"status","more":1}"#) == ["answer": ["members": 1]])
        #expect(try await answer(#"{"request":"status","fail":true}"#) == ["error": "no", "remedy": "yes"])
    }

    @Test(arguments: [
        "", "status", "[]", "{}", #"{"request":1}"#, #"{"request":"fly"}"#, #"{"request":"status","request":"status"}"#,
        #"{"request":"status"#, "\u{0}", #"{"a":{"b":{"c":{"d":{"e":{}}}}},"request":"status"}"#,
    ])
    func anythingElseIsRefusedWithARemedy(_ line: String) async throws {
        let answer = try await answer(line)
        #expect(answer["answer"] == nil && answer["error"]?.string != nil && answer["remedy"]?.string != nil)
    }

    @Test func aRequestThatNobodyAnswers() async throws {
        let answer = try JSON.parse(await ControlDesk().answer(Array(#"{"request":"status"}"#.utf8)))
        #expect(answer["error"]?.string?.string.contains("waits for its ledger") == true && answer["remedy"] != nil)
    }

    /// A user who may read the status may not change anything.
    @Test(arguments: ControlRequest.allCases) func changesNeedMore(_ request: ControlRequest) async throws {
        var desk = ControlDesk()
        desk.take(request) { _ in 1 }
        #expect(try JSON.parse(await desk.answer(request.line([]))) == ["answer": 1])
        let looking = try JSON.parse(await desk.answer(request.line([]), mayChange: false))
        let changing: [ControlRequest] = [
            .restart, .doorLock, .doorFree, .doorRelease, .agentConnect, .agentDelete, .agentPing,
        ]
        let isRefused = changing.contains(request)
        #expect((looking["error"] != nil) == isRefused && (looking["remedy"] != nil) == isRefused)
    }
}
