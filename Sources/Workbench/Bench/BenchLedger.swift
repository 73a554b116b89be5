import Appliance
import Encoding
package import Foundation
import Glibc
package import Kiosk
package import Ledger
import LinuxIO
package import Store

/// The real keeper over a real database with its witness in a folder of its own, on this machine's disk or on a slower one:
/// every sync of either takes as much longer as ``slow(by:)`` says.
package final class BenchLedger: VisitLedger {
    /// The database.
    package let store: Store
    /// The key under which visitors are remembered.
    package let siteKey: SiteKey
    /// What the disk was asked.
    package let meter: DiskMeter
    private let folder: URL
    private let keeper: LedgerKeeper
    private let writing: Task<Void, Never>

    /// A new database in a folder of its own below `parent`, by default below that for temporary files.
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
            return fdatasync(descriptor)
        }
        store = try await Store.open(folder.appendingPathComponent("gatehouse.sqlite").path, witness: witness)
        siteKey = try await store.siteKey()
        let keeper = LedgerKeeper(
            store: store, siteKey: siteKey,
            stamp: {
                RecordStamp(
                    kiosk: "bench", boot: "b0070000-0000-4000-8000-000000000000",
                    time: WallTime(utc: SystemClock.utc(), provenance: .given), monotonic: SystemClock.now())
            }, onChange: { _ in })
        (self.keeper, self.meter) = (keeper, meter)
        writing = Task { await keeper.run() }
    }

    /// Lets every sync of database and witness take that much longer.
    package func slow(by delay: Duration) { meter.slow(by: delay) }

    /// Bytes of the database without its log.
    package var size: Int {
        let path = folder.appendingPathComponent("gatehouse.sqlite").path
        return (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
    }

    /// Takes over the intent, as ``LedgerKeeper`` does.
    package func recordIntent(_ intent: IntentID, answer: @escaping @Sendable (_ failure: String?) -> Void) {
        keeper.recordIntent(intent, answer: answer)
    }

    /// Takes over what was decided, and who was let in.
    package func recordDecision(_ record: VisitRecord, names: [ReplayName]) {
        keeper.recordDecision(record, names: names)
    }

    /// Takes over the outcome.
    package func recordOutcome(_ record: VisitRecord, forgetting: [ReplayName]) {
        keeper.recordOutcome(record, forgetting: forgetting)
    }

    /// Writes what waits, at the disk's own speed. Returns how many visits have no record.
    package func finish() async -> Int {
        slow(by: .zero)
        keeper.finish()
        await writing.value
        return keeper.shortfall.lost + keeper.shortfall.reserved
    }

    /// Closes the database, which copies its log, and removes the folder; after ``finish()``. Returns the size of the database
    /// before that.
    package func remove() async -> Int {
        await store.close()
        defer { try? FileManager.default.removeItem(at: folder) }
        return size
    }
}
