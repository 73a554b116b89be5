import Appliance
import Credentials
import Encoding
import Glibc
import Kiosk
import Ledger
import LinuxIO
import Simulation
import Synchronization
import Testing
import Tuvali
import Workbench

/// The one driver on its real threads, with a virtual radio behind a real socket.
@Suite(.timeLimit(.minutes(5))) struct GatekeeperTests {
    @Test func twoVisitorsAreLetInAndStoppingReleasesEverything() async throws {
        let ends = try socketPair()
        let (ledger, seen) = (ListLedger(), Recorder())
        let radio = try LiveRadio(
            VirtualRadio(visits: [.quick(1), .quick(2)]), descriptor: ends.radio, speed: 8, onFinish: {})
        seen.onInvitation = { uri in Task { await radio.showInvitation(uri) } }
        let gatekeeper = try gatekeeper([ends.host], ledger, seen)
        let service = Task { await gatekeeper.run() }
        await radio.start()
        #expect(await seen.waits { $0.notes.count { $0 == "visit.ended" } == 2 && $0.gate.last == false })
        await gatekeeper.stop()
        await service.value

        #expect(ledger.entries.map(\.intents) == [1, 1])
        #expect(ledger.entries.map(\.result) == [.accepted, .accepted])
        let state = seen.state
        #expect(state.gate == [true, false, true, false] || state.gate == [true, false])  // the pulses may touch
        #expect(state.signal == .dark && state.invitation == nil)
        #expect(state.notes.last == "stopped")
        #expect(state.notes.count { $0 == "verdict" } == 2)
        await gatekeeper.breathe()  // nobody who still asks is left hanging
        await radio.stop()
    }

    @Test func stoppingWhileTheGateIsOpenShutsIt() async throws {
        let ends = try socketPair()
        let (ledger, seen) = (ListLedger(), Recorder())
        let radio = try LiveRadio(VirtualRadio(visits: [.quick(1)]), descriptor: ends.radio, speed: 8, onFinish: {})
        seen.onInvitation = { uri in Task { await radio.showInvitation(uri) } }
        let gatekeeper = try gatekeeper([ends.host], ledger, seen) { $0.gatePulse = .seconds(5) }
        let service = Task { await gatekeeper.run() }
        await radio.start()
        #expect(await seen.waits { $0.gate == [true] })
        await gatekeeper.stop()
        await service.value
        #expect(seen.state.gate == [true, false] && seen.state.signal == .dark)
        await radio.stop()
    }

    /// The thread is held up, and what the phone did meanwhile comes in one burst: the transfer's begin and its end.
    @Test func anIntentIsHandedOverBeforeItsOutcome() async throws {
        let ends = try socketPair()
        let (ledger, seen) = (ListLedger(), Recorder())
        let radio = try LiveRadio(
            VirtualRadio(visits: [.quick(1, .leaves(.chunk(1)))]), descriptor: ends.radio, speed: 8, onFinish: {}
        )
        seen.onInvitation = { uri in Task { await radio.showInvitation(uri) } }
        seen.onNote = { note in
            if case .identified = note { usleep(1_000_000) }
        }
        let gatekeeper = try gatekeeper([ends.host], ledger, seen)
        let service = Task { await gatekeeper.run() }
        await radio.start()
        #expect(await seen.waits { $0.notes.contains("visit.ended") })
        await gatekeeper.stop()
        await service.value
        await radio.stop()
        #expect(ledger.calls == ["intent", "outcome"])
    }

    @Test func aRadioThatGoesAwayIsOpenedAnew() async throws {
        let (first, second) = (try socketPair(), try socketPair())
        let (ledger, seen) = (ListLedger(), Recorder())
        let radio = try LiveRadio(VirtualRadio(visits: [.quick(1)]), descriptor: second.radio, speed: 8, onFinish: {})
        seen.onInvitation = { uri in Task { await radio.showInvitation(uri) } }
        let gatekeeper = try gatekeeper([first.host, second.host], ledger, seen)
        let service = Task { await gatekeeper.run() }
        close(first.radio)
        await radio.start()
        #expect(await seen.waits { $0.notes.contains("visit.ended") })
        #expect(seen.state.notes.first == "radio.failed")
        #expect(seen.state.notes.count { $0 == "radio.failed" } == 1)
        #expect(seen.state.reasons.first == "\(TransportError.gone); \(TransportError.gone.remedy)")
        #expect(seen.state.patterns.contains(.fault))
        #expect(ledger.entries.map(\.result) == [.accepted])
        await gatekeeper.stop()
        await service.value
        await radio.stop()
    }

    @Test func withoutAnAdapterItKeepsTryingAndStops() async throws {
        let seen = Recorder()
        let gatekeeper = try gatekeeper([], ListLedger(), seen) {
            $0.radioBackoff = .milliseconds(5)...(.milliseconds(20))
        }
        let service = Task { await gatekeeper.run() }
        #expect(await seen.waits { $0.notes.count { $0 == "radio.failed" } > 3 })
        await gatekeeper.stop()
        await service.value
        #expect(seen.state.reasons.allSatisfy { $0.contains(TransportError.gone.remedy) })
        #expect(seen.state.signal == .dark)
    }

    @Test func stoppedBeforeItRanItReturnsAtOnce() async throws {
        let gatekeeper = try gatekeeper([], ListLedger(), Recorder())
        await gatekeeper.stop()
        await gatekeeper.run()
    }

    // MARK: - The surroundings

    private func gatekeeper(
        _ descriptors: [Int32], _ ledger: ListLedger, _ seen: Recorder,
        configure: (inout KioskSettings) -> Void = { _ in }
    ) throws -> Gatekeeper {
        var settings = KioskSettings(name: try Identifier("Gatekeeper"), softwareVersion: "test")
        // Patient in everything that waits for a task: the machine may be busy with other tests.
        (settings.intentLimit, settings.verificationLimit) = (.seconds(200), .seconds(200))
        (settings.tuvali.verdictLimit, settings.keyRotation) = (.seconds(300), .seconds(300))
        configure(&settings)
        let transports = Transports(descriptors)
        let rules = KioskWatch(settings) { Issue.record("\($0)") }
        return try Gatekeeper(
            settings: settings,
            surroundings: Gatekeeper.Surroundings(
                openTransport: { () throws(TransportError) in try transports.next() }, ledger: ledger,
                verify: { _, _ in .made(.ok) },
                wallTime: { WallTime(utc: Timestamp(seconds: 1_767_225_600), provenance: .rtc) }, outputs: [seen],
                observe: rules.turn))
    }

    private func socketPair() throws -> (host: Int32, radio: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }
}

/// Adapters, one for each opening; then none is left.
private final class Transports: Sendable {
    private let descriptors: Mutex<[Int32]>

    init(_ descriptors: [Int32]) { self.descriptors = Mutex(descriptors) }

    func next() throws(TransportError) -> any HCITransport {
        guard let next = descriptors.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { throw .gone }
        return PacketTransport(descriptor: next)
    }
}

/// A ledger in memory.
private final class ListLedger: VisitLedger {
    struct Entry {
        var visit: VisitID
        var intents = 0
        var result: Outcome.Result?
    }

    private let list = Mutex<[Entry]>([])
    private let order = Mutex<[String]>([])

    /// What was handed over, in order.
    var calls: [String] { order.withLock { $0 } }

    var entries: [Entry] { list.withLock { $0 } }

    func recordIntent(_ visit: VisitID, answer: @escaping @Sendable (_ failure: String?) -> Void) {
        order.withLock { $0.append("intent") }
        change(visit) { $0.intents += 1 }
        answer(nil)
    }

    func recordOutcome(_ visit: VisitID, _ outcome: Outcome, signedDigest: [UInt8]?) {
        order.withLock { $0.append("outcome") }
        change(visit) { $0.result = outcome.result }
    }

    private func change(_ visit: VisitID, _ change: (inout Entry) -> Void) {
        list.withLock { list in
            let index = list.firstIndex { $0.visit == visit } ?? list.count
            if index == list.count { list.append(Entry(visit: visit)) }
            change(&list[index])
        }
    }
}

/// Notes down what can be seen at the gate.
private final class Recorder: KioskOutput {
    struct State {
        var notes: [String] = []
        var reasons: [String] = []
        var gate: [Bool] = []
        var signal: Signal?
        var patterns: [IndicatorPattern] = []
        var invitation: String?
        var onInvitation: (@Sendable (String?) -> Void)?
        var onNote: (@Sendable (KioskNote) -> Void)?
    }

    private let mutex = Mutex(State())

    var state: State { mutex.withLock { $0 } }

    var onInvitation: (@Sendable (String?) -> Void)? {
        get { state.onInvitation }
        set { mutex.withLock { $0.onInvitation = newValue } }
    }

    var onNote: (@Sendable (KioskNote) -> Void)? {
        get { state.onNote }
        set { mutex.withLock { $0.onNote = newValue } }
    }

    /// Whether that comes true within some minutes: beside other tests, tasks may have to wait long for a thread.
    func waits(_ isTrue: (State) -> Bool) async -> Bool {
        for _ in 0..<40_000 where !isTrue(state) { try? await Task.sleep(for: .milliseconds(5)) }
        return isTrue(state)
    }

    func show(_ signal: Signal, of pattern: IndicatorPattern, at now: Instant) {
        mutex.withLock { state in
            state.signal = signal
            state.patterns.append(pattern)
        }
    }

    func setGate(open: Bool, at now: Instant) { mutex.withLock { $0.gate.append(open) } }

    func showInvitation(_ uri: String?, at now: Instant) {
        mutex.withLock { $0.invitation = uri }
        onInvitation?(uri)
    }

    func note(_ note: KioskNote, at now: Instant) {
        mutex.withLock { state in
            state.notes.append(note.name)
            if case .radioFailed(let reason, _) = note { state.reasons.append(reason) }
        }
        onNote?(note)
    }
}

extension Simulation.Visit {
    /// A phone that loses no time.
    fileprivate static func quick(_ number: UInt64, _ misbehaviour: Misbehaviour? = nil) -> Simulation.Visit {
        var phone = PhoneTraits.android14
        (phone.codeReading, phone.hearing) = (.milliseconds(1), 1)
        (phone.wallet.choosing, phone.patience) = (.zero, .seconds(3600))
        return Simulation.Visit(
            "visitor \(number)", arrival: .afterPrevious(.milliseconds(50)), phone: phone,
            submission: .sealing(Array("{\"number\":\(number)}".utf8), seed: number), misbehaviour: misbehaviour)
    }
}
