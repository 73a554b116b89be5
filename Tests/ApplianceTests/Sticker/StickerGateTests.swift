import Clocks
import Encoding
import Foundation
import GateService
import Kiosk
import Ledger
import LinuxIO
import Reasons
import Simulation
import Synchronization
import TestKit
import Testing
import Tuvali
import Workbench

@testable import Features

/// A printed code on the real driver: a recording of one run is replayed in the next.
@Suite(.timeLimit(.minutes(5)), .tags(.realTime)) struct StickerGateTests {
    /// A ledger whose disk hangs: the service is killed before the ledger answers.
    private final class HungLedger: VisitLedger {
        let list = ListLedger()

        func recordIntent(_ intent: IntentID, answer: @escaping @Sendable (_ failure: LedgerFailure?) -> Void) {
            list.recordIntent(intent) { _ in }
        }

        func recordDecision(_ record: VisitRecord, names: [ReplayName]) {
            list.recordDecision(record, names: names)
        }

        func recordOutcome(_ record: VisitRecord, forgetting: [ReplayName]) {
            list.recordOutcome(record, forgetting: forgetting)
        }
    }

    /// The same bytes each time: key and nonce are the visitor's own.
    private static var recording: Simulation.Visit { .quick(1) }

    /// Plays one run of the service with one phone.
    private func run(
        _ folder: StickerFolder, _ ledger: any VisitLedger, isBookLost: Bool = false,
        until isDone: (PanelRecorder.State) -> Bool
    )
        async throws
        -> PanelRecorder
    {
        let (ends, seen) = (try socketPair(), PanelRecorder())
        let radio = try LiveRadio(
            VirtualRadio(visits: [Self.recording]), descriptor: ends.radio, speed: 8, onFinish: {})
        seen.onInvitation = { uri in Task { await radio.showInvitation(uri) } }
        var settings = KioskSettings(name: try Identifier("Gatekeeper"), softwareVersion: "test")
        (settings.intentLimit, settings.verificationLimit) = (.seconds(200), .seconds(200))
        (settings.tuvali.verdictLimit, settings.keyRotation) = (.seconds(300), .seconds(300))
        let transports = Transports([ends.host])
        let watch = KioskWatch(settings) { Issue.record("\($0)") }
        var sticker = try folder.sticker()
        for _ in 0..<2000 where sticker.key() == nil {
            // The previous run releases the book a moment after its end.
            try? await Task.sleep(for: .milliseconds(5))
            sticker = try folder.sticker()
        }
        if isBookLost { try FileManager.default.removeItem(atPath: folder.book) }
        let gatekeeper = try Gatekeeper(
            settings: settings,
            dependencies: Gatekeeper.Dependencies(
                clock: .system, spawner: .system,
                openTransport: { () throws(TransportError) in try transports.next() }, ledger: ledger,
                printedKey: sticker, verify: { _, _, _ in .made(.ok) }, wallTime: { folder.time.withLock { $0 } },
                panel: seen, listeners: try Listeners([seen], clock: .system), observe: watch.turn))
        let service = Task { await gatekeeper.run() }
        await radio.start()
        #expect(await seen.waits(isDone))
        await gatekeeper.stop()
        await service.value
        await radio.stop()
        return seen
    }

    private func hasEnded(_ state: PanelRecorder.State) -> Bool {
        state.notes.contains("visit.ended") && state.gate.last != true
    }

    @Test func aRecordingIsNotServedAfterARestart() async throws {
        let folder = try StickerFolder()
        let (first, second) = (ListLedger(), ListLedger())
        #expect(try await run(folder, first, until: hasEnded).state.gate == [true, false])
        #expect(first.entries.map(\.result) == [.accepted])
        #expect(try folder.bytes(folder.book).count == 48)
        #expect(try await run(folder, second, until: hasEnded).state.gate.isEmpty)
        #expect(second.entries.map(\.result) == [.failed] && second.calls == ["outcome"])
        #expect(try folder.bytes(folder.book).count == 48)
    }

    @Test func aRecordingIsNotServedAfterAnEndBetweenSessionAndGate() async throws {
        let folder = try StickerFolder()
        let (hung, second) = (HungLedger(), ListLedger())
        let seen = try await run(folder, hung) { _ in (try? folder.bytes(folder.book).count) == 48 }
        #expect(seen.state.gate.isEmpty)
        #expect(try folder.bytes(folder.book).count == 48)
        #expect(try await run(folder, second, until: hasEnded).state.gate.isEmpty)
        #expect(second.entries.map(\.result) == [.failed])
    }

    @Test func withoutItsSessionLogTheGateStaysShut() async throws {
        let folder = try StickerFolder()
        let ledger = ListLedger()
        let seen = try await run(folder, ledger, isBookLost: true, until: hasEnded)
        #expect(seen.state.gate.isEmpty && ledger.entries.map(\.intents) == [1])
        #expect(ledger.entries.map(\.result) == [.rejected])
    }
}
