import Clocks
package import Encoding
import Foundation
import GRDB
package import Ledger

/// The gate's database: ledger, cursors, connections and keys in one SQLite file (WAL, `synchronous=FULL`).
///
/// When a method returns, its change is durable: the write-ahead log was synced. Requests that arrive during a sync
/// share the next sync, so a slow card does not delay each record separately. No step between T0 (the write that
/// completes the credential) and the opening of the gate waits for a sync. One process owns the file; others may read
/// it (``LedgerReader``).
package actor Store {
    /// The path of the database.
    package nonisolated let path: String
    nonisolated let options: StoreOptions
    /// The result of the comparison of the ledger with its witness at the opening; nil without a witness.
    package nonisolated let standing: WitnessComparison?
    /// Whether a new ledger replaced another ledger at the opening.
    package nonisolated var hasBegunNewLedger: Bool {
        switch standing {
        case .rewritten, .restored: true
        default: false
        }
    }
    /// The paths of the copies of the files found at the opening, if a fault was found in them.
    package nonisolated let found: [String]
    /// The files of earlier ledgers that this opening removed, because ``PastDebt/ledgers`` newer ones exist.
    package nonisolated let removed: [String]
    /// The debts of earlier ledgers that this opening gave up. The destinations never get these entries.
    package nonisolated let givenUp: [PastDebt]
    /// The state of the keys in the database.
    package nonisolated let keysAtRest: KeysAtRest
    nonisolated let sealing: SealingKeys
    let witness: Witness?
    private let file: StoreFile
    private let pool: DatabasePool
    /// The connection that copies the log into the database while the writer runs (``Store/rest()``).
    private let copier: DatabaseQueue
    private var copying: Task<Void, Never>?
    /// The number of requests since the write-ahead log was last copied into the database.
    private var uncopied = 0
    /// SQLite's count of changes by other connections; nil if unknown.
    private var foreignChanges: Int?
    private(set) var books: LedgerFigures
    var witnessing: Witnessing
    /// The keys of inbound messages that wait for the next state of a connection, or for enough further keys.
    var unwritten: [[UInt8]] = []
    private var waiting: [Job] = []
    private var isCommitting = false
    private var isClosed = false
    private var idle: [CheckedContinuation<Void, Never>] = []

    /// One request in the queue. The request runs inside a transaction and learns the transaction's result.
    struct Job: Sendable {
        /// Does the work. Returns a closure to call when the work is durable.
        let run: @Sendable (Database, inout LedgerFigures) throws -> (@Sendable () -> Void)
        let fail: @Sendable (StoreError) -> Void
    }

    /// Opens the database at `path`. Creates an absent folder and file (modes 0700, 0600), unless
    /// ``StoreOptions/mayMake`` forbids it. Blocks on the disk.
    ///
    /// With a `witness`, the ledger is first compared with the witness. A ledger that the witness contradicts is moved
    /// aside as `PATH.rewritten-N`, and a new ledger with the same connections and keys replaces it; ``standing`` is
    /// then `rewritten`. `onWrite` is called, from any thread, after each attempt to write the witness: with nil on
    /// success, otherwise with the error. It is also called during an attempt that takes longer than
    /// ``StoreOptions/witnessLimit``.
    ///
    /// The key of `sealing`, by default in the file `PATH.agent-key`, seals other keys in the database. Without that
    /// key those keys cannot be opened, but the rest of the store works, and ``keysAtRest`` has the reason.
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
        // Check before any file is created, because an empty new database would change the evidence.
        if !options.mayBeginNewLedger, let doubt = source?.contradiction(toAbsent: path) { throw doubt }
        let file = try StoreFile(path: path, mayMake: options.mayMake)
        var (witness, keyless): (Witness?, WitnessComparison?)
        // A ledger always has a key, in the file or elsewhere. Only a start of the service may make a key for an
        // existing ledger.
        let mayMakeKey = options.mayMake && (options.mayBeginNewLedger || !StoreFile.hasContent(path))
        do throws(StoreError) {
            witness = try source.map { source throws(StoreError) in
                try Witness(source, mayMakeKey: mayMakeKey, onWrite: onWrite)
            }
        } catch {
            if !options.mayBeginNewLedger { throw .doubtful(path: path, detail: "its key: \(error.text)") }
            // A missing key must not stop the gate. The ledger continues without seal and witness, and ``standing``
            // reports it.
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
            (self.sealing, keysAtRest) = try SealingPass(
                source: sealing, witness: witness?.key, mayMakeKey: options.mayMake
            ).run(pool, &books)
            self.books = books
            copier = try DatabaseQueue(path: path, configuration: Self.configuration(of: path))
            try copier.inDatabase { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        } catch {
            throw StoreError(error, path: path)
        }
        try file.check()
        witnessing = Witnessing(number: opened.number, revision: opened.witnessed)
    }

    /// Connects to the database and creates absent tables. `isOld`: a version without seals wrote the database.
    static func connect(
        _ path: String, _ options: StoreOptions, _ key: WitnessKey?
    ) throws(StoreError) -> (pool: DatabasePool, isOld: Bool) {
        do {
            let pool = try DatabasePool(path: path, configuration: Self.configuration(of: path))
            try pool.writeWithoutTransaction { db in
                // GRDB sets NORMAL, with which a commit in WAL mode is not synced and therefore not durable.
                try db.execute(sql: "PRAGMA synchronous = FULL")
                // Never copy the log inside a commit, because requests wait for the commit. ``rest()`` copies the log.
                try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
                guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else {
                    throw StoreError.unexpected(code: 0, detail: "synchronous=FULL was not accepted")
                }
                try Self.checkOrigin(db, path: path)
            }
            let migrator = Schema.migrator(key)
            if try pool.read(migrator.hasBeenSuperseded) { throw StoreError.newer(path: path) }
            let isOld = try pool.read { db in
                let applied = try migrator.appliedIdentifiers(db)
                return !applied.isEmpty && !applied.contains(Schema.sealing)
            }
            try migrator.migrate(pool)
            return (pool, isOld)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Returns the configuration of every database connection. There are at most five connections. A reader in this
    /// process never blocks the writer.
    static func configuration(of path: String) -> Configuration {
        var configuration = Configuration()
        configuration.label = "store"
        configuration.maximumReaderCount = 2
        // Another process may briefly hold the lock while it opens or closes the file for reading.
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

    /// Marks a new file as a Gatehouse database. Throws for the file of another program.
    private static func checkOrigin(_ db: Database, path: String) throws {
        let id = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        if id == Schema.applicationID { return }
        // GRDB's tables may exist already: the power can fail between any two steps of the first start.
        let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master WHERE name NOT LIKE 'grdb%'")
        guard id == 0, tables == 0 else { throw StoreError.foreign(path: path) }
        // SQLite returns the mode "wal" before it has written the mode, and GRDB ignores an error of that write. With a
        // rollback journal a commit is not durable. Only a database with a write-ahead log counts the log's pages.
        guard try db.checkpoint(.passive).walFrameCount >= 0 else {
            throw StoreError.inputOutput(path: path, code: ResultCode.SQLITE_IOERR.rawValue)
        }
        try db.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
    }

    /// Waits for requests in progress, refuses new requests, copies the write-ahead log into the database and releases
    /// the file.
    package func close() async {
        if !isClosed { try? await writeHandled([]) { _, _ in } }
        isClosed = true
        if isCommitting { await withCheckedContinuation { idle.append($0) } }
        copying?.cancel()
        await copying?.value
        try? copier.close()
        await witnessLast()
        // GRDB closes its readers last, and readers cannot truncate the log. If this copy fails, the log stays and no
        // data is lost.
        try? await pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        try? pool.close()
        file.release()
    }

    /// The durable end of the ledger.
    package var head: LedgerHead { books.head }

    /// The durable delivery cursors, by destination.
    package var deliveries: [Text: DeliveryCursor] { books.deliveries }

    /// The durable debts of earlier ledgers to destinations, the oldest ledger first.
    package var debts: [PastDebt] { books.debts }

    /// Returns the number of unconfirmed entries of a destination, in this ledger and earlier ledgers.
    package func owed(to destination: Text) -> Int { books.owed(to: destination) }

    /// The number of reports lost since the start for lack of room for unconfirmed entries.
    package var lostReports: Int { books.lost }

    /// The number of lost reports about visits for which the gate opened or may have opened. Such reports are given up
    /// last.
    package var lostOpenings: Int { books.lostOpenings }

    /// A date that has certainly passed: the last date of the clock (``SavedClock``); nil for a new gate.
    package var savedClock: Timestamp? { books.clock }

    /// Runs `work` in a transaction with the other waiting requests. Returns when the transaction is durable.
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
                // Use a separate task: the cancellation of one caller must not cancel the records of others.
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
                // After a failed transaction SQLite reads the file again, which looks like a change by another program.
                if case .replaced = error {} else { foreignChanges = nil }
                for job in batch { job.fail(error) }
            }
        }
        isCommitting = false
        for continuation in idle { continuation.resume() }
        idle = []
        rest()
    }

    /// Copies the log into the database after enough requests, when no request has been written for a while, and at the
    /// latest after ``StoreOptions/checkpointAtLatest`` requests. A separate connection makes the copy, so a new
    /// request waits at most for the disk, never for the copy.
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
                // A failed copy is repeated after the next records. The log loses no data.
                _ = try? await copier.writeWithoutTransaction { db in try db.checkpoint(.passive) }
                uncopied -= before
            }
            copying = nil
        }
    }

    /// Copies the log into the database now. Otherwise the log is copied when no requests are written.
    package func copyLog() async throws(StoreError) {
        do {
            _ = try await copier.writeWithoutTransaction { db in try db.checkpoint(.passive) }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Returns SQLite's count of commits by other connections. No other connection of this process writes, so such a
    /// commit comes from another program. Throws if the count differs from `known`.
    private static func foreignChanges(_ db: Database, known: Int?, _ path: String) throws -> Int? {
        let now = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA data_version"))
        if let known, known != now { throw StoreError.replaced(path: path, detail: "was written by another program") }
        return now
    }

    /// Runs the jobs of one transaction. A job that breaks a rule is undone alone. A disk failure undoes all jobs.
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
