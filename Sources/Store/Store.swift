import Clocks
package import Encoding
import Foundation
import GRDB
package import Ledger

/// The gate's main database: the ledger, the delivery cursors and the site key in one SQLite file (WAL,
/// `synchronous=FULL`). The connections to agents are in another file (``CourierStore``), on which the gate does not
/// depend.
///
/// When a method returns, its change is durable: the write-ahead log was synced. Requests that arrive during a sync
/// share the next sync, so a slow disk does not delay each record separately. No step between T0 (the write that
/// completes the credential) and the opening of the gate waits for a sync. Only one process at a time owns the file;
/// others may read it (``LedgerReader``).
package actor Store {
    /// The path of the database.
    package nonisolated let path: String
    nonisolated let options: StoreOptions
    /// The result of comparing the ledger with its witness when the database was opened; nil without a witness.
    package nonisolated let standing: WitnessComparison?
    /// Whether a new ledger replaced another ledger at the opening.
    package nonisolated var hasBegunNewLedger: Bool {
        switch standing {
        case .rewritten, .restored: true
        default: false
        }
    }
    /// The paths of the copies of the files that this start found; empty if no fault was found in the files.
    package nonisolated let found: [String]
    /// The paths of the files of earlier ledgers that this opening removed, because ``PastDebt/ledgers`` newer ones
    /// exist.
    package nonisolated let removed: [String]
    /// The debts (unconfirmed parts of earlier ledgers) that this opening removed. The destinations never get these
    /// entries.
    package nonisolated let givenUp: [PastDebt]
    /// The state of the secret keys in the database.
    package nonisolated let keysAtRest: KeysAtRest
    nonisolated let sealing: SealingKeys
    let witness: Witness?
    let file: StoreFile
    nonisolated let pool: DatabasePool
    /// The database connection that copies the write-ahead log into the database while the writer runs
    /// (``Store/rest()``).
    private let copier: DatabaseQueue
    private var copying: Task<Void, Never>?
    /// The number of requests since the last copy of the write-ahead log into the database.
    private var uncopied = 0
    /// SQLite's count of commits by other database connections; nil if unknown.
    private var foreignChanges: Int?
    private(set) var books: LedgerFigures
    var witnessing: Witnessing
    private var waiting: [Job] = []
    private var isCommitting = false
    private var isClosed = false
    private var idle: [CheckedContinuation<Void, Never>] = []

    /// A request that waits for a transaction. It runs in the transaction and then gets the transaction's result.
    struct Job: Sendable {
        /// Does the work. Returns a closure that reports success; it is called when the work is durable.
        let run: @Sendable (Database, inout LedgerFigures) throws -> (@Sendable () -> Void)
        let fail: @Sendable (StoreError) -> Void
    }

    /// Opens the database at `path`. Creates an absent folder and file (modes 0700, 0600), unless
    /// ``StoreOptions/mayMake`` forbids it. Blocks on the disk.
    ///
    /// With a `witness`, the ledger is first compared with the witness. If the witness contradicts the ledger, the
    /// ledger's file is renamed to `PATH.rewritten-N`, and a new ledger with the same cursors and site key replaces
    /// it; ``standing`` is then `rewritten`. `onWrite` is called, from any thread, after each attempt to write a
    /// statement of the witness, with nil on success and the error otherwise. It is also called during an attempt
    /// that takes longer than ``StoreOptions/witnessLimit``.
    ///
    /// The key of `sealing`, by default in the file `PATH.agent-key`, seals the other secret keys in the database. If
    /// it is missing, these keys cannot be opened, but the rest of the store works, and ``keysAtRest`` contains the
    /// reason.
    package static func open(
        _ path: String, options: StoreOptions = StoreOptions(), witness: WitnessSource? = nil,
        sealing: SealingSource? = nil, onWrite: @escaping @Sendable (StoreError?) -> Void = { _ in }
    ) async throws(StoreError) -> Store {
        try Store(
            path: path, options: options, witness: witness,
            sealing: sealing ?? SealingSource(path: path + ".agent-key"), onWrite: onWrite)
    }

    private init(
        path: String, options: StoreOptions, witness source: WitnessSource?, sealing: SealingSource,
        onWrite: @escaping @Sendable (StoreError?) -> Void
    ) throws(StoreError) {
        // Check this before any file is created: a new, empty database would destroy evidence.
        if !options.mayBeginNewLedger, let doubt = source?.contradiction(toAbsent: path) { throw doubt }
        let file = try StoreFile(path: path, mayMake: options.mayMake)
        var (witness, keyless): (Witness?, WitnessComparison?)
        // Every existing ledger has a key, in this file or elsewhere. Therefore only a start of the service may make
        // a key for an existing ledger.
        let mayMakeKey = options.mayMake && (options.mayBeginNewLedger || !StoreFile.hasContent(path))
        do throws(StoreError) {
            witness = try source.map { source throws(StoreError) in
                try Witness(source, mayMakeKey: mayMakeKey, onWrite: onWrite)
            }
        } catch {
            if !options.mayBeginNewLedger { throw .doubtful(path: path, detail: "its key: \(error.text)") }
            // A missing key must not stop the gate. The ledger continues without a seal and without statements of the
            // witness; ``standing`` reports this.
            keyless = .unwitnessed("its key: \(error.text)")
        }
        let opened = try Opening(
            path: path, options: options, witness: witness, restoredCode: source?.restoredCode ?? ""
        ).run()
        (self.path, self.options, self.witness, self.standing) = (path, options, witness, opened.standing ?? keyless)
        (self.file, self.pool, found, removed) = (file, opened.pool, opened.found, opened.removed)
        givenUp = opened.givenUp
        do {
            var books = opened.books
            // The key also seals values in the courier's database.
            (self.sealing, keysAtRest) = try books.seal(
                pool, by: sealing, mayMakeKey: options.mayMake,
                hasOthers: StoreFile.hasContent(StoreFile.courier(of: path)), witness: witness?.key)
            self.books = books
            copier = try DatabaseQueue(path: path, configuration: Self.configuration(of: path))
            try copier.inDatabase { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        } catch {
            throw StoreError(error, path: path)
        }
        try file.check()
        witnessing = Witnessing(number: opened.number, revision: opened.witnessed)
    }

    /// Opens a ledger's database, creates absent tables and migrates old ones. `isOld`: whether a version without
    /// seals wrote the database.
    static func connect(
        _ path: String, _ options: StoreOptions, _ key: WitnessKey?
    ) throws(StoreError) -> (pool: DatabasePool, isOld: Bool) {
        do {
            let pool = try Self.pool(path, id: Schema.applicationID)
            // Do not copy the write-ahead log into the database during a commit, because requests wait for the
            // commit. ``rest()`` makes the copy.
            try pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
            let migrator = Schema.migrator(key)
            if try pool.read(migrator.hasBeenSuperseded) { throw StoreError.newer(path: path) }
            let isOld = try pool.read { db in
                let applied = try migrator.appliedIdentifiers(db)
                return !applied.isEmpty && !applied.contains(Schema.sealing)
            }
            try Schema.migrate(pool, key)
            return (pool, isOld)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Opens a database of this program for reading and writing. Each commit is durable. `id`: the required value of
    /// SQLite's `application_id`, which a new database gets.
    static func pool(_ path: String, id: Int) throws -> DatabasePool {
        let pool = try DatabasePool(path: path, configuration: configuration(of: path))
        try pool.writeWithoutTransaction { db in
            // GRDB sets NORMAL, with which a commit in WAL mode is not synced and therefore not durable.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else {
                throw StoreError.unexpected(code: 0, detail: "synchronous=FULL was not accepted")
            }
            try checkOrigin(db, path: path, id: id)
        }
        return pool
    }

    /// Applies the last migration, which drops the tables about agents (``handOver(to:)``).
    func dropAgentTables() async throws(StoreError) {
        try file.check()
        let result = await withCheckedContinuation { continuation in
            Schema.migrator(witness?.key).asyncMigrate(pool) { continuation.resume(returning: $0.map { _ in }) }
        }
        do { try result.get() } catch { throw StoreError(error, path: path) }
    }

    /// Returns the configuration of every database connection. A store has at most five. A reader in this process
    /// never blocks the writer.
    static func configuration(of path: String) -> Configuration {
        var configuration = Configuration()
        configuration.label = "store"
        configuration.maximumReaderCount = 2
        // Another process may have the lock for a moment while it opens or closes the file for reading.
        configuration.busyMode = .timeout(2)
        // The page size applies only to a new file. A record has a few hundred bytes and a commit writes whole pages,
        // so small pages reduce the written bytes to a quarter. Deleted and replaced content is overwritten, because it
        // may have been a key.
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA page_size = 512")
            _ = try Int.fetchOne(db, sql: "PRAGMA secure_delete = ON")
            try db.distrustFile(path)
        }
        return configuration
    }

    /// Marks a new file as a database of this program. Throws `foreign` for the file of another program.
    private static func checkOrigin(_ db: Database, path: String, id: Int) throws {
        let found = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        if found == id { return }
        // A new file may already contain GRDB's tables: the power may have failed between two steps of the first
        // start.
        let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master WHERE name NOT LIKE 'grdb%'")
        guard found == 0, tables == 0 else { throw StoreError.foreign(path: path) }
        // SQLite returns the mode "wal" before it has written the mode, and GRDB ignores an error of that write. With a
        // rollback journal a commit is not durable. Only a database with a write-ahead log counts the log's pages.
        guard try db.checkpoint(.passive).walFrameCount >= 0 else {
            throw StoreError.inputOutput(path: path, code: ResultCode.SQLITE_IOERR.rawValue)
        }
        try db.execute(sql: "PRAGMA application_id = \(id)")
    }

    /// Waits for the requests that are being written, refuses new requests, copies the write-ahead log into the
    /// database and releases the file.
    package func close() async {
        isClosed = true
        if isCommitting { await withCheckedContinuation { idle.append($0) } }
        copying?.cancel()
        await copying?.value
        try? copier.close()
        await witnessLast()
        // Truncate the write-ahead log here: GRDB closes its readers last, and readers cannot truncate it. If this
        // fails, the write-ahead log stays and no data is lost.
        try? await pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        try? pool.close()
        file.release()
    }

    /// The head of the ledger, as far as it is durable.
    package var head: LedgerHead { books.head }

    /// The durable delivery cursors, by destination.
    package var deliveries: [Text: DeliveryCursor] { books.deliveries }

    /// The durable debts: for each destination and earlier ledger, the entries that the destination has not
    /// confirmed. The debts of the oldest ledger are first.
    package var debts: [PastDebt] { books.debts }

    /// Returns the number of unconfirmed entries of a destination, in this ledger and earlier ledgers.
    package func owed(to destination: Text) -> Int { books.owed(to: destination) }

    /// The number of reports that were lost since the start because there was no room for unconfirmed entries.
    package var lostReports: Int { books.lost }

    /// The number of reports lost since the start whose visit opened the gate or may have opened it.
    package var lostOpenings: Int { books.lostOpenings }

    /// A date that has certainly passed: the latest saved date (``SavedClock``); nil for a new gate.
    package var savedClock: Timestamp? { books.clock }

    /// Runs `work` in a transaction that it shares with other waiting requests. Returns when the transaction is
    /// durable.
    func commit<Value: Sendable>(
        _ work: @escaping @Sendable (Database, inout LedgerFigures) throws -> Value
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
                // Use a separate task, so that the cancellation of one caller does not cancel the requests of other
                // callers.
                Task { await self.drain() }
            }
        }
        return try result.get()
    }

    /// Reads the state after the last commit, without blocking the writer.
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
                let (books, path, key, foreignChanges) = (books, path, witness?.key, foreignChanges)
                try file.check()
                let done = try await pool.write { db in
                    let changes = try Self.foreignChanges(db, known: foreignChanges, path)
                    return (try Self.run(batch, db, books, path, key), changes)
                }
                (self.books, self.foreignChanges) = (done.0.books, done.1)
                uncopied += batch.count
                for finish in done.0.finish { finish() }
                witnessCommit(openings: done.0.books.openings - books.openings)
            } catch {
                let error = StoreError(error, path: path)
                // After a failed transaction SQLite reads the file again, and its count of foreign commits changes.
                // Forget the count.
                if case .replaced = error {} else { foreignChanges = nil }
                for job in batch { job.fail(error) }
            }
        }
        isCommitting = false
        for continuation in idle { continuation.resume() }
        idle = []
        rest()
    }

    /// Copies the write-ahead log into the database after ``StoreOptions/checkpointRequests`` requests, as soon as
    /// none was written for a while, and at the latest after ``StoreOptions/checkpointAtLatest`` requests. A separate
    /// database connection makes the copy, so a new request waits at most for the disk, never for the copy.
    private func rest() {
        guard uncopied >= options.checkpointRequests, copying == nil, !isClosed else { return }
        copying = Task {
            var seen = -1
            while !Task.isCancelled, seen != uncopied || isCommitting, uncopied < options.checkpointAtLatest {
                seen = uncopied
                try? await options.clock.sleep(for: options.checkpointRest)
            }
            let before = uncopied
            if !Task.isCancelled {
                // A failed copy is repeated after further records. No data is lost, because it stays in the
                // write-ahead log.
                _ = try? await copier.writeWithoutTransaction { db in try db.checkpoint(.passive) }
                uncopied -= before
            }
            copying = nil
        }
    }

    /// Copies the write-ahead log into the database now. Without this call, that happens when no requests are being
    /// written.
    package func copyLog() async throws(StoreError) {
        do {
            _ = try await copier.writeWithoutTransaction { db in try db.checkpoint(.passive) }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Returns SQLite's count of commits by other database connections. No other database connection of this process
    /// commits, so another program has made such a commit. Throws `replaced` if the count differs from `known`.
    static func foreignChanges(_ db: Database, known: Int?, _ path: String) throws -> Int? {
        let now = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA data_version"))
        if let known, known != now { throw StoreError.replaced(path: path, detail: "was written by another program") }
        return now
    }

    /// Runs the requests of one transaction. If a request breaks a rule, only its changes are undone. After a failure
    /// of the disk, the changes of all requests are undone.
    private static func run(
        _ batch: [Job], _ db: Database, _ before: LedgerFigures, _ path: String, _ key: WitnessKey?
    ) throws -> (books: LedgerFigures, finish: [@Sendable () -> Void]) {
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
        if books != before { try books.save(db, key) }
        return (books, finish)
    }
}
