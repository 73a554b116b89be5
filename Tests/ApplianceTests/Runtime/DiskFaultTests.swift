import Clocks
import CrashKit
import CrashVFS
import Encoding
import GateService
import Kiosk
import Ledger
import Reasons
import Simulation
import Store
import TestKit
import Testing

/// A full or broken disk under the ledger: `gate.whenLedgerFails` determines who is admitted, and no decision is lost.
@Suite(.timeLimit(.minutes(2)), .tags(.realTime)) struct DiskFaultTests {
    private struct Setting {
        let disk: CrashDisk
        let store: Store
        let keeper: LedgerKeeper
        let written = StoredGate.Counter()
        let writing: Task<Void, Never>

        init() async throws {
            disk = try CrashDisk()
            store = try await Store.open(disk.database)
            var limits = KeeperQueue.Limits()
            limits.retryAfter = .milliseconds(20)
            let keeper = LedgerKeeper(
                store: store, siteKey: try await store.siteKey(), limits: limits,
                clock: .system, spawner: .system, stamp: { StoredGate.stamp },
                onChange: { [written] in written.add($0) })
            self.keeper = keeper
            writing = Task { await keeper.run() }
        }

        func gate(
            _ policy: KioskSettings.LedgerFailurePolicy, visits: [Simulation.Visit]
        ) throws -> StoredGate {
            var gate = try StoredGate(keeper: keeper, written: written, disk: disk, visits: visits, seed: 3) {
                $0.whenLedgerFails = policy
            }
            gate.pace = .free
            return gate
        }

        func end() async {
            keeper.finish()
            await writing.value
            await store.close()
        }
    }

    private static let faults = [CRASH_FAULT_FULL.rawValue, CRASH_FAULT_IO.rawValue]

    @Test(arguments: faults, [KioskSettings.LedgerFailurePolicy.refuse, .open])
    func theGateFollowsThePolicyAndTheRecordsFollowLater(
        _ fault: UInt32, _ policy: KioskSettings.LedgerFailurePolicy
    ) async throws {
        let setting = try await Setting()
        var gate = try setting.gate(policy, visits: [.made(), .made(.iPhone), .made(), .made(.android13)])
        gate.verdicts = [.ok, .ok, .proofInvalid]
        setting.disk.fail(crash_fault(fault))
        #expect(await gate.run(visits: 3))

        let lets = policy == .open
        #expect(gate.answers.count == 3)
        for answer in gate.answers { #expect(answer?.description.contains(setting.disk.database) == true) }
        #expect(gate.phoneOutcomes == [0: lets ? .accepted : .rejected, 1: lets ? .accepted : .rejected, 2: .rejected])
        #expect(gate.gateOpenings == (lets ? 2 : 0))
        #expect(gate.patterns.contains(.accepted) == lets)
        #expect(gate.patterns.contains(.rejected))
        let reasons = gate.outcomes.map { $0.outcome.reasons.map(\.code.string) }
        let first = lets ? ["ok"] : ["ledger.unavailable"]
        #expect(reasons == [first, first, ["proof.invalid"]])
        #expect(setting.written.count == 0)

        setting.disk.heal()
        #expect(await setting.written.reaches(3))
        #expect(await gate.run(visits: 4))
        #expect(gate.phoneOutcomes[3] == .accepted)
        #expect(await setting.written.reaches(4))
        #expect(setting.keeper.shortfall == .none)
        try await expectAll(gate, setting)
        await setting.end()
    }

    /// The disk fails between the intent and the outcome: the gate has opened, so the outcome must not be lost.
    @Test(arguments: faults) func anOutcomeThatTheDiskRefusesIsKept(_ fault: UInt32) async throws {
        let setting = try await Setting()
        var gate = try setting.gate(.refuse, visits: [.made(), .made()])
        gate.beforeAction = { [disk = setting.disk] action in
            if case .decided = action { disk.fail(crash_fault(fault)) }
        }
        #expect(await gate.run(visits: 2))
        #expect(gate.phoneOutcomes == [0: .accepted, 1: .rejected])
        #expect(gate.outcomes.map(\.outcome.result) == [.accepted, .rejected])
        #expect(setting.written.count == 0)
        // After a power cut at this point, the disk has the intent of the first visit. The restart closes the intent
        // under the intent's own id.
        let after = try setting.disk.cut(before: .max, CRASH_KEEP_NONE, seed: 1)
        let restarted = try await Store.open(after.database)
        let closed = try await restarted.recover(stamp: StoredGate.stamp, software: StoredGate.software)
        #expect(closed.map(\.visit) == [gate.intents[gate.outcomes[0].visit]])
        await restarted.close()

        setting.disk.heal()
        #expect(await setting.written.reaches(2))
        try await expectAll(gate, setting)
        await setting.end()
    }

    /// The disk works again only after the service was asked to end: the held records are written during the shutdown.
    @Test func theLastAttemptIsMadeAtTheEnd() async throws {
        let setting = try await Setting()
        var gate = try setting.gate(.refuse, visits: [.made()])
        setting.disk.fail(CRASH_FAULT_FULL)
        #expect(await gate.run())
        setting.disk.heal()
        setting.keeper.finish()
        await setting.writing.value
        try await expectAll(gate, setting)
        await setting.store.close()
    }

    /// The memory for waiting records is bounded, too, and records beyond the bound are counted as lost.
    @Test func recordsBeyondTheBoundAreCounted() async throws {
        let disk = try CrashDisk()
        let store = try await Store.open(disk.database)
        var limits = KeeperQueue.Limits()
        (limits.opened, limits.retryAfter) = (3, .milliseconds(20))
        let keeper = LedgerKeeper(
            store: store, siteKey: try await store.siteKey(), limits: limits,
            clock: .system, spawner: .system, stamp: { StoredGate.stamp },
            onChange: { _ in })
        let writing = Task { await keeper.run() }
        disk.fail(CRASH_FAULT_FULL)
        for number in 0..<5 {
            keeper.recordOutcome(
                VisitRecord(
                    VisitID("visit-\(number)"), using: nil,
                    Outcome(.accepted, gate: .shut, software: StoredGate.software)))
        }
        keeper.finish()
        await writing.value
        #expect(keeper.shortfall.lost == 5)  // two pushed out, three never written
        await store.close()
    }

    /// All outcomes are there, in the order in which they were decided.
    private func expectAll(_ gate: StoredGate, _ setting: Setting) async throws {
        var found: [Text] = []
        for entry in try await setting.store.entries(after: 0, limit: 100) {
            if case .outcome(let record) = try LedgerRecord(bytes: entry.body) { found.append(record.visit) }
        }
        #expect(found == gate.outcomes.map(\.visit))
        let report = try await setting.store.verify()
        #expect(report.isIntact && report.openIntents.isEmpty)
    }
}
