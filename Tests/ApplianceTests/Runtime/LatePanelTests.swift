import Credentials
import Encoding
import Kiosk
import LinuxIO
import Synchronization
import Testing

@testable import Appliance

/// Lamps and relay whose chip comes after the start.
@Suite(.timeLimit(.minutes(1))) struct LatePanelTests {
    private let reports = Reports()
    private let relayLine = TestLines()
    private let lampLines = TestLines()
    private let isThere = Presence()

    /// Whether the chip is there.
    private final class Presence: Sendable {
        let value = Atomic<Bool>(false)
    }

    private var panel: LatePanel {
        LatePanel(report: reports.report) { [relayLine, lampLines, isThere] () throws(ServiceFailure) in
            guard isThere.value.load(ordering: .relaxed) else {
                throw ServiceFailure("there is no GPIO chip", remedy: "Plug it in.")
            }
            do {
                return LinePanel(
                    LinePanel.Wiring(lamps: [.red: "red", .amber: "amber"], tone: nil, gate: "gate"),
                    lamps: try LampLines(lampLines.bank(), names: ["red", "amber"]) { _, _ in },
                    relay: try Relay(relayLine.bank(), line: "gate") { _, _ in })
            } catch {
                throw ServiceFailure("\(error)", remedy: nil)
            }
        }
    }

    private func waits(_ isTrue: () -> Bool) async -> Bool {
        for _ in 0..<4000 where !isTrue() { try? await Task.sleep(for: .milliseconds(5)) }
        return isTrue()
    }

    @Test func theSignalComesWithTheLinesAndAnOldPulseDoesNot() async {
        let panel = panel
        panel.takeLines()
        #expect(reports.present == [.gpioFailed])
        #expect(reports.details(.gpioFailed) == ["there is no GPIO chip. Plug it in."])
        let now = SystemClock.now()
        panel.gate(.open(until: now.advanced(by: .seconds(4))), at: now)
        panel.show(Signal([.amber]))
        panel.show(Signal([.red]))
        isThere.value.store(true, ordering: .relaxed)
        panel.takeLines()
        #expect(reports.present.isEmpty)
        #expect(await waits { lampLines.active == ["red"] })
        panel.takeLines()  // they are here already
        panel.show(Signal([.amber]))
        #expect(await waits { lampLines.active == ["amber"] })
        #expect(!relayLine.wasActive("gate"), "a pulse is not begun late")
        let later = SystemClock.now()
        panel.gate(.open(until: later.advanced(by: .seconds(4))), at: later)
        #expect(await waits { relayLine.active == ["gate"] })
        #expect(panel.end(within: .seconds(1)))
        #expect(relayLine.active.isEmpty && lampLines.active.isEmpty)
    }

    @Test func noLinesAreTakenAfterTheEnd() async {
        let panel = panel
        panel.takeLines()
        #expect(panel.end(within: .zero))
        isThere.value.store(true, ordering: .relaxed)
        panel.takeLines()
        #expect(reports.present == [.gpioFailed] && reports.details(.gpioFailed).count == 1)
    }
}
