import Clocks
import Displays
import Encoding
import Features
import Glibc
import Kiosk
import LinuxIO
import Reasons
import Synchronization
import TestKit
import Testing

/// Several displays at once: each at its own pace; one that fails or hangs is reported and does not disturb
/// the others.
@Suite(.timeLimit(.minutes(1)), .tags(.realTime)) struct DisplayOutputTests {
    private let reports = Reports()
    private let visit = VisitID("3f2a7b1c-0000-4000-8000-000000000000")

    /// A display that a test controls.
    private final class Panel: Sendable {
        struct State {
            var scene: DisplayScene?
            var fails = false
            var hangs = false
        }

        let state = Mutex(State())

        var scene: DisplayScene? { state.withLock { $0.scene } }

        func screen(_ name: String) -> DisplayOutput.Screen {
            DisplayOutput.Screen(name: name, instruction: "Scan \(name)") { Device(self) }
        }

        final class Device: DisplayDevice {
            let detail = DisplayDetail.lively
            private let panel: Panel

            init(_ panel: Panel) { self.panel = panel }

            func show(_ scene: DisplayScene) throws(DisplayFailure) {
                while panel.state.withLock({ $0.hangs }) { usleep(1000) }
                if panel.state.withLock({ $0.fails }) { throw DisplayFailure("no panel", remedy: "Plug it in.") }
                panel.state.withLock { $0.scene = scene }
            }

            func close() {}
        }
    }

    private func output(_ panels: [Panel]) throws -> DisplayOutput {
        try DisplayOutput(
            gate: "North-Gate", on: panels.enumerated().map { $1.screen("panel \($0)") }, clock: .system,
            retries: .milliseconds(10)...(.milliseconds(20)), report: reports.report)
    }

    @Test func allShowTheSameAndEachItsOwnWords() async throws {
        let panels = [Panel(), Panel()]
        let output = try output(panels)
        #expect(await becomesTrue { panels.allSatisfy { $0.scene?.name == "North-Gate" && $0.scene?.code == nil } })
        output.showInvitation("OPENID4VP://one", at: .zero)
        output.show(Signal([.green]), of: .accepted, for: nil, at: .zero)
        output.note(
            .decided(accepted: true, reasons: [.ok], sinceT0: .zero, waited: .zero), of: visit,
            at: .zero)
        #expect(output.flush(within: .seconds(20)))
        for (index, panel) in panels.enumerated() {
            #expect(panel.scene?.code == "OPENID4VP://one" && panel.scene?.result?.mark == "3f2a")
            #expect(panel.scene?.instruction == "Scan panel \(index)")
        }
    }

    @Test func theEndIsSeenBeforeTheProgramEnds() throws {
        for trial in 1...20 {
            let panels = [Panel(), Panel()]
            let output = try output(panels)
            output.showInvitation("OPENID4VP://one", at: .zero)
            #expect(output.flush(within: .seconds(20)))
            #expect(panels.allSatisfy { $0.scene != nil && $0.scene?.state != .outOfService })
            let began = SystemClock.now()
            output.note(.stopped, of: nil, at: .zero)
            let isSeen = panels.allSatisfy { $0.scene?.state == .outOfService }
            // The displays get 150 ms. After that time the machine may have been late, and the trial is repeated.
            guard isSeen || began.duration(to: SystemClock.now()) < .milliseconds(150) || trial == 20 else { continue }
            #expect(isSeen)
            return
        }
    }

    @Test func aFailureIsReportedWhileTheOthersContinue() async throws {
        let panels = [Panel(), Panel()]
        panels[1].state.withLock { $0.fails = true }
        let output = try output(panels)
        output.showInvitation("OPENID4VP://one", at: .zero)
        #expect(await becomesTrue { reports.present == [.displayFailed] && panels[0].scene?.code != nil })
        #expect(reports.details(.displayFailed) == ["panel 1: no panel. Plug it in."])
        panels[0].state.withLock { $0.fails = true }
        output.showInvitation("OPENID4VP://two", at: .zero)
        #expect(await becomesTrue { reports.details(.displayFailed).last == "panel 0: no panel. Plug it in." })
        for panel in panels { panel.state.withLock { $0.fails = false } }
        #expect(await becomesTrue { reports.present.isEmpty })
        #expect(panels.allSatisfy { $0.scene?.code == "OPENID4VP://two" })
    }

    @Test func oneThatHangsDelaysNothing() async throws {
        let panels = [Panel(), Panel()]
        panels[1].state.withLock { $0.hangs = true }
        let output = try output(panels)
        let began = SystemClock.now()
        for number in 0..<10_000 { output.showInvitation("OPENID4VP://\(number)", at: .zero) }
        output.note(.stopped, of: nil, at: .zero)
        #expect(await becomesTrue { panels[0].scene?.state == .outOfService })
        #expect(panels[1].scene == nil)
        #expect(began.duration(to: SystemClock.now()) < .seconds(30), "a hard bound: nobody waits for a display")
        panels[1].state.withLock { $0.hangs = false }
        #expect(await becomesTrue { panels[1].scene?.state == .outOfService })
    }
}
