import Appliance
import Encoding
import Foundation
package import Kiosk
package import Ledger
import LinuxIO
import Store

/// The real keeper over a real database in a folder of its own, for the bench: what a visit costs on this machine's disk, or on one
/// whose syncs take longer.
package final class BenchLedger: VisitLedger {
    private let folder: URL
    private let store: Store
    private let keeper: LedgerKeeper
    private let writing: Task<Void, Never>
    private let delay: Duration

    /// A new database below the folder for temporary files; every intent is answered `delay` later than this disk does.
    package init(delay: Duration) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        store = try await Store.open(folder.appendingPathComponent("bench.db").path)
        let keeper = LedgerKeeper(
            store: store, siteKey: try await store.siteKey(),
            stamp: {
                RecordStamp(
                    kiosk: "bench", boot: "bench", time: WallTime(utc: SystemClock.utc(), provenance: .given),
                    monotonic: SystemClock.now())
            }, onChange: { _ in })
        self.keeper = keeper
        self.delay = delay
        writing = Task { await keeper.run() }
    }

    /// Takes over the intent, as ``LedgerKeeper`` does; the answer comes `delay` later.
    package func recordIntent(_ visit: VisitID, answer: @escaping @Sendable (_ failure: String?) -> Void) {
        keeper.recordIntent(visit) { [delay] failure in
            guard delay > .zero else { return answer(failure) }
            Task {
                try? await Task.sleep(for: delay)
                answer(failure)
            }
        }
    }

    /// Takes over the outcome.
    package func recordOutcome(_ visit: VisitID, _ outcome: Outcome, signedDigest: [UInt8]?) {
        keeper.recordOutcome(visit, outcome, signedDigest: signedDigest)
    }

    /// Writes what waits and removes the folder. Returns how many visits have no record.
    package func end() async -> Int {
        keeper.finish()
        await writing.value
        await store.close()
        try? FileManager.default.removeItem(at: folder)
        return keeper.shortfall.lost + keeper.shortfall.reserved
    }
}
