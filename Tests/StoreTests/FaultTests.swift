import CrashKit
import CrashVFS
import Encoding
import Foundation
import GRDB
import Ledger
import TestKit
import Testing

@testable import Store

/// Makes every single disk operation fail, with a full disk and with an I/O error, once and several times in
/// succession.
@Suite(.tags(.models)) struct FaultTests {
    /// After an interrupted run, the opening writes the content of the write-ahead log into the database: if a sync of
    /// that run failed, the log may never reach the disk.
    @Test func theOpeningCopiesTheLog() async throws {
        let folders = try (1...3).map { try TestFolder("log-\($0)", inMemory: true) }
        let paths = folders.map(\.database)
        let first = try await Store.open(paths[0])
        for number in 1...3 { try await first.appendIntent(Samples.visit(number), stamp: Samples.stamp) }
        for ending in ["", "-wal", ".agent-key"] {
            try FileManager.default.copyItem(atPath: paths[0] + ending, toPath: paths[1] + ending)
        }
        await first.close()
        let store = try await Store.open(paths[1])
        #expect(await store.head.point.count == 3)
        try FileManager.default.copyItem(atPath: paths[1], toPath: paths[2])
        let alone = try DatabaseQueue(path: paths[2])
        #expect(try await alone.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM entry") } == 3)
        try alone.close()
        await store.close()
    }

    /// A database that was cut under an undamaged log: SQLite reads and writes it, but cannot copy the log. A new
    /// ledger begins, as after other damage, and the log that was found is evidence.
    @Test func aCutDatabaseWithAWholeLogBeginsANewLedger() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        let path = witnessed.folder.database
        var store = try await witnessed.open()
        for number in 100..<700 {
            try await store.appendOutcome(Samples.visit(number), Samples.accepted, stamp: Samples.stamp)
        }
        await store.close()
        store = try await witnessed.open()
        try await store.appendOutcome(Samples.visit(700), Samples.accepted, stamp: Samples.stamp)
        await store.updateWitness()
        let database = try Data(contentsOf: URL(fileURLWithPath: path))
        let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        await store.close()
        try database.prefix(database.count / 512 / 2 * 512).write(to: URL(fileURLWithPath: path))
        try log.write(to: URL(fileURLWithPath: path + "-wal"))
        store = try await witnessed.open()
        #expect(store.hasBegunNewLedger)
        #expect(store.found.first == path + ".found-1-wal")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".found-1-wal")) == log)
        await store.close()
    }

    @Test(.timeLimit(.minutes(10)), arguments: [CRASH_FAULT_FULL.rawValue, CRASH_FAULT_IO.rawValue])
    func aFailingDiskCostsAnErrorAndNothingElse(fault: UInt32) async throws {
        var calm = FaultyDay(try CrashDisk())
        await calm.run()
        let operations = calm.disk.operations
        #expect(calm.problems == [] && calm.errors.isEmpty)
        var problems: [String] = []
        var errors: [StoreError] = []
        for operation in 0..<operations {
            let count: UInt64 = operation.isMultiple(of: 3) ? 7 : 1
            let disk = try CrashDisk()
            disk.fail(operation, count: count, crash_fault(fault))
            var day = FaultyDay(disk)
            await day.run()
            errors += day.errors
            // Data that the failed sync lost must not be missing after a power cut at the end.
            let after = try disk.cut(before: .max, CRASH_KEEP_NONE, seed: operation)
            day.problems += await day.examine(after)
            problems += day.problems.map { "operation \(operation) of \(operations), \(count) times: \($0)" }
        }
        let full = errors.count { if case .diskFull = $0 { true } else { false } }
        print(
            "faults: \(operations) operations failed in turn, \(errors.count) errors (\(full) disk full), "
                + "\(problems.count) problems"
        )
        #expect(errors.count > 100)
        if fault == CRASH_FAULT_FULL.rawValue { #expect(full > 50) } else { #expect(full == 0) }
        #expect(problems.prefix(5) == [])
    }
}

/// A few visits by a caller that, like the driver, retries after an error.
private struct FaultyDay {
    let disk: CrashDisk
    var errors: [StoreError] = []
    var problems: [String] = []
    private var promised: [Text: [UInt8]] = [:]

    init(_ disk: CrashDisk) { self.disk = disk }

    mutating func run() async {
        guard let first = await open() else { return }
        await spend(first)
        await first.close()
        guard let second = await open() else { return }
        let store = second.store
        let closed = await attempt { () async throws(StoreError) in
            try await store.recover(stamp: Samples.stamp, software: Samples.software)
        }
        for record in closed ?? [] { promised[record.visit] = LedgerRecord.outcome(record).bytes }
        await visit(4, store)
        await second.close()
    }

    private mutating func spend(_ both: Databases) async {
        let (store, courier) = (both.store, both.courier)
        for number in 1...2 { await visit(number, store) }
        await attempt { () async throws(StoreError) in
            try await courier.saveConnection("agent", [7])
        }
        await attempt { () async throws(StoreError) in
            try await store.takeOver(DeliveryCursor.primary, by: "agent", insteadOf: nil)
        }
        await attempt { () async throws(StoreError) in
            try await store.confirm(DeliveryCursor.primary, upTo: 2, over: "agent")
        }
        await attempt { () async throws(StoreError) in
            try await store.appendIntent(Samples.visit(3), stamp: Samples.stamp)
        }
    }

    /// Compares the final content of the disk with the promises.
    func examine(_ disk: CrashDisk) async -> [String] {
        do {
            let both = try await Databases.open(disk.database)
            let store = both.store
            var problems: [String] = []
            let report = try await store.verify()
            if !report.isIntact || !report.openIntents.isEmpty || report.entries != 8 { problems += report.lines }
            let bodies = Set(try await store.entries(after: 0, limit: 100).map(\.body))
            for (visit, content) in promised where !bodies.contains(content) {
                problems.append("record of \(visit) lost or changed")
            }
            if promised.count != 4 { problems.append("\(promised.count) outcomes") }
            if await store.deliveries[DeliveryCursor.primary]?.confirmed != 2 { problems.append("receipt forgotten") }
            if try await both.courier.connections().first?.snapshot != [7] { problems.append("connection lost") }
            if both.courier.damage != nil { problems.append("the courier's database is damaged") }
            await both.close()
            return problems
        } catch {
            return ["\(error)"]
        }
    }

    private mutating func visit(_ number: Int, _ store: Store) async {
        await attempt { () async throws(StoreError) in
            try await store.appendIntent(Samples.visit(number), stamp: Samples.stamp)
        }
        let record = await attempt { () async throws(StoreError) in
            try await store.appendOutcome(Samples.visit(number), Samples.accepted, stamp: Samples.stamp)
        }
        if let record { promised[record.visit] = LedgerRecord.outcome(record).bytes }
    }

    private mutating func open() async -> Databases? {
        let path = disk.database
        var options = StoreOptions()
        // The store copies the write-ahead log after two requests, so disk faults also hit this copy.
        (options.checkpointRequests, options.checkpointRest) = (2, .zero)
        let bounded = options
        return await attempt { () async throws(StoreError) in try await Databases.open(path, options: bounded) }
    }

    /// Retries until the work succeeds. Only the errors of a failing disk are allowed before the success.
    @discardableResult
    private mutating func attempt<Value: Sendable>(_ work: () async throws(StoreError) -> Value) async -> Value? {
        for _ in 0..<20 {
            do throws(StoreError) {
                return try await work()
            } catch {
                errors.append(error)
                switch error {
                case .diskFull, .inputOutput: if !error.remedy.isEmpty { continue }
                default: break
                }
                problems.append("\(error)")
                return nil
            }
        }
        problems.append("no success after 20 attempts")
        return nil
    }
}
