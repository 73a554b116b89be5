import Clocks
import Encoding
package import Foundation
import GateService
import Glibc
package import Kiosk
package import Ledger
import LinuxIO
package import Store

/// A real ``LedgerKeeper`` with a real database and witness, in a folder of its own. ``slow(by:)`` simulates a slower
/// disk: it delays every sync.
package final class BenchLedger: VisitLedger {
    /// The database of the ledger.
    package let store: Store
    /// The key that makes the names of credentials in records.
    package let siteKey: SiteKey
    /// Counts the writes and syncs in the folder.
    package let meter: DiskMeter
    private let folder: URL
    private let keeper: LedgerKeeper
    private let writing: Task<Void, Never>

    /// Creates a database in a new folder below `parent`, by default the folder for temporary files.
    package init(below parent: URL = FileManager.default.temporaryDirectory) async throws {
        folder = parent.appendingPathComponent("gatehouse-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let meter = try DiskMeter(folder: folder.path)
        var witness = WitnessSource(
            path: folder.appendingPathComponent("witness").path, keyPath: folder.appendingPathComponent("key").path,
            code: "bench")
        witness.sync = { descriptor, bytes in
            meter.note(bytes: bytes)
            return OpenFile.syncData(descriptor)
        }
        store = try await Store.open(folder.appendingPathComponent("gatehouse.sqlite").path, witness: witness)
        siteKey = try await store.siteKey()
        let keeper = LedgerKeeper(
            store: store, siteKey: siteKey, clock: .system, spawner: .system,
            stamp: {
                RecordStamp(
                    kiosk: "bench", boot: "b0070000-0000-4000-8000-000000000000",
                    time: WallTime(utc: Clock.system.utc(), provenance: .given), monotonic: Clock.system.now())
            }, onChange: { _ in })
        (self.keeper, self.meter) = (keeper, meter)
        writing = Spawner.system.start("the keeper of the bench") { await keeper.run() }
    }

    /// Delays every later sync of database and witness by the duration `delay`.
    package func slow(by delay: Duration) { meter.slow(by: delay) }

    /// The size of the database file in bytes, without its write-ahead log.
    package var size: Int {
        let path = folder.appendingPathComponent("gatehouse.sqlite").path
        return (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
    }

    /// Records an intent, and calls `answer` when the intent is durable or has failed.
    package func recordIntent(_ intent: IntentID, answer: @escaping @Sendable (_ failure: LedgerFailure?) -> Void) {
        keeper.recordIntent(intent, answer: answer)
    }

    /// Records a decision and the replay names of its credential.
    package func recordDecision(_ record: VisitRecord, names: [ReplayName]) {
        keeper.recordDecision(record, names: names)
    }

    /// Records an outcome. Removes the names in `forgetting` from the replay memory.
    package func recordOutcome(_ record: VisitRecord, forgetting: [ReplayName]) {
        keeper.recordOutcome(record, forgetting: forgetting)
    }

    /// Writes the waiting records without the delay of ``slow(by:)``. Returns the number of visits that have no record
    /// in the ledger afterwards.
    package func finish() async -> Int {
        slow(by: .zero)
        keeper.finish()
        await writing.value
        return keeper.shortfall.lost + keeper.shortfall.reserved
    }

    /// Closes the database, which copies its write-ahead log into the database file, and removes the folder. Call this
    /// function after ``finish()``. Returns the size of the closed database in bytes.
    package func remove() async -> Int {
        await store.close()
        defer { try? FileManager.default.removeItem(at: folder) }
        return size
    }
}
