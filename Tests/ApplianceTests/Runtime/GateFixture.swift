import Credentials
import Encoding
import GateService
import Glibc
import Kiosk
import Ledger
import LinuxIO
import Simulation
import Synchronization
import TestKit
import Testing
import Tuvali
import Workbench

/// Creates two ends of a socket that keeps packet boundaries: the host's end and the radio's end.
func socketPair() throws -> (host: Int32, radio: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
}

/// The adapters, one for each opening; after the last one, opening fails.
final class Transports: Sendable {
    private let descriptors: Mutex<[Int32]>

    init(_ descriptors: [Int32]) { self.descriptors = Mutex(descriptors) }

    func next() throws(TransportError) -> any HCITransport {
        guard let next = descriptors.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { throw .gone }
        return PacketTransport(descriptor: next)
    }
}

/// A ledger in memory.
final class ListLedger: VisitLedger {
    struct Entry {
        var intent: IntentID?
        var visit: VisitID?
        var intents = 0
        /// The outcome that was decided, recorded together with the order to the gate.
        var decided: Outcome?
        var result: Outcome.Result?
        var gate: Outcome.Gate?
    }

    private let list = Mutex<[Entry]>([])
    private let order = Recorder<String>()

    /// The calls, in order.
    var calls: [String] { order.all }

    private let uses = Recorder<CredentialUse>()
    /// The uses of the credentials, in order.
    var settled: [CredentialUse] { uses.all }
    func settle(_ use: CredentialUse) -> [ReplayName] {
        uses.add(use)
        return []
    }

    var entries: [Entry] { list.withLock { $0 } }

    func recordIntent(_ intent: IntentID, answer: @escaping @Sendable (_ failure: LedgerFailure?) -> Void) {
        order.add("intent")
        change(intent) { $0.intents += 1 }
        answer(nil)
    }

    func recordDecision(_ record: VisitRecord, names: [ReplayName]) {
        order.add("decision")
        change(record.intent) { $0.decided = record.outcome }
    }

    func recordOutcome(_ record: VisitRecord, forgetting: [ReplayName]) {
        order.add("outcome")
        change(record.intent) { entry in
            (entry.visit, entry.result, entry.gate) = (record.visit, record.outcome.result, record.outcome.gate)
        }
    }

    private func change(_ intent: IntentID?, _ change: (inout Entry) -> Void) {
        list.withLock { list in
            let index = intent.flatMap { intent in list.firstIndex { $0.intent == intent } } ?? list.count
            if index == list.count { list.append(Entry(intent: intent)) }
            change(&list[index])
        }
    }
}

/// Records everything that can be seen at the gate.
final class PanelRecorder: Panel, KioskListener {
    struct State {
        var notes: [String] = []
        var reasons: [String] = []
        var gate: [Bool] = []
        var orders: [(command: Gate.Command, at: Instant)] = []
        var held: [OutputRole: [Bool]] = [:]
        var signal: Signal?
        var patterns: [IndicatorPattern] = []
        var invitation: String?
        var onInvitation: (@Sendable (String?) -> Void)?
        var onSignal: (@Sendable () -> Void)?
    }

    private let mutex = Mutex(State())

    var state: State { mutex.withLock { $0 } }

    var onInvitation: (@Sendable (String?) -> Void)? {
        get { state.onInvitation }
        set { mutex.withLock { $0.onInvitation = newValue } }
    }

    /// A closure that runs on the radio's thread whenever the light changes.
    var onSignal: (@Sendable () -> Void)? {
        get { state.onSignal }
        set { mutex.withLock { $0.onSignal = newValue } }
    }

    /// Waits until `isTrue`, for some minutes at most: next to other tests, tasks may wait long for a thread.
    func waits(_ isTrue: (State) -> Bool) async -> Bool {
        await becomesTrue(within: .seconds(200)) { isTrue(state) }
    }

    func show(_ signal: Signal) {
        mutex.withLock { $0.signal = signal }
        onSignal?()
    }

    func show(_ signal: Signal, of pattern: IndicatorPattern, for visit: VisitID?, at now: Instant) {
        mutex.withLock { $0.patterns.append(pattern) }
    }

    func gate(_ command: Gate.Command, at now: Instant) {
        mutex.withLock { state in
            state.gate.append(command != .shut)
            state.orders.append((command, now))
        }
    }

    func admit(until: Instant, at now: Instant) {}

    var opens: Bool { true }

    /// Reports each order as carried out in full.
    func opening(_ order: OpeningOrder, at now: Instant) -> Opening { .over(order.from.duration(to: order.until)) }

    func hold(_ role: OutputRole, _ command: Gate.Command, at now: Instant) {
        mutex.withLock { $0.held[role, default: []].append(command != .shut) }
    }

    func showInvitation(_ uri: String?, at now: Instant) {
        mutex.withLock { $0.invitation = uri }
        onInvitation?(uri)
    }

    func note(_ note: KioskNote, of visit: VisitID?, at now: Instant) {
        mutex.withLock { state in
            state.notes.append(note.name)
            if case .radioFailed(let failure, _) = note { state.reasons.append(failure.description) }
        }
    }
}

extension Simulation.Visit {
    /// Returns a phone without delays.
    static func quick(_ number: UInt64, _ misbehaviour: Misbehaviour? = nil) -> Simulation.Visit {
        var phone = PhoneTraits.android14
        (phone.codeReading, phone.hearing) = (.milliseconds(1), 1)
        (phone.wallet.choosing, phone.patience) = (.zero, .seconds(3600))
        return Simulation.Visit(
            "visitor \(number)", arrival: .afterPrevious(.milliseconds(50)), phone: phone,
            submission: .sealing(Array("{\"number\":\(number)}".utf8), seed: number), misbehaviour: misbehaviour)
    }
}
