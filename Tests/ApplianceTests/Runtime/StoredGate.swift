import CrashKit
import Credentials
import Encoding
import GateService
import Kiosk
import Ledger
import Reasons
import Store
import Synchronization
import TestKit
import Tuvali

@testable import Simulation

/// The real kiosk at a virtual gate whose records pass through the real ``LedgerKeeper``, ``Store`` and SQLite, and a
/// disk whose power can be cut or that can fail. Time at the gate is virtual and does not pass during a wait for the
/// disk.
struct StoredGate {
    /// A promise of the gate, or an effect at the gate.
    enum Fact: Equatable, Sendable {
        /// The kiosk was notified that the intent is durable.
        case durable(Text)
        /// The relay was energised for that visit.
        case opened(Text)
        /// The decision on that visit is on the disk.
        case decided(Text)
        /// The wallet received the verdict.
        case status(Text, UInt8)
        /// The cloud agent received the report.
        case delivered(Text, [UInt8])
        /// The outbox recorded that the agent has everything up to that position.
        case confirmed(Int)
    }

    /// A boundary between two actions: the number of disk operations before an action, and the fact that holds after
    /// the action.
    struct Moment: Sendable {
        let operation: UInt64
        let fact: Fact?
    }

    /// When outcomes reach the keeper.
    enum Pace: Sendable {
        /// At once, and the next action waits until they are written: a fast disk.
        case prompt
        /// Only with the next intent or at the end: a disk that is slower than the gate.
        case lagging
        /// At once; no action waits.
        case free
    }

    static let stamp = RecordStamp(
        kiosk: "gate-1", boot: "b0070000-0000-4000-8000-000000000000",
        time: WallTime(utc: Timestamp(seconds: 1_767_225_600), provenance: .rtc), monotonic: Instant(nanoseconds: 1))
    static let software = Outcome.Software(name: "gatehouse", version: "test")

    /// What happened, in order.
    private(set) var moments: [Moment] = []
    /// The outcomes as the kiosk decided them, in order.
    private(set) var outcomes: [(visit: Text, outcome: Outcome)] = []
    /// The intents of the visits.
    private(set) var intents: [Text: Text] = [:]
    /// The answers of the keeper to intents; nil: durable.
    private(set) var answers: [LedgerFailure?] = []
    /// The light, without repetitions.
    private(set) var patterns: [IndicatorPattern] = []
    private(set) var violations: [String] = []
    var pace = Pace.prompt
    /// Whether the kiosk is notified that an intent is durable before the disk has written it. The tests must detect
    /// this error.
    var liesAboutIntents = false
    /// Verdicts in the order of the verifications. After the last one, every verdict accepts.
    var verdicts: [ReasonCode] = []
    /// Verifies a payload in place of ``verdicts``, at the gate's own time, and receives each later use of the
    /// credential.
    var verifiers:
        (verify: (VisitID, [UInt8], Instant) -> Verdict, settle: (VisitID, CredentialUse, Instant) -> [ReplayName])?
    /// The database in which the gate waits until a decision is stored; nil: it does not wait.
    var store: Store?
    /// Whether the line fails, for each order to the gate in turn. After the last value the line works.
    var failingOrders: [Bool] = []
    /// How long a verification takes.
    var verificationTime: Duration = .milliseconds(5)
    /// Called before each action, so that a test can break the disk at a certain moment.
    var beforeAction: @Sendable (KioskAction) -> Void = { _ in }

    private let keeper: LedgerKeeper
    private let disk: CrashDisk
    private let written: Counter
    private var kiosk: Kiosk
    private var rules: KioskRules
    private var radio: VirtualRadio
    private var random: SplitMix64
    private var now = Instant.zero
    private var waiting = EventQueue<KioskEvent>()
    /// The records that were not handed over yet. `names`: for a decision the names to store, otherwise the names to
    /// remove.
    private var held: [(isDecision: Bool, record: VisitRecord, names: [ReplayName])] = []
    private var visit: Text = ""
    /// Visits for which the gate was ordered to open and whose outcome is awaited.
    private var undone: Set<VisitID> = []
    private var isStarted = false

    /// Counts records that were written.
    final class Counter: Sendable {
        private let value = Atomic<Int>(0)
        var count: Int { value.load(ordering: .acquiring) }
        func add(_ number: Int) { value.add(number, ordering: .acquiringAndReleasing) }

        /// Returns when so many are written; false if that takes too long.
        func reaches(_ goal: Int) async -> Bool {
            await becomesTrue { count >= goal }
        }
    }

    init(
        keeper: LedgerKeeper, written: Counter, disk: CrashDisk, visits: [Simulation.Visit], seed: UInt64,
        configure: (inout KioskSettings) -> Void = { _ in }
    ) throws {
        var settings = KioskSettings(name: try Identifier("StoredGate"), softwareVersion: "test")
        configure(&settings)
        (self.keeper, self.written, self.disk) = (keeper, written, disk)
        kiosk = Kiosk(settings: settings, at: .zero)
        rules = KioskRules(settings)
        radio = VirtualRadio(visits: visits.enumerated().map { $1.withKeys(seed: UInt64($0)) }, seed: seed)
        random = SplitMix64(seed: seed)
    }

    var phoneOutcomes: [Int: VisitOutcome] { radio.outcomes }
    var gateOpenings: Int { moments.count { if case .opened? = $0.fact { true } else { false } } }

    /// Runs until that many visitors have left and all outcomes are handed over. Returns false if that takes longer
    /// than an hour.
    mutating func run(visits: Int? = nil, waitsForPulse: Bool = true) async -> Bool {
        let goal = visits ?? radio.visits.count
        if !isStarted {
            isStarted = true
            await handle(.start)
        }
        let end = now.advanced(by: .seconds(3600))
        while radio.outcomes.count < goal || waiting.deadline != nil
            || waitsForPulse && (kiosk.status(at: now).isGateOpen || !undone.isEmpty)
        {
            let times = [kiosk.deadline(after: now), radio.deadline, waiting.deadline].compactMap { $0 }
            guard let next = times.min(), next <= end else { return false }
            let timer = kiosk.deadline(after: now)
            now = max(now, next)
            while let event = waiting.take(dueBy: now) { await handle(event) }
            if let due = radio.deadline, due <= now { perform(radio.handle(.timer, at: now)) }
            if let timer, timer <= now { await handle(.timer) }
        }
        await release()
        return true
    }

    /// Adds a fact about the reporter's work.
    mutating func note(_ fact: Fact) { moments.append(Moment(operation: disk.operations, fact: fact)) }

    private mutating func handle(_ event: KioskEvent) async {
        if case .intentDurable(let id) = event { note(.durable(Text(id.text))) }
        let actions = kiosk.handle(event, at: now)
        let broken = rules.watch(event, actions, deadline: kiosk.deadline(after: now), at: now)
        violations += broken.map(\.description)
        for action in actions {
            // Read the number before the action: after a power cut right after the action, the disk may have no further
            // operation.
            let operation = disk.operations
            beforeAction(action)
            await perform(action)
            moments.append(Moment(operation: operation, fact: fact(of: action)))
        }
    }

    private func fact(of action: KioskAction) -> Fact? {
        switch action {
        case .gate(.open): return .opened(visit)
        case .send(let packet):
            return KioskRules.status(in: packet).map { .status(visit, $0) }
        default: return nil
        }
    }

    private mutating func perform(_ actions: [VirtualRadio.Action]) {
        for action in actions {
            switch action {
            case .toHost(let packet): waiting.add(.received(packet), at: now)
            case .violation(let violation): violations.append("\(violation)")
            case .observed(_, .violation(let words)): violations.append(words)
            case .observed: break
            }
        }
    }

    private mutating func perform(_ action: KioskAction) async {
        switch action {
        case .openTransport: waiting.add(.transportOpened, at: now)
        case .send(let packet): perform(radio.handle(.fromHost(packet), at: now))
        case .drawSessionMaterial:
            if let material = SessionMaterial(random.bytes(SessionMaterial.byteCount)) {
                waiting.add(.sessionMaterial(material), at: now)
            }
        case .showInvitation(let uri): perform(radio.handle(.invitation(uri), at: now))
        case .recordIntent(let id): await recordIntent(id)
        case .verify(let id, let payload):
            visit = Text(id.text)
            let verdict =
                verifiers?.verify(id, payload, now) ?? .made(verdicts.isEmpty ? .ok : verdicts.removeFirst())
            waiting.add(.verified(id, verdict), at: now.advanced(by: verificationTime))
        case .recordOutcome(var record):
            if record.outcome.gate?.opened == true, !failingOrders.isEmpty, failingOrders.removeFirst() {
                record.outcome.gate = .shut
            }
            let use: CredentialUse = record.outcome.gate?.opened == true ? .used : .released
            let names = verifiers?.settle(record.visit, use, now) ?? []
            outcomes.append((Text(record.visit.text), record.outcome))
            undone.remove(record.visit)
            held.append((false, record, use == .released ? names : []))
            if pace != .lagging { await release() }
        case .dismissed(let visit): _ = verifiers?.settle(visit, .released, now)
        case .signal(_, let pattern, _): if pattern != patterns.last { patterns.append(pattern) }
        case .decided(let record):
            undone.insert(record.visit)
            held.append((true, record, verifiers?.settle(record.visit, .ordered, now) ?? []))
            if pace != .lagging { await release() }
        case .note(let note, let id):
            if case .identified(let intent) = note, let id { intents[Text(id.text)] = Text(intent.text) }
        case .gate, .admit, .unused, .keepSession, .hold, .closeTransport, .resetAdapter, .stopped: break
        }
    }

    private mutating func recordIntent(_ id: IntentID) async {
        if liesAboutIntents {
            waiting.add(.intentDurable(id), at: now)
            return
        }
        await release()
        let failure = await withCheckedContinuation { answer in
            keeper.recordIntent(id) { answer.resume(returning: $0) }
        }
        answers.append(failure)
        let event = failure.map { KioskEvent.intentFailed(id, $0) } ?? .intentDurable(id)
        waiting.add(event, at: now.advanced(by: .milliseconds(3)))
    }

    /// Hands over the held records, and waits until they are written.
    private mutating func release() async {
        for (isDecision, record, names) in held {
            let goal = written.count + 1
            if isDecision {
                keeper.recordDecision(record, names: names)
                await isKept(record)
                continue
            }
            keeper.recordOutcome(record, forgetting: names)
            if pace != .free { _ = await written.reaches(goal) }
        }
        held = []
    }

    /// Waits until a decision is on the disk, at most about ten seconds.
    private mutating func isKept(_ record: VisitRecord) async {
        guard pace != .free, let store, let intent = record.intent else { return }
        for _ in 0..<10_000 {
            guard let open = await store.head.open[Text(intent.text)] else { return }
            if open.decision != nil { return note(.decided(Text(record.visit.text))) }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }
}

extension Verdict {
    /// A verdict with that first reason; `ok` accepts.
    static func made(_ code: ReasonCode) -> Verdict {
        var credential = CredentialSummary()
        credential.signedDigest = [UInt8](repeating: 8, count: 32)
        return Verdict(
            decision: code == .ok ? .accept : .reject, reasons: [Reason(code)], credential: credential, unsigned: [],
            proofContext: nil, trust: "test", policy: "test")
    }
}

extension Simulation.Visit {
    /// A phone with a small record.
    static func made(_ phone: PhoneTraits = .android14, _ misbehaviour: Misbehaviour? = nil) -> Simulation.Visit {
        Simulation.Visit(
            "visitor", phone: phone,
            submission: .sealing(Array(("{\"text\":\"" + Hex.encode(Array(0...255)) + "\"}").utf8), seed: 1),
            misbehaviour: misbehaviour)
    }
}
