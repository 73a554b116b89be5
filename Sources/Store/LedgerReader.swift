package import Encoding
import Foundation
import GRDB
import Glibc
package import Ledger

/// Reads the ledger in a database that another process may have open: `gatehouse ledger list|verify`.
///
/// The reader never delays the writer, so these commands work while the service runs. In WAL mode, a query sees the
/// state after the last commit before it. A long query only delays the truncation of the write-ahead log. SQLite
/// writes its `-shm` file even for reading, so the reader must run as the service's user or root.
package struct LedgerReader: Sendable {
    private let queue: DatabaseQueue
    private let path: String

    /// Opens an existing database for reading.
    package init(path: String) throws(StoreError) {
        queue = try Self.open(path, id: Schema.applicationID, Schema.migrator())
        self.path = path
    }

    /// Opens an existing database of this program for reading. `id`: the required value of SQLite's `application_id`.
    /// Throws `foreign` for another value, and `newer` if a newer version of the program migrated the database.
    static func open(_ path: String, id: Int, _ migrator: DatabaseMigrator) throws(StoreError) -> DatabaseQueue {
        if let obstacle = StoreFile.obstacle(path) { throw obstacle }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.label = "reader"
        configuration.prepareDatabase { db in try db.distrustFile(path) }
        // The process that owns the database may have an exclusive lock on it for a moment while it opens or closes
        // the database.
        configuration.busyMode = .timeout(10)
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let (found, superseded) = try queue.read { db in
                (try Int.fetchOne(db, sql: "PRAGMA application_id"), try migrator.hasBeenSuperseded(db))
            }
            guard found == id else { throw StoreError.foreign(path: path) }
            if superseded { throw StoreError.newer(path: path) }
            return queue
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Returns the entries after `position` in order, at most `limit` of them.
    package func entries(after position: Int, limit: Int) async throws(StoreError) -> [LedgerEntry] {
        try await read { db in try LedgerQueries.entries(db, after: position, limit: limit) }
    }

    /// Returns the hash of the entry at `position`, or of the newest entry that is no longer on disk; nil for any
    /// other position.
    package func hash(at position: Int) async throws(StoreError) -> ChainHash? {
        try await read { db in try LedgerQueries.hash(db, at: position) }
    }

    /// Returns the number of outcomes at the positions after `position` up to and including `last`.
    package func outcomes(after position: Int, through last: Int) async throws(StoreError) -> Int {
        try await read { db in
            try Int.fetchOne(
                db, sql: "SELECT count(*) FROM entry WHERE position > ? AND position <= ? AND kind = 'outcome'",
                arguments: [position, last]) ?? 0
        }
    }

    /// Returns the last visits, newest first, at most `limit`.
    package func visits(last limit: Int) async throws(StoreError) -> [ListedVisit] {
        try await read { db in try LedgerQueries.visits(db, last: limit) }
    }

    /// Reads and verifies the whole ledger. With a `proof`, also compares the ledger with its seal and its witness.
    package func verify(
        checkpoints: [Checkpoint] = [], proof: Proof? = nil, limits: LedgerLimits = LedgerLimits()
    ) async throws(StoreError) -> ChainReport {
        try await read { db in
            try LedgerAudit.whole(db, checkpoints: checkpoints, limits: limits, proof: proof)
        }
    }

    /// Returns the stored state of the ledger. Throws if the database contains none.
    package func state(
        limits: LedgerLimits = LedgerLimits()
    ) async throws(StoreError) -> LedgerState {
        try await read { db in
            guard let (books, _) = try LedgerFigures.read(db, limits: limits, key: nil) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the ledger's end is not recorded")
            }
            return books.state
        }
    }

    /// Returns the date below which the next start does not set its clock (``SavedClock``); nil if the database has
    /// none.
    package func savedClock() async throws(StoreError) -> Timestamp? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT clock FROM chain WHERE one = 1")?.textIfPresent("clock")
                .flatMap { Timestamp(rfc3339: $0.string) }
        }
    }

    /// Returns a stored setting (``Store/setting(_:)``); nil if it was never set.
    package func setting(_ name: Text) async throws(StoreError) -> [UInt8]? {
        try await read { db in try Store.setting(name, db) }
    }

    /// Copies the present state of the database into a new file at `target` with mode 0600, without a write-ahead
    /// log. The copy is not synced.
    ///
    /// The copy contains the state at its beginning. It does not delay commits of the service, but the write-ahead
    /// log grows meanwhile. After each ``pagesAtATime`` pages the function pauses as long as copying them took, at
    /// most 200 ms. `progress` receives the number of copied pages and the total number; if it throws, the copy ends.
    package func copy(
        to target: String, progress: @escaping @Sendable (_ done: Int, _ total: Int) throws -> Void
    ) async throws(StoreError) {
        try await Self.copy(queue, path, to: target, progress: progress)
    }

    /// Copies the present state of the database at `path` into a new file at `target`, as ``copy(to:progress:)``
    /// does.
    static func copy(
        _ queue: DatabaseQueue, _ path: String, to target: String,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) throws -> Void
    ) async throws(StoreError) {
        do {
            for ending in ["", "-wal", "-shm", "-journal"] { unlink(target + ending) }
            try StoreFile.makePrivate(target, in: StoreFile.folder(of: target))
            let copy = try DatabaseQueue(path: target)
            try await queue.read { db in
                // The first query of the transaction determines the state that is copied. It is the query of this
                // check.
                try db.checkSchema(path)
                var began = ContinuousClock.now
                try copy.writeWithoutTransaction { target in
                    try target.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
                    try db.backup(to: target, pagesPerStep: CInt(pagesAtATime)) { state in
                        try progress(state.completedPageCount, state.totalPageCount)
                        let took = min(began.duration(to: .now), .milliseconds(200))
                        if state.remainingPageCount > 0 { Thread.sleep(forTimeInterval: took / .seconds(1)) }
                        began = .now
                    }
                }
            }
            try copy.close()
            // The first page of the copy still states that the database has a write-ahead log.
            let alone = try DatabaseQueue(path: target)
            try await alone.writeWithoutTransaction { db in
                guard try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE") == "delete" else {
                    throw StoreError.unexpected(code: 0, detail: "the copy still has its log")
                }
            }
            try alone.close()
        } catch {
            for ending in ["", "-wal", "-shm", "-journal"] { unlink(target + ending) }
            throw StoreError(error, path: target)
        }
    }

    /// The number of pages copied between two pauses.
    static let pagesAtATime = 1024

    private func read<Value: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await queue.read { [path] db in
                // Check the schema again: the process that owns the file may have changed it since the opening. It
                // cannot change during this read.
                try db.checkSchema(path)
                return try work(db)
            }
        } catch {
            throw StoreError(error, path: path)
        }
    }
}
