package import Encoding
import Foundation
import GRDB
package import Ledger

/// The kiosk's database: ledger, cursors, connections and keys in one SQLite file (WAL, `synchronous=FULL`).
///
/// A method that returns has made its change durable: the write-ahead log was synced. Requests that arrive while a sync
/// is under way share the next one, so a slow card costs delay but not one delay for each record. Nobody on the path
/// from T0 to the gate waits for it. One process owns the file; others may read it
/// (``LedgerReader``).
package actor Store {
    /// Where the database is.
    package nonisolated let path: String
    nonisolated let options: StoreOptions
    /// How the ledger stood to its witness when it was opened; nil without a witness.
    package nonisolated let standing: LedgerStanding?
    /// Whether a ledger began when it was opened, in the place of another.
    package nonisolated var hasBegunAnew: Bool {
        switch standing {
        case .rewritten, .restored: true
        default: false
        }
    }
    /// Copies of the files as they were found when it was opened, where something was wrong with them.
    package nonisolated let found: [String]
    /// Ledgers that had been put aside at earlier starts and were removed when it was opened, for there are
    /// ``PastDebt/ledgers`` newer ones.
    package nonisolated let removed: [String]
    /// Debts of earlier ledgers that were given up when this one was opened. The destinations never get these entries.
    package nonisolated let givenUp: [PastDebt]
    /// How the keys that it holds are kept.
    package nonisolated let keysAtRest: KeysAtRest
    nonisolated let sealing: SealingKeys
    let witness: Witness?
    private let file: StoreFile
    private let pool: DatabasePool
    /// Copies the log into the database beside the writer (``Store/rest()``).
    private let copier: DatabaseQueue
    private var copying: Task<Void, Never>?
    /// Requests written since the log was copied last.
    private var uncopied = 0
    /// SQLite's count of changes by others, as far as it is known.
    private var foreignChanges: Int?
    private(set) var books: Books
    var witnessing: Witnessing
    /// Keys of inbound messages that are remembered with the next state of a connection, or once they are many.
    var unwritten: [[UInt8]] = []
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

    /// Opens the database at `path`, making folder and file (modes 0700, 0600) when they are absent, unless
    /// ``StoreOptions/mayMake`` forbids it. Waits for the disk.
    ///
    /// With a `witness` the ledger is compared with it first. One that does not stand up to it is put aside as
    /// `PATH.rewritten-N`, and a new one, with the same connections and keys, is in its place (``standing`` says so). `onWrite`
    /// is told, from any thread, after each attempt to write the witness: nil when it succeeded, else why not; and during one that
    /// takes longer than ``StoreOptions/witnessLimit``.
    ///
    /// Keys of others lie in the database under the key of `sealing`, beside it as `PATH.agent-key` unless said otherwise. Without
    /// that key they cannot be opened, and all else goes on (``keysAtRest`` says so).
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
        // Before anything is made: a database of nothing would be evidence that was changed.
        if !options.mayBeginAnew, let doubt = source?.contradiction(toAbsent: path) { throw doubt }
        let file = try StoreFile(path: path, mayMake: options.mayMake)
        var (witness, keyless): (Witness?, LedgerStanding?)
        // With a ledger there is a key, here or elsewhere; only a start may do without.
        let mayMakeKey = options.mayMake && (options.mayBeginAnew || !StoreFile.hasContent(path))
        do throws(StoreError) {
            witness = try source.map { source throws(StoreError) in
                try Witness(source, mayMakeKey: mayMakeKey, onWrite: onWrite)
            }
        } catch {
            if !options.mayBeginAnew { throw .doubtful(path: path, detail: "its key: \(error.text)") }
            // A key that cannot be had keeps nobody out: the ledger goes on without seal and witness, and that is told.
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

    /// Connects to the database, makes its tables when they are absent. Old: it had been written by a version without seals.
    static func connect(
        _ path: String, _ options: StoreOptions, _ key: WitnessKey?
    ) throws(StoreError) -> (pool: DatabasePool, isOld: Bool) {
        do {
            let pool = try DatabasePool(path: path, configuration: Self.configuration(of: path))
            try pool.writeWithoutTransaction { db in
                // GRDB sets NORMAL, under which a commit is not synced in WAL mode. Nothing else is durable.
                try db.execute(sql: "PRAGMA synchronous = FULL")
                // Never inside a commit that somebody waits for: ``rest()`` copies the log.
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

    /// Five connections at most; a reader of our own never blocks the writer.
    static func configuration(of path: String) -> Configuration {
        var configuration = Configuration()
        configuration.label = "store"
        configuration.maximumReaderCount = 2
        // Another process may hold the lock for a moment, when it opens or closes the file for reading.
        configuration.busyMode = .timeout(2)
        // Of a new file only. A record is a few hundred bytes, and a commit writes whole pages: small ones are a quarter of the
        // bytes.
        // What is deleted or replaced is overwritten: it may have been a key.
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA page_size = 512")
            _ = try Int.fetchOne(db, sql: "PRAGMA secure_delete = ON")
            try db.distrustFile(path)
        }
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
        if !isClosed { try? await writeHandled([]) { _, _ in } }
        isClosed = true
        if isCommitting { await withCheckedContinuation { idle.append($0) } }
        copying?.cancel()
        await copying?.value
        try? copier.close()
        await witnessLast()
        // GRDB closes its readers last, and those may not empty the log. If this fails the log stays and loses nothing.
        try? await pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        try? pool.close()
        file.release()
    }

    /// The ledger's end as it is durable.
    package var head: LedgerHead { books.head }

    /// How far the ledger has come to each destination, by name; durable.
    package var deliveries: [Text: DeliveryCursor] { books.deliveries }

    /// What destinations have not confirmed of earlier ledgers, the oldest ledger first; durable.
    package var debts: [PastDebt] { books.debts }

    /// Entries that a destination has not confirmed, of this ledger and those before it.
    package func owed(to destination: Text) -> Int { books.owed(to: destination) }

    /// Reports given up since the start, because the ledger had no more room for what was not confirmed.
    package var lostReports: Int { books.lost }

    /// How many of them were of visits for which the gate opened, or may have: the last to be given up.
    package var lostOpenings: Int { books.lostOpenings }

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
                // A failed transaction makes SQLite read the file anew, which looks like a change.
                if case .replaced = error {} else { foreignChanges = nil }
                for job in batch { job.fail(error) }
            }
        }
        isCommitting = false
        for continuation in idle { continuation.resume() }
        idle = []
        rest()
    }

    /// Once enough was written: copies the log into the database as soon as nobody has written for a while, on a connection of
    /// its own, so that a writer who comes meanwhile waits for the disk at most and never for the copy.
    private func rest() {
        guard uncopied >= options.checkpointRequests, copying == nil, !isClosed else { return }
        copying = Task {
            var seen = -1
            while !Task.isCancelled, seen != uncopied || isCommitting, uncopied < options.checkpointAtLatest {
                seen = uncopied
                try? await Task.sleep(for: options.checkpointRest)
            }
            let before = uncopied
            if !Task.isCancelled {
                // What fails now is tried again when the next records are written; the log loses nothing.
                _ = try? await copier.writeWithoutTransaction { db in try db.checkpoint(.passive) }
                uncopied -= before
            }
            copying = nil
        }
    }

    /// Copies the log into the database now, as happens by itself when nobody writes.
    package func copyLog() async throws(StoreError) {
        do {
            _ = try await copier.writeWithoutTransaction { db in try db.checkpoint(.passive) }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// SQLite's count of the commits of other connections, which are others' as nobody else here writes. Throws when it has
    /// grown.
    private static func foreignChanges(_ db: Database, known: Int?, _ path: String) throws -> Int? {
        let now = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA data_version"))
        if let known, known != now { throw StoreError.replaced(path: path, detail: "was written by another program") }
        return now
    }

    /// Runs the jobs of one transaction. A job that breaks a rule is undone alone; a disk that fails undoes them all.
    private static func run(
        _ batch: [Job], _ db: Database, _ before: Books, _ path: String, _ key: WitnessKey?
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
        if books != before { try books.save(db, key) }
        return (books, finish)
    }
}
