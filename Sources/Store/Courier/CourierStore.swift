import Encoding
import Foundation
import GRDB
import Glibc
import LinuxIO
import Synchronization

/// The courier's database: connections to agents with their keys, the keys of handled messages, the message book, the
/// quarantine and the settings of invitations, in one SQLite file next to the ledger's (WAL, `synchronous=FULL`).
///
/// When a method returns, its change is durable. Each change is a transaction of its own; they run one after another.
/// One process owns the file. The gate does not depend on this file: without it, reports wait in the ledger.
package actor CourierStore {
    /// The path of the database.
    package nonisolated let path: String
    /// The damage of the database found at the opening, which was put aside. The present database then began empty.
    package nonisolated let damage: Damage?
    /// The state of the keys in the database at the opening.
    package nonisolated let keysAtRest: KeysAtRest
    nonisolated let options: StoreOptions
    nonisolated let sealing: SealingKeys
    /// The keys of inbound messages that wait for the next state of a connection, or for enough further keys.
    var unwritten: [[UInt8]] = []
    private let file: StoreFile
    private nonisolated let pool: DatabasePool
    /// What the transactions know of earlier transactions.
    private nonisolated let written = Mutex(Written())
    private var writing = 0
    private var isClosed = false

    /// A damaged database that the opening put aside.
    package struct Damage: Hashable, Sendable {
        /// The damage, in words.
        package let detail: String
        /// The path of the damaged file.
        package let file: String
    }

    private struct Written {
        /// SQLite's count of changes by other connections; nil if unknown.
        var foreignChanges: Int?
        /// The ids of the connections that were deleted last. Their owners may still be running.
        var deleted: [Text] = []
    }

    /// Returns the path of the courier's database next to the ledger at `ledger`.
    package static func path(of ledger: String) -> String { ledger + ".courier" }

    /// Opens the courier's database next to the ledger at `ledger`, or creates it (mode 0600). The caller owns the
    /// ledger (``Store/open(_:options:witness:sealing:onWrite:)``), and next calls ``Store/handOver(to:)``. Because the
    /// gate may already be at work, a separate thread waits for the disk: tasks share few threads.
    ///
    /// A damaged file is put aside as `PATH.courier.damaged-N`, and an empty database replaces it (``damage``). If
    /// ``StoreOptions/mayBeginNewLedger`` is false, such a file is an error and stays unchanged.
    ///
    /// The key of `sealing`, by default in the file `LEDGER.agent-key`, seals the states of connections. Without that
    /// key no state can be opened or stored, but the rest of the database works, and ``keysAtRest`` has the reason.
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
        let pass = SealingPass(source: sealing, mayMakeKey: options.mayMake, takesPlain: false)
        let opened: (pool: DatabasePool, keys: SealingPass.Result)
        do throws(StoreError) {
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

    /// Connects to the database, creates absent tables and checks every page.
    private static func connect(
        _ path: String, _ pass: SealingPass
    ) throws(StoreError) -> (pool: DatabasePool, keys: SealingPass.Result) {
        do {
            let pool = try Store.pool(path, id: CourierSchema.applicationID)
            let migrator = CourierSchema.migrator
            if try pool.read(migrator.hasBeenSuperseded) { throw StoreError.newer(path: path) }
            try migrator.migrate(pool)
            // A damaged page that no start reads would make each later change fail. The file is small.
            try pool.read { db in try check(db, path) }
            return (pool, try pass.run(pool))
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Reads every page. Throws `corrupt` if one is damaged.
    static func check(_ db: Database, _ path: String) throws {
        let found = try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
        guard found == "ok" else { throw StoreError.corrupt(path: path, detail: found ?? "it cannot be checked") }
    }

    /// Renames a damaged database with its log. Returns the new path. A start that was interrupted after the link is
    /// continued.
    private static func putAside(_ path: String) throws(StoreError) -> String {
        let last = StoreFile.numbered(path, "damaged").last
        let aside =
            if let last, StoreFile.isSame(last, path) { last } else { try StoreFile.link(path, as: "damaged") }
        if StoreFile.hasContent(path + "-wal"), rename(path + "-wal", aside + "-wal") != 0 {
            throw StoreFile.failure(aside)
        }
        for ending in ["-wal", "-shm", "-journal", ""] { unlink(path + ending) }
        try StoreFile.sync(folder: StoreFile.folder(of: path))
        return aside
    }

    /// Waits for changes in progress, refuses new changes, copies the write-ahead log into the database and releases
    /// the file.
    package func close() async {
        guard !isClosed else { return }
        try? await writeHandled([]) { _ in }
        isClosed = true
        // If this copy fails, the log stays and no data is lost.
        try? await pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        try? pool.close()
        file.release()
    }

    /// Runs `work` in a transaction. Returns when the transaction is durable. `committed` is called right after the
    /// commit, before any other transaction begins. The cancellation of the caller cancels no transaction.
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
                    // After a failed transaction SQLite reads the file again, which looks like a change by another
                    // program.
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

    /// Whether a connection was deleted. Inside a transaction, the result is that of all earlier transactions.
    nonisolated func isDeleted(_ connection: Text) -> Bool {
        written.withLock { $0.deleted.contains(connection) }
    }

    /// Notes that a connection was deleted, so that its owner, which may still be running, stores it no more.
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
