import Clocks
import Encoding
import GateService
import Kiosk
import Ledger
import LinuxIO
import Reasons
import Simulation
import TestKit
import Testing
import Tuvali
import Workbench

/// One phone without delays at the real gatekeeper; the test provides the listeners and the panel.
struct OneVisitor {
    let ledger: ListLedger
    let seen: PanelRecorder
    private let gatekeeper: Gatekeeper
    private let radio: LiveRadio
    private let service: Task<Void, Never>

    /// Starts the visit. The `listeners` are notified in addition to ``seen``.
    init(_ panel: any Panel, listeners: [any KioskListener] = [], pulse: Duration = .milliseconds(200)) async throws {
        let ends = try socketPair()
        let (ledger, seen) = (ListLedger(), PanelRecorder())
        let radio = try LiveRadio(VirtualRadio(visits: [.quick(1)]), descriptor: ends.radio, speed: 8, onFinish: {})
        seen.onInvitation = { uri in Task { await radio.showInvitation(uri) } }
        var settings = KioskSettings(name: try Identifier("OneVisitor"), softwareVersion: "test")
        settings.gatePulse = pulse
        // Long limits for everything that waits for a task: the machine may be busy with other tests.
        (settings.intentLimit, settings.verificationLimit) = (.seconds(200), .seconds(200))
        let transports = Transports([ends.host])
        let gatekeeper = try Gatekeeper(
            settings: settings,
            dependencies: Gatekeeper.Dependencies(
                clock: .system, spawner: .system,
                openTransport: { () throws(TransportError) in try transports.next() }, ledger: ledger,
                verify: { _, _, _ in .made(.ok) }, settle: { _, use in ledger.settle(use) },
                wallTime: { WallTime(utc: Timestamp(seconds: 1_767_225_600), provenance: .rtc) }, panel: panel,
                listeners: try Listeners([seen] + listeners, clock: .system)))
        service = Task { await gatekeeper.run() }
        await radio.start()
        (self.ledger, self.seen, self.gatekeeper, self.radio) = (ledger, seen, gatekeeper, radio)
    }

    /// Returns as soon as the outcome is recorded, or after some minutes.
    func isRecorded() async throws {
        #expect(await becomesTrue { ledger.entries.first?.result != nil })
    }

    /// Ends the service, and the radio after it.
    func end() async {
        await gatekeeper.stop()
        await service.value
        await radio.stop()
    }
}
