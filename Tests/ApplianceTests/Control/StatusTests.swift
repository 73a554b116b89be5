import Administration
import Credentials
import Encoding
import Kiosk
import Monitoring
import Observation
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
        _ parts: [StatusPart] = [], within limit: Duration = .seconds(30),
        opens: Bool = true,
        kiosk: @escaping @Sendable () async -> KioskStatus
    ) -> StatusDesk {
        StatusDesk(
            StatusDesk.Identity(
                name: "North", version: "1.2.3", start: 7, since: at(4), configuration: "00ff", opens: opens),
            kiosk: kiosk, parts: parts, within: limit,
            now: { (at(100), Timestamp(seconds: 1_767_225_600)) })
    }

    @Test(.tags(.realTime)) func everythingInOrder() async throws {
        let kiosk = try status([], at: at(100))
        let clock = StatusPart(\.clock) { StatusReport.Clock(["source": "rtc"]) }
        let report = await desk([clock], kiosk: { kiosk }).report()
        #expect(report.state == .fine && report.name == "North" && report.start == 7)
        #expect(report.uptime == 96 && report.configuration == "00ff")
        #expect(report.faults == [] && report.silent == [])
        #expect(report.radio?.state == .down && report.clock?.source == .rtc)
        #expect(report.gate??.isOpen == false && report.radio?.advertisingLapses == 0)
        let judging = await desk(opens: false, kiosk: { kiosk }).report()
        #expect(judging.gate == .some(nil), "a box that opens nothing")
        #expect(StatusReport(report.json) == report && StatusReport(judging.json) == judging)
    }

    @Test(.tags(.realTime)) func faultsStandInTheirOrderWithAgeAndRemedy() async throws {
        let kiosk = try status([.agentUnreachable, .ledgerLost], at: at(100))
        let report = await desk(kiosk: { kiosk }).report()
        #expect(report.state == .attention)
        let faults = report.faults ?? []
        #expect(faults.map(\.code) == ["fault.ledger-lost", "fault.agent-unreachable"])
        #expect(faults.first?.seconds == 90)
        #expect(faults.first?.since == Timestamp(rfc3339: "2025-12-31T23:58:30.000Z"))
        #expect(faults.first?.detail == "for a reason")
        #expect(faults.first?.remedy == ReasonCode.ledgerLost.remedy)
        let stuck = try status([.agentUnreachable, .gateStuck], at: at(100))
        #expect(await desk(kiosk: { stuck }).report().state == .fault)
    }

    /// The cause of a lock-down and its beginning: repeating the same order does not change the beginning,
    /// another cause does.
    @Test(.tags(.realTime)) func aLockDownIsToldWithItsBeginning() async throws {
        var kiosk = Kiosk(settings: KioskSettings(name: try .init("Status"), softwareVersion: "test"), at: .zero)
        func door() async -> StatusReport.Door? {
            let status = kiosk.status(at: at(100))
            let report = await desk(kiosk: { status }).report()
            #expect(report.state == .fine)
            return report.door
        }
        #expect(await door()?.since == nil)
        _ = kiosk.handle(.door(.schedule(.locked, until: at(60))), at: at(30))
        _ = kiosk.handle(.door(.order(.lock)), at: at(40))
        _ = kiosk.handle(.door(.order(.lock)), at: at(70))
        let locked = await door()
        #expect(locked?.mode == .locked && locked?.cause == .order && locked?.seconds == 60)
        #expect(locked?.since == Timestamp(rfc3339: "2025-12-31T23:59:00.000Z"))
        _ = kiosk.handle(.door(.order(.none)), at: at(90))
        let scheduled = await door()
        #expect(scheduled?.cause == .schedule && scheduled?.seconds == 10)
        _ = kiosk.handle(.door(.schedule(.normal, until: at(120))), at: at(95))
        let over = await door()
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

    @Test(.timeLimit(.minutes(1)), .tags(.realTime)) func whatIsStuckIsNamed() async throws {
        let kiosk = try status([], at: at(100))
        let forever: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(3600)) }
        // Long enough for the parts that answer.
        let limit = Duration.seconds(1)
        let parts = [
            StatusPart(\.ledger) {
                await forever()
                return StatusReport.Ledger(["visits": 1])
            }, StatusPart(\.log) { StatusReport.Log(["dropped": 3]) },
        ]
        let report = await desk(parts, within: limit, kiosk: { kiosk }).report()
        #expect(report.state == .attention && report.silent == ["ledger"])
        #expect(report.ledger == nil && report.log?.dropped == 3)

        let silent = await desk(
            parts, within: limit,
            kiosk: {
                await forever(); return kiosk
            }
        ).report()
        #expect(silent.state == .fault && silent.silent == ["radio", "ledger"])
        #expect(silent.radio == nil && silent.log?.dropped == 3)
    }

    /// A caller that asks repeatedly while a part is stuck does not pile up questions.
    @Test(.timeLimit(.minutes(1)), .tags(.realTime)) func atMostOneQuestionWaits() async throws {
        let asked = Mutex(0)
        let (stream, release) = AsyncStream.makeStream(of: Void.self)
        let question = TimedQuestion<Int> {
            let number = asked.withLock { asked in
                asked += 1
                return asked
            }
            for await _ in stream { break }
            return number
        }
        for _ in 0..<20 { #expect(await question.answer(within: .milliseconds(5)) == nil) }
        #expect(asked.withLock { $0 } == 1)
        async let patient = question.answer(within: .seconds(50))
        async let another = question.answer(within: .seconds(50))
        try await Task.sleep(for: .milliseconds(20))
        release.yield()
        #expect(await [patient, another] == [1, 1])
        release.finish()
        #expect(await question.answer(within: .seconds(50)) == 2)
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
