package import Encoding
import Foundation
import GRDB
package import Ledger

/// Reads the ledger of a database that somebody else may own: `gatehouse ledger list|verify`.
///
/// No lock is taken. In WAL mode a reader sees the state after the last commit before its query and never holds up the
/// writer, so these commands work the same beside the running service and without it. A long query only keeps the log
/// from being emptied meanwhile. SQLite needs to write its `-shm` file even to read: the user must be the service's
/// own, or root.
package struct LedgerReader: Sendable {
    private let queue: DatabaseQueue
    private let path: String

    /// Opens an existing database for reading.
    package init(path: String) throws(StoreError) {
        guard StoreFile.exists(path) else { throw .absent(path: path) }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.label = "reader"
        // The owner may hold an exclusive lock for a moment, when it opens or closes the file.
        configuration.busyMode = .timeout(10)
        do {
            queue = try DatabaseQueue(path: path, configuration: configuration)
            let (id, superseded) = try queue.read { db in
                (try Int.fetchOne(db, sql: "PRAGMA application_id"), try Schema.migrator().hasBeenSuperseded(db))
            }
            guard id == Schema.applicationID else { throw StoreError.foreign(path: path) }
            if superseded { throw StoreError.newer(path: path) }
        } catch {
            throw StoreError(error, path: path)
        }
        self.path = path
    }

    /// Entries from the one behind `position` on, at most `limit`.
    package func entries(after position: Int, limit: Int) async throws(StoreError) -> [LedgerEntry] {
        try await read { db in try LedgerQueries.entries(db, after: position, limit: limit) }
    }

    /// The last visits, newest first.
    package func visits(last limit: Int) async throws(StoreError) -> [ListedVisit] {
        try await read { db in try LedgerQueries.visits(db, last: limit) }
    }

    /// Reads the whole ledger and proves it, with a `proof` by its seal and its witness too.
    package func verify(
        checkpoints: [Checkpoint] = [], proof: Proof? = nil, limits: LedgerLimits = LedgerLimits()
    ) async throws(StoreError) -> ChainReport {
        try await read { db in
            try LedgerAudit.whole(db, checkpoints: checkpoints, limits: limits, proof: proof)
        }
    }

    /// The ledger's figures as they are stored, and the place that a position has in the chain; nil when there is none.
    package func state(
        limits: LedgerLimits = LedgerLimits()
    ) async throws(StoreError) -> LedgerState {
        try await read { db in
            guard let (books, _) = try Books.read(db, limits: limits, key: nil) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the ledger's end is not recorded")
            }
            return books.state
        }
    }

    /// The lower bound of the date that the service would start with (``SavedClock``); nil on a new box.
    package func savedClock() async throws(StoreError) -> Timestamp? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT clock FROM chain WHERE one = 1")?.textIfPresent("clock")
                .flatMap { Timestamp(rfc3339: $0.string) }
        }
    }

    private func read<Value: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await queue.read(work)
        } catch {
            throw StoreError(error, path: path)
        }
    }
}
