import Encoding
import Testing

@testable import Aries

/// Reports as basicmessages, for agents that do not support entries.
@Suite struct MessageDeliveryTests {
    private typealias Harness = DeliveryHarness

    private static let alive = ReportSettings(format: .basicmessage)
    private static let controller = ReportSettings(format: .basicmessage, confirm: .controller)
    private static let several = ReportSettings(format: .several)

    private func connected(_ settings: ReportSettings, entries: Int = 0) -> Harness {
        let harness = Harness(settings, entries: entries)
        harness.feed(.connected)
        return harness
    }

    @Test func anAgentWithoutTheProtocolGetsOneMessageForEachReport() {
        let harness = Harness(entries: 9)
        harness.peer.discloses = false
        harness.feed(.connected)
        harness.run(for: .seconds(5))
        #expect(harness.messages.map(\.message.name) == ["query"] + [Text](repeating: "message", count: 6))
        #expect(harness.carriers.map(\.id) == harness.reportPositions.map { Text("report-\($0)") })
        let content = harness.carriers[0].members.first { $0.name == "content" }?.value.string
        #expect(content.map { $0.string } == harness.entries[1].report?.compactText)
        #expect(harness.carriers[0].members.contains(.init("sent_time", "2026-01-02T03:04:05.678Z")))
        #expect(harness.cursor == 9 && harness.seen.first { $0 != .silent } != nil)
    }

    @Test func anAgentThatAnswersPingsButNoQuestionHasNotTheProtocol() {
        let harness = Harness(entries: 3)
        harness.peer.isAlive = false
        harness.feed(.connected)
        harness.run(for: .seconds(9))
        #expect(harness.messages.count == 1)
        harness.peer.isAlive = true
        harness.run(for: .seconds(10))
        #expect(harness.delivery.way?.form == .single && harness.cursor == 3)
    }

    @Test func after32ReportsAPingAsks() {
        let harness = connected(Self.alive, entries: 150)
        #expect(harness.carriers.count == 100 && harness.pings.count == 3)
        let cursors = harness.seen.compactMap {
            if case .confirmed(let point, .alive) = $0 { point.position } else { nil }
        }
        #expect(cursors == [48, 96, 144])
        harness.run(for: .seconds(5))
        #expect(harness.cursor == 150 && harness.pings.count == 4)
        #expect(harness.peer.reports.values.allSatisfy { $0 == 1 } && !harness.isEndless)
    }

    @Test func aReportGoesAtOnceAndIsConfirmedWithinSeconds() {
        let harness = connected(Self.alive)
        harness.grow(1)
        #expect(harness.messages.isEmpty)  // an intent is no report
        harness.grow(1)
        #expect(harness.carriers.map(\.id) == ["report-2"] && harness.pings.isEmpty)
        harness.run(for: .milliseconds(4999))
        #expect(harness.cursor == 0)
        harness.run(for: .milliseconds(1))
        #expect(harness.cursor == 2 && harness.pings.count == 1)
        #expect(harness.delivery.deadline == nil)
    }

    @Test func anAnswerToAnOlderPingConfirmsOnlyWhatWasBeforeIt() {
        let harness = connected(Self.alive)
        harness.peer.isAlive = false
        harness.grow(2)
        harness.feed(.pinged("early"))
        harness.feed(.sent("report-2"))
        harness.feed(.pong("unknown"))
        #expect(harness.cursor == 0)
        harness.grow(1)
        harness.feed(.pong("early"))
        #expect(harness.cursor == 2)
        harness.feed(.pong("early"))
        #expect(harness.cursor == 2)
        harness.peer.isAlive = true
        harness.run(for: .seconds(30))
        #expect(harness.cursor == 3)
    }

    /// The agent deleted the connection: HTTP accepts everything, and no answer ever arrives.
    @Test func unconfirmedReportsAreSentAgain() {
        let harness = connected(Self.alive, entries: 6)
        harness.run(for: .seconds(5))
        harness.peer.isAlive = false
        harness.grow(60)
        harness.run(for: .seconds(60))
        #expect(harness.seen.last == .silent && harness.cursor == 6)
        let lost = harness.carriers.dropFirst(4)
        #expect(lost.count == 32)
        harness.grow(30)
        harness.run(for: .seconds(86_400))
        #expect(harness.carriers.count == 36)
        harness.peer.isAlive = true
        harness.run(for: .seconds(1000))
        #expect(harness.cursor == 96 && !harness.isEndless)
        #expect(harness.peer.order == harness.reportPositions.map { Text("report-\($0)") })
        #expect(Array(lost) == Array(harness.carriers.dropFirst(36).prefix(32)))
    }

    @Test func theControllersAcknowledgementConfirmsInOrder() {
        let harness = connected(Self.controller, entries: 9)
        #expect(harness.carriers.count == 6 && harness.cursor == 0)
        harness.feed(.acknowledged(["report-3", "report-6", "report-1000", "nonsense"]))
        #expect(harness.cursor == 0)
        harness.feed(.acknowledged(["report-2"]))
        #expect(harness.cursor == 3)
        harness.feed(.acknowledged(["report-5", "report-8", "report-9"]))
        #expect(harness.cursor == 9)
        #expect(harness.seen.last == .confirmed(Harness.point(9), by: .controller))
        harness.feed(.acknowledged(["report-9"]))
        harness.run(for: .seconds(3600))
        #expect(harness.carriers.count == 6 && harness.pings.isEmpty && !harness.isEndless)
    }

    @Test func aPongIsNotTheControllersAcknowledgement() {
        let harness = connected(Self.controller, entries: 9)
        harness.feed(.acknowledged(["report-2"]))
        harness.run(for: .seconds(25))
        #expect(harness.seen.last == .held(.unconfirmed) && harness.cursor == 2)
        harness.run(for: .seconds(11))
        #expect(harness.carriers.count == 6 + 5)
        harness.feed(.acknowledged(harness.reportPositions.map { Text("report-\($0)") }))
        #expect(harness.cursor == 9 && harness.seen.last == .released)
    }

    @Test func atMost256ReportsWaitForTheController() {
        let harness = connected(Self.controller, entries: 3000)
        #expect(harness.carriers.count == 256)
    }

    @Test func anAcknowledgementConfirmsNothingWherePingsCount() {
        let harness = connected(Self.alive, entries: 3)
        harness.feed(.acknowledged(["report-2", "report-3"]))
        #expect(harness.cursor == 0)
    }

    @Test func severalReportsGoInOneMessage() throws {
        let harness = connected(Self.several, entries: 600)
        #expect(harness.cursor == 600 && harness.carriers.count == 3)
        let content = harness.carriers[0].members.first { $0.name == "content" }?.value.string
        let json = try JSON.parse(try #require(content).string)
        #expect(json["type"] == "verification-report/1.0/reports" && json["reports"]?.array?.first?["id"] == "report-2")
        #expect(harness.peer.order == harness.reportPositions.map { Text("report-\($0)") })
        harness.grow(3)
        harness.run(for: .milliseconds(4999))
        #expect(harness.cursor == 600)
        harness.run(for: .seconds(10))
        #expect(harness.cursor == 603 && harness.carriers.count == 4)
    }

    @Test func aReportThatIsRefusedAloneIsSetAside() {
        let harness = Harness(Self.alive, entries: 12)
        harness.peer.refuses = { $0.id == "report-5" }
        harness.feed(.connected)
        harness.run(for: .seconds(20))
        #expect(harness.cursor == 12 && harness.peer.reports["report-5"] == nil && harness.peer.reports.count == 7)
        #expect(harness.seen.filter { $0 == .setAside(5) }.count == 1)
        #expect(harness.peer.reports.values.allSatisfy { $0 == 1 })
    }

    @Test func aSetAsideReportIsNoConfirmation() {
        let harness = Harness(Self.controller, entries: 6)
        harness.peer.refuses = { $0.id == "report-3" }
        harness.feed(.connected)
        #expect(harness.cursor == 0 && harness.peer.order == ["report-2", "report-5", "report-6"])
        harness.feed(.acknowledged(["report-2"]))
        #expect(
            harness.seen.suffix(3) == [
                .confirmed(Harness.point(2), by: .controller), .setAside(3), .confirmed(Harness.point(3), by: nil),
            ])
    }

    @Test func aMessageThatDidNotGetThroughIsSentAgain() {
        let harness = connected(Self.alive)
        harness.peer.isUp = false
        harness.grow(3)
        #expect(harness.carriers.count == 1)
        harness.run(for: .seconds(86_400))
        #expect(harness.carriers.count == 1)
        harness.comeBack()
        harness.run(for: .seconds(10))
        #expect(harness.cursor == 3)
        harness.peer.isUp = false
        harness.grow(3)
        harness.peer.isUp = true
        harness.feed(.failed("report-5", .uncertain))
        harness.run(for: .seconds(10))
        #expect(harness.cursor == 6 && harness.peer.reports.count == 4)
    }
}
