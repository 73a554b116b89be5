package import Encoding
import Foundation
import GRDB
package import Ledger

/// The kiosk's database: ledger, outbox, connections and keys in one SQLite file (WAL, `synchronous=FULL`).
///
/// A method that returns has made its change durable: the write-ahead log was synced. Requests that arrive while a sync
/// is under way share the next one, so a slow card costs delay but not one delay for each record. Nobody on the path
/// from T0 to the gate waits for it (DESIGN section 3). One process owns the file; others may read it
/// (``LedgerReader``).
package actor Store {
    /// Where the database is.
    package nonisolated let path: String
    nonisolated let options: StoreOptions
    private let file: StoreFile
    private let pool: DatabasePool
    private var books: Books
    private var waiting: [Job] = []
    private var isCommitting = false
    private var isClosed = false
    private var idle: [CheckedContinuation<Void, Never>] = []

    /// One request in the queue: runs inside the transaction, and is told how that ended.
    struct Job: Sendable {
        /// Does the work; returns what is to be called once it is durable.
        let run: @Sendable (Database, inout Books) throws -> (@Sendable () -> Void)
        let fail: @Sendable (StoreError) -> Void
    }

    /// Opens the database at `path`, making folder and file (modes 0700, 0600) when they are absent. Waits for the
    /// disk.
    package static func open(_ path: String, options: StoreOptions = StoreOptions()) async throws(StoreError) -> Store {
        try Store(path: path, options: options)
    }

    private init(path: String, options: StoreOptions) throws(StoreError) {
        let file = try StoreFile(path: path)
        do {
            let pool = try DatabasePool(path: path, configuration: Self.configuration())
            try pool.writeWithoutTransaction { db in
                // GRDB sets NORMAL, under which a commit is not synced in WAL mode. Nothing else is durable.
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try db.execute(sql: "PRAGMA wal_autocheckpoint = \(options.checkpointPages)")
                // A log that once grew under a long reader gives its space back.
                try db.execute(sql: "PRAGMA journal_size_limit = 16777216")
                guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else {
                    throw StoreError.unexpected(code: 0, detail: "synchronous=FULL was not accepted")
                }
                try Self.checkOrigin(db, path: path)
            }
            let migrator = Schema.migrator
            if try pool.read(migrator.hasBeenSuperseded) { throw StoreError.newer(path: path) }
            try migrator.migrate(pool)
            self.books = try pool.write { db in
                let random = (0..<16).map { _ in UInt8.random(in: 0...255) }
                return try Books.load(db, newLedger: Text(RandomUUID.text(random) ?? ""), limits: options.limits)
            }
            (self.path, self.options, self.pool) = (path, options, pool)
            self.file = file
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Five connections at most; a reader of our own never blocks the writer.
    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.label = "store"
        configuration.maximumReaderCount = 2
        // Another process may hold the lock for a moment, when it opens or closes the file for reading.
        configuration.busyMode = .timeout(2)
        return configuration
    }

    /// Marks a new file as ours and refuses another program's.
    private static func checkOrigin(_ db: Database, path: String) throws {
        let id = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        if id == Schema.applicationID { return }
        // GRDB's own tables may be there already: the power can fail between any two steps of the first start.
        let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master WHERE name NOT LIKE 'grdb%'")
        guard id == 0, tables == 0 else { throw StoreError.foreign(path: path) }
        try db.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
    }

    /// Waits for what is under way, refuses anything new, copies the log into the database and lets go of the file.
    package func close() async {
        isClosed = true
        if isCommitting { await withCheckedContinuation { idle.append($0) } }
        // GRDB closes its readers last, and those may not empty the log. If this fails the log stays and loses nothing.
        try? await pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        try? pool.close()
        file.release()
    }

    /// The ledger's end as it is durable.
    package var head: LedgerHead { books.head }

    /// What the outbox holds, and what became durable of it.
    package var tally: OutboxTally { books.tally }

    /// A date that has certainly passed: the last one heard (``SavedClock``). Nil on a new box.
    package var savedClock: Timestamp? { books.clock }

    /// Runs `work` in a transaction, together with whatever else waits, and returns once it is durable.
    func commit<Value: Sendable>(
        _ work: @escaping @Sendable (Database, inout Books) throws -> Value
    ) async throws(StoreError) -> Value {
        if isClosed { throw .closed }
        if waiting.count >= options.waiting { throw .overloaded }
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            waiting.append(
                Job(
                    run: { db, books in
                        let value = try work(db, &books)
                        return { continuation.resume(returning: .success(value)) }
                    }, fail: { continuation.resume(returning: .failure($0)) }))
            if !isCommitting {
                isCommitting = true
                // A task of its own: a caller that is cancelled must not take the others' records with it.
                Task { await self.drain() }
            }
        }
        return try result.get()
    }

    /// Reads beside the writer, from the state after the last commit.
    func read<Value: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        if isClosed { throw .closed }
        do {
            return try await pool.read(work)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    private func drain() async {
        while !waiting.isEmpty {
            let batch = Array(waiting.prefix(options.batch))
            waiting.removeFirst(batch.count)
            do {
                let (books, path) = (books, path)
                let done = try await pool.write { db in try Self.run(batch, db, books, path) }
                self.books = done.books
                for finish in done.finish { finish() }
            } catch {
                let error = StoreError(error, path: path)
                for job in batch { job.fail(error) }
            }
        }
        isCommitting = false
        for continuation in idle { continuation.resume() }
        idle = []
    }

    /// Runs the jobs of one transaction. A job that breaks a rule is undone alone; a disk that fails undoes them all.
    private static func run(
        _ batch: [Job], _ db: Database, _ before: Books, _ path: String
    ) throws -> (books: Books, finish: [@Sendable () -> Void]) {
        var books = before
        var finish: [@Sendable () -> Void] = []
        for job in batch {
            var copy = books
            do {
                var done: (@Sendable () -> Void)?
                try db.inSavepoint {
                    done = try job.run(db, &copy)
                    return .commit
                }
                books = copy
                if let done { finish.append(done) }
            } catch {
                let error = StoreError(error, path: path)
                if error.endsTransaction { throw error }
                finish.append { job.fail(error) }
            }
        }
        if books != before { try books.save(db) }
        return (books, finish)
    }
}
