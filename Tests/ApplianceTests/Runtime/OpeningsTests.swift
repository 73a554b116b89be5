import Credentials
import Encoding
import Kiosk
import Ledger
import LinuxIO
import Simulation
import TestKit
import Testing
import Tuvali
import Workbench

@testable import Appliance

/// The record says what the relay's line did, and not what it was told.
@Suite(.timeLimit(.minutes(5)), .tags(.realTime)) struct OpeningsTests {
    private let line = TestLines()
    private let watch = OpeningWatch()

    private func panel() throws -> LinePanel {
        LinePanel(
            LinePanel.Wiring(lamps: [:], tone: nil, gate: "gate"), lamps: nil,
            relay: try Relay(WatchedBank(line.bank(), watch), line: "gate") { _ in }, watch: watch)
    }

    /// One accepted visitor: what is recorded of the gate, what was seen, and whether the credential counts as used.
    private func visit(_ panel: any Panel) async throws -> (entries: [ListLedger.Entry], notes: [String], used: [Bool])
    {
        let ends = try socketPair()
        let (ledger, seen) = (ListLedger(), Recorder())
        let radio = try LiveRadio(VirtualRadio(visits: [.quick(1)]), descriptor: ends.radio, speed: 8, onFinish: {})
        seen.onInvitation = { uri in Task { await radio.showInvitation(uri) } }
        var settings = KioskSettings(name: try Identifier("Openings"), softwareVersion: "test")
        (settings.intentLimit, settings.verificationLimit) = (.seconds(200), .seconds(200))
        let transports = Transports([ends.host])
        let gatekeeper = try Gatekeeper(
            settings: settings,
            surroundings: Gatekeeper.Surroundings(
                openTransport: { () throws(TransportError) in try transports.next() }, ledger: ledger,
                verify: { _, _, _ in .made(.ok) }, settle: { _, opened in ledger.settle(opened) },
                wallTime: { WallTime(utc: Timestamp(seconds: 1_767_225_600), provenance: .rtc) }, panel: panel,
                listeners: try Listeners([seen])))
        let service = Task { await gatekeeper.run() }
        await radio.start()
        for _ in 0..<40_000 where ledger.entries.first?.result == nil { try await Task.sleep(for: .milliseconds(5)) }
        await gatekeeper.stop()
        await service.value
        await radio.stop()
        _ = await seen.waits { $0.notes.last == "stopped" }
        return (ledger.entries, seen.state.notes, ledger.settled)
    }

    @Test func thePulseIsThatOfTheLine() async throws {
        let panel = try panel()
        let (entries, notes, used) = try await visit(panel)
        #expect(panel.end(within: .seconds(30)))
        let gate = try #require(entries.first?.gate)
        let spans = line.spans("gate")
        try #require(entries.map(\.result) == [.accepted] && spans.count == 1)
        // From before the call that energised it until after the one that released it: no shorter than the line saw.
        #expect(gate.opened && gate.pulseMilliseconds >= Int(spans[0].length.milliseconds) - 1)
        #expect(notes.count { $0 == "gate" } == 2 && used == [true])
    }

    @Test("an ordered pulse whose line failed is not recorded as an opening")
    func aBrokenLine() async throws {
        line.breaks()
        let panel = try panel()
        let (entries, notes, _) = try await visit(panel)
        #expect(panel.end(within: .seconds(30)))
        #expect(entries.map(\.result) == [.accepted] && entries.first?.gate == .shut)
        #expect(!line.wasActive("gate") && notes.contains("verdict"))
    }

    @Test("a box without a relay judges, says nothing of a gate, and knows a credential that was used")
    func nothingToOpen() async throws {
        let (entries, notes, used) = try await visit(NoPanel())
        #expect(entries.map(\.result) == [.accepted] && entries.first?.gate == nil)
        #expect(!notes.contains("gate") && notes.contains("verdict") && used == [true])
    }
}

/// What is made of what the threads of the lines write down.
@Suite struct OpeningWatchTests {
    private let line = TestLines()

    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test func aLineThatIsBeingSwitchedIsWaitedFor() throws {
        let watch = OpeningWatch()
        let bank = WatchedBank(line.bank(), watch)
        try bank.set(active: [])
        let from = SystemClock.now()
        var order = OpeningOrder(from: from, until: from.advanced(by: .seconds(60)))
        #expect(watch.opening(order, at: from) == .lasting, "its thread may not have begun")
        #expect(watch.opening(order, at: order.until.advanced(by: OpeningWatch.late)) == .never)
        try bank.set(active: ["gate"])
        let long = from.advanced(by: .seconds(3600))
        #expect(watch.opening(order, at: long) == .lasting, "however long it takes to be released")
        try bank.set(active: [])
        guard case .over(let length) = watch.opening(order, at: long) else {
            Issue.record("it is over")
            return
        }
        #expect(length >= .zero && length <= from.duration(to: SystemClock.now()))
        // The next order's pulse is not this one's, and the other way round.
        order.until = SystemClock.now()
        let next = OpeningOrder(from: SystemClock.now(), until: from.advanced(by: .seconds(60)))
        try bank.set(active: ["gate"])
        #expect(watch.opening(order, at: long) == .over(length) && watch.opening(next, at: next.from) == .lasting)
        bank.close()
        #expect(watch.opening(next, at: long) != .lasting && watch.opening(order, at: long) == .over(length))
    }

    @Test func whatFailsHasOpenedNothing() throws {
        let watch = OpeningWatch()
        let bank = WatchedBank(line.bank(), watch)
        line.breaks()
        let from = SystemClock.now()
        #expect(throws: GPIOError.self) { try bank.set(active: ["gate"]) }
        try bank.set(active: [])
        #expect(watch.opening(OpeningOrder(from: from, until: from), at: from.advanced(by: .seconds(1))) == .never)
    }

    @Test func aFrameToAControllerIsWaitedForAndMayBeLost() {
        let watch = OpeningWatch(sendsFrames: true)
        let order = OpeningOrder(from: at(1000), until: at(1200))
        #expect(watch.opening(order, at: at(1300)) == .lasting && watch.opening(order, at: at(2200)) == .never)
        watch.frame(isSent: false, at: at(900))
        #expect(watch.opening(order, at: at(1300)) == .lasting, "that was an earlier one")
        watch.frame(isSent: false, at: at(1250))
        #expect(watch.opening(order, at: at(1300)) == .never)
        watch.frame(isSent: true, at: at(1100))
        #expect(watch.opening(order, at: at(1300)) == .over(.zero))
    }
}
