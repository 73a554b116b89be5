import CrashKit
import CrashVFS
import GRDB
import TestKit
import Testing

@testable import Store

/// A disk that fails once during the first start.
@Suite(.timeLimit(.minutes(5)), .tags(.models)) struct FirstStartFaultTests {
    /// The database has a write-ahead log at each opening that succeeds, whichever operation failed before.
    @Test(arguments: [CRASH_FAULT_FULL.rawValue, CRASH_FAULT_IO.rawValue])
    func theDatabaseHasAWriteAheadLog(fault: UInt32) async throws {
        let calm = try CrashDisk()
        try await Store.open(calm.database).close()
        var (failures, modes) = (0, [String: Int]())
        for operation in 0..<calm.operations {
            let disk = try CrashDisk()
            disk.fail(operation, crash_fault(fault))
            var store: Store?
            for _ in 0..<5 where store == nil {
                do throws(StoreError) { store = try await Store.open(disk.database) } catch { failures += 1 }
            }
            disk.heal()
            try #require(store != nil, "operation \(operation)")
            await store?.close()
            // A connection that sets no mode reads the mode from the file.
            let queue = try DatabaseQueue(path: disk.database)
            let mode = try await queue.read { db in try String.fetchOne(db, sql: "PRAGMA journal_mode") }
            try queue.close()
            modes[mode ?? "-", default: 0] += 1
        }
        #expect(failures > 10)
        #expect(modes == ["wal": Int(calm.operations)])
    }
}
