import Encoding
import Foundation
import GRDB
import Glibc
import LinuxIO
import Synchronization

/// The courier's database: the connections to agents with their keys, the keys of handled messages, the message book,
/// the quarantine and the settings about invitations. It is one SQLite file next to the ledger's file (WAL,
/// `synchronous=FULL`).
///
/// When a method returns, its change is durable. Each change is one transaction; transactions run one after another.
/// Only one process at a time owns the file. The gate does not depend on this file: without it, reports wait in the
/// ledger.
package actor CourierStore {
    /// The path of the database.
    package nonisolated let path: String
    /// The damage of the database file that the opening found and renamed; nil if the file was not damaged. After
    /// damage, the database begins empty.
    package nonisolated let damage: Damage?
    /// The state of the secret keys in the database when it was opened.
    package nonisolated let keysAtRest: KeysAtRest
    nonisolated let options: StoreOptions
    nonisolated let sealing: SealingKeys
    /// The keys of handled messages that are not written yet. The next stored state of a connection, or a sufficient
    /// number of keys, causes the writing.
    var unwritten: [[UInt8]] = []
    private let file: StoreFile
    private nonisolated let pool: DatabasePool
    /// The results of earlier transactions that later transactions need.
    private nonisolated let written = Mutex(Written())
    private var writing = 0
    private var isClosed = false

    /// The damage of a database file that the opening renamed.
    package struct Damage: Hashable, Sendable {
        /// The damage, in words.
        package let detail: String
        /// The new path of the damaged file.
        package let file: String
    }

    private struct Written {
        /// SQLite's count of commits by other database connections; nil if unknown.
        var foreignChanges: Int?
        /// The ids of the connections deleted last, at most 256. The links of these connections may still be running.
        var deleted: [Text] = []
    }

    /// The number of damaged files that are kept. They contain the sealed keys of connections.
    static let mostDamaged = 3

    /// Returns the path of the courier's database next to the ledger at `ledger`.
    package static func path(of ledger: String) -> String { StoreFile.courier(of: ledger) }

    /// Opens the courier's database next to the ledger at `ledger`, or creates it (mode 0600). The caller owns the
    /// ledger (``Store/open(_:options:witness:sealing:onWrite:)``), and next calls ``Store/handOver(to:)``. The gate
    /// may already be at work and tasks share few threads, so a separate thread waits for the disk.
    ///
    /// A damaged file is renamed to `PATH.courier.damaged-N`, and an empty database replaces it; ``damage`` then
    /// states this. If ``StoreOptions/mayBeginNewLedger`` is false, a damaged file is an error and stays unchanged.
    ///
    /// The key of `sealing`, by default in the file `LEDGER.agent-key`, seals the states of connections. Only the
    /// opening of the ledger makes an absent key. If it is missing, no state can be opened or stored, but the rest of
    /// the database works, and ``keysAtRest`` contains the reason.
    package static func open(
        besides ledger: String, options: StoreOptions = StoreOptions(), sealing: SealingSource? = nil
    ) async throws(StoreError) -> CourierStore {
        let (path, sealing) = (path(of: ledger), sealing ?? SealingSource(path: ledger + ".agent-key"))
        let result: Result<CourierStore, StoreError> = await withCheckedContinuation { continuation in
            do throws(SystemError) {
                try Threads.start("gatehouse-conns") {
                    do throws(StoreError) {
                        let store = try CourierStore(path: path, options: options, sealing: sealing)
                        continuation.resume(returning: .success(store))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
            } catch {
                continuation.resume(returning: .failure(.unusable(path: path, detail: error.operation)))
            }
        }
        return try result.get()
    }

    private init(path: String, options: StoreOptions, sealing: SealingSource) throws(StoreError) {
        let file = try StoreFile(path: path)
        let pass = SealingPass(source: sealing, mayMakeKey: false, takesPlain: false)
        let opened: (pool: DatabasePool, keys: SealingPass.Result)
        do throws(StoreError) {
            if Self.isBeingPutAside(path) {
                throw .corrupt(path: path, detail: "an earlier start found damage and was interrupted")
            }
            opened = try Self.connect(path, pass)
            damage = nil
        } catch {
            guard case .some(let detail) = error.damage(of: path), options.mayBeginNewLedger else { throw error }
            damage = Damage(detail: detail, file: try Self.putAside(path))
            try StoreFile.makePrivate(path, in: StoreFile.folder(of: path))
            opened = try Self.connect(path, pass)
        }
        (self.path, self.options, self.file, pool) = (path, options, file, opened.pool)
        (self.sealing, keysAtRest) = (opened.keys.keys, opened.keys.told)
        try file.check()
    }

    /// Opens the database, creates absent tables, checks every page and seals the keys of connections.
    private static func connect(
        _ path: String, _ pass: SealingPass
    ) throws(StoreError) -> (pool: DatabasePool, keys: SealingPass.Result) {
        do {
            let pool = try Store.pool(path, id: CourierSchema.applicationID)
            // If a sync of an earlier opening failed, the kernel may count pages of the write-ahead log as written that
            // are not on the disk. Write the content of this log into the database, before a commit relies on it.
            try pool.writeWithoutTransaction { db in _ = try db.checkpoint(.full) }
            let migrator = CourierSchema.migrator
            if try pool.read(migrator.hasBeenSuperseded) { throw StoreError.newer(path: path) }
            try migrator.migrate(pool)
            // Check every page: a damaged page that no start reads would make later changes fail. This takes little
            // time, because the file is small.
            try pool.read { db in try check(db, path) }
            return (pool, try pass.run(pool))
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Reads every page. Throws `corrupt` if a page is damaged.
    static func check(_ db: Database, _ path: String) throws {
        let findings = "SELECT quick_check FROM pragma_quick_check(1) WHERE quick_check <> 'ok'"
        guard let found = try String.fetchOne(db, sql: findings) else { return }
        if let code = failedRead(found) { throw StoreError.inputOutput(path: path, code: code) }
        throw StoreError.corrupt(path: path, detail: found)
    }

    /// Returns SQLite's result code of a failed read in a finding of `quick_check`; nil for a finding about the
    /// content. SQLite reports a page that it could not read as a finding ("unable to get the page. error code=266",
    /// "failed to get page 56"), but such a page may be readable later.
    private static func failedRead(_ finding: String) -> Int32? {
        if finding.contains("failed to get page") { return ResultCode.SQLITE_IOERR_READ.rawValue }
        guard let mark = finding.range(of: "error code="),
            let code = Int32(finding[mark.upperBound...].prefix { $0.isNumber })
        else { return nil }
        return ResultCode(rawValue: code).primaryResultCode == .SQLITE_IOERR ? code : nil
    }

    /// Returns whether an earlier start gave a damaged file its second name and ended before it removed the first.
    private static func isBeingPutAside(_ path: String) -> Bool {
        StoreFile.numbered(path, "damaged").last.map { StoreFile.isSame($0, path) } ?? false
    }

    /// Renames a damaged database and its write-ahead log. Returns the new path. If an earlier start ended after it
    /// gave the file its second name, continues from there. Removes all but the newest ``mostDamaged`` such files.
    private static func putAside(_ path: String) throws(StoreError) -> String {
        let earlier = StoreFile.numbered(path, "damaged")
        let aside =
            if isBeingPutAside(path), let last = earlier.last { last } else {
                try StoreFile.link(path, as: "damaged")
            }
        if StoreFile.hasContent(path + "-wal"), rename(path + "-wal", aside + "-wal") != 0 {
            throw StoreFile.failure(aside)
        }
        for ending in ["-wal", "-shm", "-journal", ""] { unlink(path + ending) }
        for old in StoreFile.numbered(path, "damaged").dropLast(mostDamaged) {
            for ending in ["", "-wal"] { unlink(old + ending) }
        }
        try StoreFile.sync(folder: StoreFile.folder(of: path))
        return aside
    }

    /// Waits for changes in progress, refuses new changes, copies the write-ahead log into the database and releases
    /// the file.
    package func close() async {
        guard !isClosed else { return }
        try? await writeHandled([]) { _ in }
        isClosed = true
        // If this fails, the write-ahead log stays and no data is lost.
        try? await pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        try? pool.close()
        file.release()
    }

    /// Runs `work` in a transaction. Returns when the transaction is durable. `committed` is called right after the
    /// commit, before the next transaction begins. A cancellation of the calling task cancels no transaction.
    func write<Value: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Value,
        committed: @escaping @Sendable (Value) -> Void = { _ in }
    ) async throws(StoreError) -> Value {
        if isClosed { throw .closed }
        if writing >= options.waiting { throw .overloaded }
        try file.check()
        writing += 1
        defer { writing -= 1 }
        let result = await withCheckedContinuation { continuation in
            pool.asyncWrite { db in
                let known = self.written.withLock { $0.foreignChanges }
                let changes = try Store.foreignChanges(db, known: known, self.path)
                self.written.withLock { $0.foreignChanges = changes }
                return try work(db)
            } completion: { _, result in
                switch result {
                case .success(let value): committed(value)
                case .failure(let error):
                    // After a failed transaction SQLite reads the file again, and its count of foreign commits
                    // changes. Forget the count.
                    if case .replaced = error as? StoreError {
                    } else {
                        self.written.withLock { $0.foreignChanges = nil }
                    }
                }
                continuation.resume(returning: result)
            }
        }
        do { return try result.get() } catch { throw StoreError(error, path: path) }
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

    /// Returns whether a connection was deleted. A call inside a transaction takes all earlier transactions into
    /// account.
    nonisolated func isDeleted(_ connection: Text) -> Bool {
        written.withLock { $0.deleted.contains(connection) }
    }

    /// Records that a connection was deleted, so that its link, which may still be running, does not store it again.
    nonisolated func noteDeletion(of connection: Text) {
        written.withLock { $0.deleted = $0.deleted.suffix(255) + [connection] }
    }
}

extension StoreError {
    /// The damage of the database at `path`, in words; nil for any other error.
    fileprivate func damage(of path: String) -> String? {
        switch self {
        case .corrupt(path, let detail), .unreadable(path, let detail): detail
        default: nil
        }
    }
}
