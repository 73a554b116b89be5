import Administration
import Clocks
import Encoding
import Kiosk
import Monitoring
import Observation
import Reasons
import Synchronization
import TestKit
import Testing
import Tuvali
import VirtualKit

private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

/// Returns the status of a kiosk with these faults, at an instant.
private func status(_ faults: [ReasonCode], at now: Instant) throws -> KioskStatus {
    var kiosk = Kiosk(settings: KioskSettings(name: try .init("Status"), softwareVersion: "test"), at: .zero)
    for code in faults { _ = kiosk.handle(.health(.present(code, detail: "for a reason")), at: at(10)) }
    return kiosk.status(at: now)
}

/// The answer of `gatehouse status`, which no stuck part delays.
@Suite struct StatusTests {
    private func router(
        _ parts: [StatusPart] = [], opens: Bool = true, by time: VirtualTime,
        kiosk: @escaping @Sendable () async -> KioskStatus
    ) -> StatusReporter {
        StatusReporter(
            StatusReporter.Identity(
                name: "North", version: "1.2.3", start: 7, since: at(4), configuration: "00ff", opens: opens),
            clock: time.clock, spawner: time.spawner, kiosk: kiosk, parts: parts,
            now: { (at(100), Timestamp(seconds: 1_767_225_600)) })
    }

    @Test func everythingInOrder() throws {
        let kiosk = try status([], at: at(100))
        let clock = StatusPart(\.clock) { StatusReport.Clock(["source": "rtc"]) }
        let report = try VirtualTime.run { await router([clock], by: $0, kiosk: { kiosk }).report() }
        #expect(report.state == .fine && report.name == "North" && report.start == 7)
        #expect(report.uptime == 96 && report.configuration == "00ff")
        #expect(report.faults == [] && report.silent == [])
        #expect(report.radio?.state == .down && report.clock?.source == .rtc)
        #expect(report.gate??.isOpen == false && report.radio?.advertisingLapses == 0)
        let judging = try VirtualTime.run { await router(opens: false, by: $0, kiosk: { kiosk }).report() }
        #expect(judging.gate == .some(nil), "a box that opens nothing")
        #expect(StatusReport(report.json) == report && StatusReport(judging.json) == judging)
    }

    @Test func faultsAreInTheirOrderWithAgeAndRemedy() throws {
        let kiosk = try status([.agentUnreachable, .ledgerLost], at: at(100))
        let report = try VirtualTime.run { await router(by: $0, kiosk: { kiosk }).report() }
        #expect(report.state == .attention)
        let faults = report.faults ?? []
        #expect(faults.map(\.code) == ["fault.ledger-lost", "fault.agent-unreachable"])
        #expect(faults.first?.seconds == 90)
        #expect(faults.first?.since == Timestamp(rfc3339: "2025-12-31T23:58:30.000Z"))
        #expect(faults.first?.detail == "for a reason")
        #expect(faults.first?.remedy == ReasonCode.ledgerLost.remedy)
        let stuck = try status([.agentUnreachable, .gateStuck], at: at(100))
        let worse = try VirtualTime.run { await router(by: $0, kiosk: { stuck }).report() }
        #expect(worse.state == .fault)
    }

    /// The cause of a lock-down and its beginning: repeating the same order does not change the beginning,
    /// another cause does.
    @Test func aLockDownIsReportedWithItsBeginning() throws {
        var kiosk = Kiosk(settings: KioskSettings(name: try .init("Status"), softwareVersion: "test"), at: .zero)
        func door() throws -> StatusReport.Door? {
            let status = kiosk.status(at: at(100))
            let report = try VirtualTime.run { await router(by: $0, kiosk: { status }).report() }
            #expect(report.state == .fine)
            return report.door
        }
        #expect(try door()?.since == nil)
        _ = kiosk.handle(.door(.schedule(.locked, until: at(60))), at: at(30))
        _ = kiosk.handle(.door(.order(.lock)), at: at(40))
        _ = kiosk.handle(.door(.order(.lock)), at: at(70))
        let locked = try door()
        #expect(locked?.mode == .locked && locked?.cause == .order && locked?.seconds == 60)
        #expect(locked?.since == Timestamp(rfc3339: "2025-12-31T23:59:00.000Z"))
        _ = kiosk.handle(.door(.order(.none)), at: at(90))
        let scheduled = try door()
        #expect(scheduled?.cause == .schedule && scheduled?.seconds == 10)
        _ = kiosk.handle(.door(.schedule(.normal, until: at(120))), at: at(95))
        let over = try door()
        #expect(over?.mode == .normal && over?.since == nil)
    }

    /// Metrics and page show every mode, cause, input and light of the kiosk by name.
    @Test func everyModeCauseInputAndLightIsShown() {
        func isShown(_ report: StatusReport, _ sample: String) -> Bool {
            Metric.exposition(of: report).contains("\n\(sample) 1\n")
        }
        func report(_ change: (inout StatusReport.Door) -> Void) -> StatusReport {
            var report = StatusReport()
            var door = StatusReport.Door()
            change(&door)
            report.door = door
            return report
        }
        for mode in DoorMode.allCases {
            let report = report { ($0.mode, $0.cause) = (mode, .order) }
            #expect(isShown(report, "gatehouse_door_mode{mode=\"\(mode.rawValue)\"}"))
            #expect((DoorWords(report.door).mode == nil) == (mode == .normal))
        }
        for cause in DoorCause.allCases {
            let report = report { ($0.mode, $0.cause) = (.locked, cause) }
            #expect(isShown(report, "gatehouse_door_cause{cause=\"\(cause.rawValue)\"}"))
            #expect(DoorWords(report.door).mode?.hasPrefix("locked down by ") == (cause != .none), "\(cause)")
        }
        for input in DoorInput.allCases {
            let report = report { $0.inputs = [input: true] }
            #expect(isShown(report, "gatehouse_door_input_active{input=\"\(input.rawValue)\"}"))
            #expect(DoorWords(report.door).inputs.count == 1, "\(input)")
        }
        for pattern in IndicatorPattern.allCases {
            var report = StatusReport()
            report.light = pattern
            #expect(isShown(report, "gatehouse_light{pattern=\"\(pattern.rawValue)\"}"), "\(pattern)")
        }
    }

    /// A part that does not answer is named after its time limit, and the report has what the others answered.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func stuckPartsAreNamed(seed: UInt64) throws {
        let kiosk = try status([], at: at(100))
        try VirtualTime.run(seed: seed) { time in
            let parts = [
                StatusPart(\.ledger) {
                    try? await time.clock.sleep(for: .seconds(3600))
                    return StatusReport.Ledger(["visits": 1])
                }, StatusPart(\.log) { StatusReport.Log(["dropped": 3]) },
            ]
            let began = time.now
            let report = await router(parts, by: time, kiosk: { kiosk }).report()
            #expect(began.duration(to: time.now) == ControlRouter.partLimit)
            #expect(report.state == .attention && report.silent == ["ledger"])
            #expect(report.ledger == nil && report.log?.dropped == 3)
            let silent = await router(
                parts, by: time,
                kiosk: {
                    try? await time.clock.sleep(for: .seconds(3600))
                    return kiosk
                }
            ).report()
            #expect(began.duration(to: time.now) == ControlRouter.partLimit * 2, "all have the same limit")
            #expect(silent.state == .fault && silent.silent == ["radio", "ledger"])
            #expect(silent.radio == nil && silent.log?.dropped == 3)
        }
    }

    /// A caller that asks repeatedly while a part is stuck does not pile up questions.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func atMostOneQuestionWaits(seed: UInt64) throws {
        try VirtualTime.run(seed: seed) { time in
            let asked = Mutex(0)
            let question = TimedQuery<Int>(by: time.clock, time.spawner) {
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
@Suite struct ControlRouterTests {
    private func answer(_ line: String) async throws -> JSON {
        var router = ControlRouter()
        router.take(.status) { (members) throws(ControlRefusal) in
            if members["fail"] != nil { throw ControlRefusal("no", remedy: "yes") }
            return ["members": .int(members.count)]
        }
        return try JSON.parse(await router.answer(Array(line.utf8)))
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

    @Test func aRequestWithoutAnAnswer() async throws {
        let answer = try JSON.parse(await ControlRouter().answer(Array(#"{"request":"status"}"#.utf8)))
        #expect(
            answer["error"]?.string?.string.contains("is waiting for its ledger") == true && answer["remedy"] != nil)
    }

    /// A user who may read the status may not change anything.
    @Test(arguments: ControlRequest.allCases) func changesNeedMore(_ request: ControlRequest) async throws {
        var router = ControlRouter()
        router.take(request) { _ in 1 }
        #expect(try JSON.parse(await router.answer(request.line([]))) == ["answer": 1])
        let looking = try JSON.parse(await router.answer(request.line([]), mayChange: false))
        let changing: [ControlRequest] = [
            .restart, .doorLock, .doorFree, .doorRelease, .agentConnect, .agentDelete, .agentPing,
            .agentAnswer,
        ]
        let isRefused = changing.contains(request)
        #expect((looking["error"] != nil) == isRefused && (looking["remedy"] != nil) == isRefused)
    }
}
