import CrashKit
import CrashVFS
import Encoding
import GRDB
import Ledger
import TestKit
import Testing

@testable import Store

/// The hand-over of the rows about agents when the power is cut, or the disk fails, at each of its operations on either
/// file.
@Suite(.timeLimit(.minutes(10)), .tags(.models)) struct HandOverCrashTests {
    /// Opens both databases as the next start does, twice. Returns the differences from the rows before the hand-over.
    private static func examine(_ disk: CrashDisk, _ old: OldLedger) async -> [String] {
        var problems: [String] = []
        do {
            for start in 1...2 {
                let both = try await Databases.open(disk.database)
                if both.courier.damage != nil { problems.append("start \(start): the courier's database is damaged") }
                let states = try await both.courier.connections().map(\.snapshot)
                if states != OldLedger.states { problems.append("start \(start): \(states.map(\.count)) bytes") }
                let route = await both.store.deliveries[DeliveryCursor.primary]?.connection
                if route != "agent" { problems.append("start \(start): the route is \(route ?? "-")") }
                if try await !both.store.verify().isIntact { problems.append("start \(start): the ledger is changed") }
                await both.close()
                let rows = try OldForm.rows(disk.database + ".courier")
                for (table, before) in old.rows where rows[table] != before {
                    problems.append("start \(start): \(table) has \(rows[table]?.count ?? -1) of \(before.count) rows")
                }
                if try OldForm.rows(disk.database)["connection"] != nil { problems.append("start \(start): repeated") }
            }
        } catch {
            problems.append("\(error)")
        }
        return problems
    }

    @Test func aPowerCutAtAnyOperationLosesNothing() async throws {
        let disk = try CrashDisk()
        let old = try await OldLedger(disk.database)
        let began = disk.operations
        try await Databases.open(disk.database).close()
        var (random, states, second, problems) = (SplitMix(state: 0xC0), Set<UInt64>(), 0, [String]())
        for operation in began...disk.operations {
            for survival in [CRASH_KEEP_NONE, CRASH_KEEP_ALL, CRASH_KEEP_SOME] {
                let seed = random.next()
                let after = try disk.cut(before: operation, survival, seed: seed)
                guard states.insert(after.fingerprint).inserted else { continue }
                let found = await Self.examine(after, old)
                problems += found.map { "cut before \(operation), keep \(survival.rawValue), seed \(seed): \($0)" }
                // Cut the power a second time, during the start after the first cut.
                guard survival == CRASH_KEEP_SOME, found.isEmpty, operation.isMultiple(of: 3) else { continue }
                second += 1
                let moment = UInt64.random(in: after.firstOperation...after.operations, using: &random)
                let again = try after.cut(before: moment, CRASH_KEEP_SOME, seed: seed)
                problems += await Self.examine(again, old).map {
                    "cut before \(operation), then \(moment), seed \(seed): \($0)"
                }
            }
        }
        print(
            "hand-over: \(disk.operations - began) operations, \(states.count) states examined, "
                + "\(second) second cuts, \(problems.count) problems")
        #expect(states.count > 30 && second > 5)
        #expect(problems.prefix(5) == [])
    }

    /// The test of the examination: on a disk that loses the courier's rows, it finds that.
    @Test func lostRowsAreNoticed() async throws {
        let disk = try CrashDisk()
        let old = try await OldLedger(disk.database)
        let both = try await Databases.open(disk.database)
        try await both.courier.forgetConnection("replaced")
        await both.close()
        #expect(await !Self.examine(disk, old).isEmpty)
    }

    /// A start whose disk is full or fails reports that, and a later start hands everything over.
    @Test(arguments: [CRASH_FAULT_FULL.rawValue, CRASH_FAULT_IO.rawValue])
    func aFailingDiskDelaysTheHandOver(fault: UInt32) async throws {
        let disk = try CrashDisk()
        let old = try await OldLedger(disk.database)
        let calm = try disk.cut(before: .max, CRASH_KEEP_ALL, seed: 0)
        let begun = calm.operations
        try await Databases.open(calm.database).close()
        let operations = calm.operations - begun
        var (failures, problems) = (0, [String]())
        for operation in 0..<operations {
            let place = "operation \(operation) of \(operations)"
            let failing = try disk.cut(before: .max, CRASH_KEEP_ALL, seed: 0)
            let count: UInt64 = operation.isMultiple(of: 3) ? 7 : 1
            failing.fail(failing.operations + operation, count: count, crash_fault(fault))
            for _ in 0..<20 {
                do throws(StoreError) {
                    try await Databases.open(failing.database).close()
                    break
                } catch {
                    failures += 1
                    switch error {
                    case .diskFull, .inputOutput: continue
                    default: problems.append("\(place): \(error)")
                    }
                }
            }
            failing.heal()
            // What a failed sync lost must not be missing after a power cut.
            let after = try failing.cut(before: .max, CRASH_KEEP_NONE, seed: operation)
            problems += await Self.examine(failing, old).map { "\(place): \($0)" }
            problems += await Self.examine(after, old).map { "\(place), then a power cut: \($0)" }
        }
        print("hand-over: \(operations) operations failed in turn, \(failures) errors, \(problems.count) problems")
        #expect(operations > 30 && failures > 10)
        #expect(problems.prefix(5) == [])
    }

    /// A read that fails during an opening is an error that is tried again. It is no damage of the file with the keys.
    @Test func aFailingReadPutsNothingAside() async throws {
        let disk = try CrashDisk()
        let both = try await Databases.open(disk.database)
        try await both.connect()
        for number in 1...40 {
            let bytes = [UInt8](repeating: 7, count: 300)
            try await both.courier.setAside(bytes, uid: Text("m\(number)"), for: "", reason: "no key")
        }
        await both.close()
        let begun = disk.reads
        try await CourierStore.open(besides: disk.database).close()
        let reads = disk.reads - begun
        #expect(reads > 20)
        for number in 0..<reads {
            disk.failReads(disk.reads + number)
            do throws(StoreError) {
                let courier = try await CourierStore.open(besides: disk.database)
                #expect(courier.damage == nil, "read \(number) of \(reads)")
                await courier.close()
            } catch {
                guard case .inputOutput = error else { Issue.record("read \(number): \(error)"); continue }
            }
            disk.failReads(0, count: 0)
        }
        let courier = try await CourierStore.open(besides: disk.database)
        #expect(try await courier.connections().map(\.snapshot) == [[1]])
        #expect(try await courier.quarantine().count == 40)
        await courier.close()
    }

    /// The courier's database cannot be written for long: meanwhile the ledger's works, and keeps the rows.
    @Test func theLedgerWorksWhileTheHandOverWaits() async throws {
        let disk = try CrashDisk()
        let old = try await OldLedger(disk.database)
        let store = try await Store.open(disk.database)
        disk.fail(CRASH_FAULT_FULL)
        await #expect(throws: StoreError.self) { _ = try await Databases.attach(store) }
        disk.heal()
        try await store.appendIntent(Samples.visit(9), stamp: Samples.stamp)
        try await store.appendOutcome(Samples.visit(9), Samples.accepted, stamp: Samples.stamp)
        let rows = try await store.read { db in try db.tableExists("connection") }
        #expect(rows)
        try await Databases.attach(store).courier.close()
        await store.close()
        #expect(await Self.examine(disk, old) == [])
    }
}
