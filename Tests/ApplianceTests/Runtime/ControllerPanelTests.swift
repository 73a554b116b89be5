import Encoding
import Kiosk
import LinuxIO
import Reasons
import Settings
import TestKit
import Testing

@testable import Features
@testable import GateService

/// A gate controller is notified of the visitors for whom the gate is opened, and of no others.
@Suite(.tags(.realTime)) struct ControllerPanelTests {
    private let relayLine = TestLines()
    private let wires = TestLines()
    private let sent = Recorder<WiegandOutput.Sent>()
    private let watch = OpeningWatch(sendsFrames: true)

    private func controller() throws -> WiegandOutput {
        let frame = try #require(WiegandFrame(.h10301, facility: 90, card: 324))
        let marks = watch.newMarks(at: SystemClock.now())
        return try WiegandOutput(
            wires.bank(), wires: ("D0", "D1"), bits: frame.bits, timing: WiegandTiming(interval: .microseconds(200)),
            sending: { marks.tries($0) },
            sent: { [sent] news, begun in
                marks.frame(isSent: news != .lost, begun: begun)
                sent.add(news)
            }, failed: { _ in })
    }

    private func open(_ panel: LinePanel, for time: Duration = .seconds(4)) {
        let now = SystemClock.now()
        panel.gate(.open(until: now.advanced(by: time)), at: now)
        panel.admit(until: now.advanced(by: time), at: now)
    }

    @Test func oneCardForEachOpening() async throws {
        let panel = LinePanel(
            [:], lamps: nil,
            relay: try Relay(relayLine.bank(), line: "gate") { _ in }, controller: try controller(), watch: watch)
        panel.show(Signal([.green]))
        panel.gate(.shut, at: SystemClock.now())
        for number in 1...2 {
            open(panel)
            #expect(await becomesTrue { sent.count == number })
            #expect(wires.spans("D0").count == 19 * number && wires.spans("D1").count == 7 * number)
            panel.show(Signal([.red]))
            panel.gate(.shut, at: SystemClock.now())
        }
        #expect(relayLine.wasActive("gate") && panel.end(within: .seconds(5)))
        #expect(sent.count == 2 && wires.active.isEmpty)
    }

    @Test func withoutARelayAndNeverLate() async throws {
        let panel = LinePanel(
            [:], lamps: nil, relay: nil, controller: try controller(),
            watch: watch)
        let began = SystemClock.now()
        open(panel, for: .zero)
        #expect(await becomesTrue { sent.count == 1 })
        let late = OpeningOrder(from: began, until: SystemClock.now())
        #expect(await becomesTrue { panel.opening(late, at: late.until) == .never })
        #expect(sent.all == [.lost])
        #expect(!wires.wasActive("D0") && !wires.wasActive("D1"))
        let order = OpeningOrder(from: SystemClock.now(), until: SystemClock.now().advanced(by: .seconds(60)))
        open(panel)
        #expect(await becomesTrue { sent.count == 2 })
        #expect(await becomesTrue { panel.opening(order, at: order.from) == .over(.zero) } && panel.opens)
        #expect(wires.spans("D0").count == 19)
        #expect(panel.end(within: .seconds(5)))
    }

    @Test("a frame under way is waited for, however long a wire hangs")
    func aWireThatHangs() async throws {
        let panel = LinePanel(
            [:], lamps: nil, relay: nil, controller: try controller(),
            watch: watch)
        let order = OpeningOrder(from: SystemClock.now(), until: SystemClock.now().advanced(by: .seconds(60)))
        wires.hangs(true)
        open(panel)
        #expect(await becomesTrue { wires.isHanging })
        #expect(panel.opening(order, at: order.until.advanced(by: .seconds(3600))) == .lasting)
        wires.hangs(false)
        #expect(await becomesTrue { panel.opening(order, at: order.from) == .over(.zero) })
        #expect(wires.spans("D0").count == 19 && panel.end(within: .seconds(30)))
    }

    /// The result of each frame is reported: a controller that got no frame opens for no visitor.
    @Test func aFrameThatIsNotSentIsAFault() async throws {
        let text =
            "[kiosk]\nname = \"G\"\n[gpio]\nchip = \"c\"\n"
            + "[wiegand]\ndata0 = \"D0\"\ndata1 = \"D1\"\nfacility = 90\ncard = 324\n"
        let configuration = try Configuration.parse(Array(text.utf8), file: "a.toml", folder: "/")
        let reports = Recorder<HealthReport>()
        let lines = try #require(WiegandLines(configuration[WiegandSection.self]) { reports.add($0) })
        let output = try lines.output(on: wires.bank(), wires: ("D0", "D1"), marks: nil) { _ in }
        let now = SystemClock.now()
        output.send(until: now, at: now)
        #expect(await becomesTrue { reports.count == 1 })
        #expect(reports.last == .present(.wiegandUnsure, detail: "a frame was not sent completely"))
        #expect(!wires.wasActive("D0") && !wires.wasActive("D1"))
        output.send(until: now.advanced(by: .seconds(60)), at: SystemClock.now())
        #expect(await becomesTrue { reports.count == 2 })
        #expect(wires.spans("D0").count == 19 && wires.spans("D1").count == 7)
        #expect(output.end(within: .seconds(5)))
        // A gate without wires has nothing to send.
        let none = try Configuration.parse(Array("[kiosk]\nname = \"G\"\n".utf8), file: "a.toml", folder: "/")
        #expect(WiegandLines(none[WiegandSection.self], report: { _ in }) == nil)
    }
}
