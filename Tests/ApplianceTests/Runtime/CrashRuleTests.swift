import Clocks
import CrashKit
import CrashVFS
import Credentials
import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Store
import TestKit
import Testing

@testable import Backup
@testable import Commissioning
@testable import Courier
@testable import GateService
@testable import TrustFiles

/// Simulates a power cut of the whole appliance, with kiosk, keeper, store and SQLite on a disk that forgets:
/// at every action, and at every step of the disk between two actions.
///
/// If the gate pulsed or a status byte was sent, there is a record after the restart. From the moment at
/// which the decision is on the disk, the record has the credential, the reasons and the opening. No intent
/// that was reported as durable vanishes, no report is lost or sent under two ids, the chain is intact, and
/// every open visit is closed once.
@Suite(.tags(.models)) struct CrashRuleTests {
    /// A morning at the gate and the operations of its disk.
    struct Morning: Sendable {
        let disk: CrashDisk
        let moments: [StoredGate.Moment]
        let outcomes: [Text: Outcome]
        /// The intents of the visits, by visit.
        let intents: [Text: Text]
    }

    static var options: StoreOptions {
        var options = StoreOptions()
        // So often that the log is copied into the database several times.
        (options.checkpointRequests, options.checkpointRest, options.checkpointAtLatest) = (3, .zero, 5)
        return options
    }

    /// Also where records wait: for the end of a pulse of five seconds, and for a passage that no input
    /// reports.
    @Test(.timeLimit(.minutes(10)), arguments: [(StoredGate.Pace.prompt, false), (.lagging, false), (.prompt, true)])
    func eventsAtTheGateAreOnRecordAfterAPowerCut(_ pace: StoredGate.Pace, awaitsPassage: Bool) async throws {
        let morning = try await Self.play(pace, awaitsPassage: awaitsPassage)
        // Between two actions the disk is at work: every step of the disk is a boundary, too.
        let boundaries = 0...morning.disk.operations
        var (cuts, states, later) = (0, Set<[UInt64]>(), 0)
        var problems: [String] = []
        for boundary in boundaries {
            // The actions so far: those at this step of the disk or before.
            let facts = morning.moments.filter { $0.operation <= boundary }.compactMap(\.fact)
            for survival in [CRASH_KEEP_NONE, CRASH_KEEP_ALL, CRASH_KEEP_SOME, CRASH_KEEP_SOME] {
                cuts += 1
                let after = try morning.disk.cut(before: boundary, survival, seed: UInt64(cuts))
                guard states.insert([after.fingerprint, UInt64(facts.count)]).inserted else { continue }
                problems += await Self.examine(after, facts, morning).map {
                    "cut before operation \(boundary), keep \(survival.rawValue), seed \(cuts): \($0)"
                }
                guard states.count.isMultiple(of: 8), problems.isEmpty else { continue }
                later += 1
                problems += try await Self.visitAfterwards(after, seed: UInt64(1000 + cuts))
            }
        }
        let opened = morning.moments.count { if case .opened? = $0.fact { true } else { false } }
        let decided = morning.moments.count { if case .decided? = $0.fact { true } else { false } }
        let told = morning.moments.count { if case .status? = $0.fact { true } else { false } }
        print(
            "crash rule, \(pace)\(awaitsPassage ? ", with passages" : ""): \(morning.moments.count) actions and \(boundaries.count) disk operations, "
                + "\(cuts) power cuts, \(states.count) states examined, \(later) visits afterwards, \(problems.count) problems"
        )
        #expect(opened == 5 && decided == 5 && told >= 5)
        #expect(boundaries.count > 100 && states.count > 150 && later > 10)
        #expect(problems.prefix(5) == [])
    }

    /// The examination can fail: a kiosk that is notified too early that its intent is durable violates the
    /// rule.
    @Test func aPrematureAnswerIsNoticed() async throws {
        let morning = try await Self.play(.lagging, lying: true)
        var problems: [String] = []
        for moment in morning.moments where moment.fact != nil {
            let facts = morning.moments.filter { $0.operation <= moment.operation }.compactMap(\.fact)
            let after = try morning.disk.cut(before: moment.operation, CRASH_KEEP_ALL, seed: 1)
            problems += await Self.examine(after, facts, morning)
        }
        #expect(problems.contains { $0.contains("the gate opened") })
        #expect(problems.contains { $0.contains("status") })
    }

    // MARK: - Visits before the power cut

    private static func play(
        _ pace: StoredGate.Pace, lying: Bool = false, awaitsPassage: Bool = false
    ) async throws -> Morning {
        let disk = try CrashDisk()
        let store = try await Store.open(disk.database, options: options)
        try await store.route(over: "agent")
        let written = StoredGate.Counter()
        let keeper = LedgerKeeper(
            store: store, siteKey: try await store.siteKey(), clock: .system, spawner: .system,
            stamp: { StoredGate.stamp }, onChange: { written.add($0) })
        let writing = Task { await keeper.run() }
        var gate = try StoredGate(
            keeper: keeper, written: written, disk: disk,
            visits: [
                .made(), .made(.iPhone), .made(.android13, .leaves(.chunk(1))), .made(.android14, .leaves(.identified)),
                .made(.iPhone185), .made(.android14, .vanishes(.delivered)), .made(.android14, .secondTransfer),
                .made(.android14),
            ], seed: 7
        ) { settings in
            guard awaitsPassage else { return }
            settings.gatePulse = .seconds(5)
            settings.door.inputs = [.passage: .milliseconds(20)]
        }
        (gate.pace, gate.store) = (pace, store)
        gate.liesAboutIntents = lying
        gate.verdicts = [.ok, .proofInvalid]
        for (number, visits) in [2, 4, 6, 8].enumerated() {
            #expect(await gate.run(visits: visits))
            try await report(&gate, store, isConfirmed: number.isMultiple(of: 2), keepsBack: number == 3)
        }
        #expect(gate.violations == [])
        keeper.finish()
        await writing.value
        await store.close()
        var outcomes: [Text: Outcome] = [:]
        for (visit, outcome) in gate.outcomes { outcomes[visit] = outcome }
        return Morning(disk: disk, moments: gate.moments, outcomes: outcomes, intents: gate.intents)
    }

    /// Plays the reporter: hands over the entries after the cursor, and takes the confirmation.
    private static func report(
        _ gate: inout StoredGate, _ store: Store, isConfirmed: Bool, keepsBack: Bool
    ) async throws {
        let primary = DeliveryCursor.primary
        let cursor = await store.deliveries[primary]?.confirmed ?? 0
        let ledger = await store.head.ledger
        for entry in try await store.entries(after: cursor, limit: 100) where !keepsBack {
            guard let report = Report.json(of: entry, in: ledger), let id = report["id"]?.string else { continue }
            gate.note(.delivered(id, report.compactBytes))
            guard isConfirmed else { continue }
            try await store.confirm(primary, upTo: entry.position, over: "agent")
            gate.note(.confirmed(entry.position))
        }
    }

    // MARK: - Checks after the restart

    /// Starts again on the disk after the cut, as the service does, and compares its records with the facts.
    /// Returns the contradictions.
    private static func examine(_ disk: CrashDisk, _ facts: [StoredGate.Fact], _ morning: Morning) async -> [String] {
        do {
            let store = try await Store.open(disk.database, options: options)
            var problems = try await recover(store)
            problems += try await compare(store, facts, morning)
            await store.close()
            return problems
        } catch {
            return ["\(error)"]
        }
    }

    private static func recover(_ store: Store) async throws -> [String] {
        var problems: [String] = []
        let open = await store.head.open.count
        let closed = try await store.recover(stamp: StoredGate.stamp, software: StoredGate.software)
        if closed.count != open { problems.append("recovery closed \(closed.count) of \(open)") }
        if !closed.map(\.outcome).allSatisfy({ isDecided($0) || $0.result == .interrupted && $0.gate == nil }) {
            problems.append("closed as something else than what was decided or interrupted")
        }
        if try await !store.recover(stamp: StoredGate.stamp, software: StoredGate.software).isEmpty {
            problems.append("closed twice")
        }
        let report = try await store.verify()
        if !report.isIntact || !report.openIntents.isEmpty { problems += report.lines }
        return problems
    }

    /// Whether the outcome is the one decided, for a visit whose end was not seen.
    private static func isDecided(_ outcome: Outcome) -> Bool {
        outcome.result == .accepted && outcome.gate?.opened == true && outcome.credential?.name != nil
            && outcome.reasons.contains { $0.code == Text(ReasonCode.interrupted.text) }
    }

    private static func compare(
        _ store: Store, _ facts: [StoredGate.Fact], _ morning: Morning
    ) async throws -> [String] {
        var problems: [String] = []
        var intents: Set<Text> = []
        var records: [Text: OutcomeRecord] = [:]
        for entry in try await store.entries(after: 0, limit: 1000) {
            switch try LedgerRecord(bytes: entry.body) {
            case .intent(let record):
                if !intents.insert(record.intent).inserted { problems.append("two intents of one id") }
            case .outcome(let record):
                if records.updateValue(record, forKey: record.visit) != nil { problems.append("two outcomes") }
            }
        }
        for (visit, record) in records where record.outcome.result != .interrupted {
            var expected = morning.outcomes[visit]
            expected?.credential?.name = record.outcome.credential?.name
            if isDecided(record.outcome) {
                expected?.reasons.insert(Outcome.Reason(Text(ReasonCode.interrupted.text)), at: 1)
                expected?.gate = record.outcome.gate
            }
            if record.outcome != expected { problems.append("the outcome of \(visit) is not what was decided") }
        }
        if Set(records.values.map(\.seq)) != Set(1..<records.count + 1) { problems.append("numbers have gaps") }
        let ledger = await store.head.ledger
        var reports: [Text: [UInt8]] = [:]
        for entry in try await store.entries(after: 0, limit: 1000) {
            guard let report = Report.json(of: entry, in: ledger), let id = report["id"]?.string else { continue }
            reports[id] = report.compactBytes
        }
        if Set(reports.keys) != Set(records.keys) { problems.append("reports and outcomes differ") }
        let confirmed = await store.deliveries[DeliveryCursor.primary]?.confirmed ?? 0
        /// A visit whose decision is not on the disk has at least a record for its intent.
        func isOnRecord(_ visit: Text) -> Bool {
            records[visit] != nil || morning.intents[visit].flatMap { records[$0] }?.outcome.result == .interrupted
        }
        for fact in facts {
            switch fact {
            case .durable(let intent): if !intents.contains(intent) { problems.append("a durable intent vanished") }
            case .opened(let visit):
                if !isOnRecord(visit) { problems.append("the gate opened for \(visit) without a record") }
            case .decided(let visit):
                let outcome = records[visit]?.outcome
                if outcome?.result != .accepted || outcome?.gate?.opened != true || outcome?.credential?.name == nil {
                    problems.append("what was decided of \(visit) is not on record")
                }
            case .status(let visit, _):
                if !isOnRecord(visit) { problems.append("a status byte for \(visit) without a record") }
            case .delivered(let id, let content):
                if reports[id] != content { problems.append("what the agent has of \(id) is not what the ledger says") }
            case .confirmed(let position):
                if confirmed < position { problems.append("a receipt was lost") }
            }
        }
        return problems
    }

    /// The gate continues on the remaining data: a visitor is admitted and the chain continues.
    private static func visitAfterwards(_ disk: CrashDisk, seed: UInt64) async throws -> [String] {
        let store = try await Store.open(disk.database, options: options)
        try await store.route(over: "agent")
        let written = StoredGate.Counter()
        let keeper = LedgerKeeper(
            store: store, siteKey: try await store.siteKey(), clock: .system, spawner: .system,
            stamp: { StoredGate.stamp }, onChange: { written.add($0) })
        let writing = Task { await keeper.run() }
        var gate = try StoredGate(keeper: keeper, written: written, disk: disk, visits: [.made()], seed: seed)
        let isOver = await gate.run()
        keeper.finish()
        await writing.value
        let isIntact = try await store.verify().isIntact
        await store.close()
        let isAccepted = isOver && gate.phoneOutcomes == [0: .accepted] && gate.gateOpenings == 1
        return isAccepted && isIntact ? [] : ["the next visitor: \(gate.phoneOutcomes), chain intact: \(isIntact)"]
    }
}
