import Administration
import Clocks
import Encoding
import Kiosk
import LinuxIO
import Reasons
import Synchronization
import TestKit
import Testing

@testable import GateService

/// Lamps and relay whose chip becomes available after the start.
@Suite(.timeLimit(.minutes(1)), .tags(.realTime)) struct ReconnectingPanelTests {
    private let reports = Reports()
    private let relayLine = TestLines()
    private let lampLines = TestLines()
    private let isThere = Presence()
    /// The loss handlers of each panel, which it calls when its chip is lost.
    private let losses = Losses()

    private final class Losses: Sendable {
        let calls = Mutex<[@Sendable () -> Void]>([])
    }

    /// Whether the chip is available.
    private final class Presence: Sendable {
        let value = Atomic<Bool>(false)
    }

    private let watch = OpeningWatch()

    private var panel: ReconnectingPanel {
        ReconnectingPanel(report: reports.report, watch: watch) {
            [relayLine, lampLines, isThere, losses, watch] gone throws(ServiceFailure) in
            losses.calls.withLock { $0.append(gone) }
            guard isThere.value.load(ordering: .relaxed) else {
                throw ServiceFailure("there is no GPIO chip", remedy: "Plug it in.")
            }
            do {
                return LinePanel(
                    [.redLamp: "red", .amberLamp: "amber"],
                    lamps: try LampLines(lampLines.bank(), names: ["red", "amber"]) { _ in },
                    relay: try Relay(WatchedBank(relayLine.bank(), watch, clock: .system), line: "gate") { _ in },
                    watch: watch)
            } catch {
                throw ServiceFailure("\(error)", remedy: nil)
            }
        }
    }

    @Test func theSignalComesWithTheLinesAndAnOldPulseDoesNot() async {
        let panel = panel
        panel.takeLines()
        #expect(reports.present == [.gateUnavailable, .gpioFailed])
        #expect(reports.details(.gpioFailed) == ["there is no GPIO chip. Plug it in."])
        let now = SystemClock.now()
        panel.gate(.open(until: now.advanced(by: .seconds(4))), at: now)
        panel.show(Signal([.amber]))
        panel.show(Signal([.red]))
        isThere.value.store(true, ordering: .relaxed)
        panel.takeLines()
        #expect(reports.present.isEmpty)
        #expect(await becomesTrue { lampLines.active == ["red"] })
        panel.takeLines()  // the lines are taken already
        panel.show(Signal([.amber]))
        #expect(await becomesTrue { lampLines.active == ["amber"] })
        #expect(!relayLine.wasActive("gate"), "a pulse is not begun late")
        let forgotten = OpeningOrder(from: now, until: now.advanced(by: .milliseconds(1)))
        #expect(panel.opening(forgotten, at: now.advanced(by: .seconds(1))) == .never, "and not recorded")
        let later = SystemClock.now()
        panel.gate(.open(until: later.advanced(by: .seconds(4))), at: later)
        #expect(await becomesTrue { relayLine.active == ["gate"] })
        #expect(panel.end(within: .seconds(30)))
        #expect(relayLine.active.isEmpty && lampLines.active.isEmpty)
    }

    @Test func linesOfAChipThatWentAwayAreTakenAnew() async throws {
        let panel = panel
        isThere.value.store(true, ordering: .relaxed)
        panel.takeLines()
        panel.show(Signal([.red]))
        #expect(await becomesTrue { lampLines.active == ["red"] })
        isThere.value.store(false, ordering: .relaxed)
        let first = try #require(losses.calls.withLock { $0.first })
        first()
        panel.takeLines()
        #expect(lampLines.active.isEmpty, "given back")
        #expect(reports.present == [.gateUnavailable, .gpioFailed])
        let now = SystemClock.now()
        panel.gate(.open(until: now.advanced(by: .seconds(4))), at: now)
        isThere.value.store(true, ordering: .relaxed)
        panel.takeLines()
        #expect(reports.present.isEmpty)
        #expect(await becomesTrue { lampLines.active == ["red"] })
        first()  // a report about the previous lines
        panel.takeLines()
        #expect(losses.calls.withLock { $0.count } == 3 && !relayLine.wasActive("gate"))
        #expect(panel.end(within: .seconds(30)))
    }

    @Test func noLinesAreTakenAfterTheEnd() async {
        let panel = panel
        panel.takeLines()
        #expect(panel.end(within: .zero))
        isThere.value.store(true, ordering: .relaxed)
        panel.takeLines()
        #expect(reports.present == [.gateUnavailable, .gpioFailed] && reports.details(.gpioFailed).count == 1)
    }
}
