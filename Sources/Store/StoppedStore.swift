import Foundation
import GRDB
import Glibc
package import Ledger
import LinuxIO

/// The exclusive access to a database whose service is stopped, for the lifetime of this value. A restore uses it to
/// put another database in its place. The database is a ledger's or a courier's.
///
/// The new database has the path `PATH.restoring` until ``commit(onStep:)``. After a power cut before the commit, the
/// present database is unchanged.
package final class StoppedStore {
    /// The path of the database, which may be absent.
    package let path: String
    /// The path where the new database is to be written.
    package var staged: String { path + ".restoring" }
    /// Whether a database exists at the path.
    package let isOccupied: Bool
    private let file: StoreFile

    /// Takes the lock of the database and removes files of an earlier restore. Throws `locked` if a service has the
    /// lock.
    package init(path: String) throws(StoreError) {
        isOccupied = StoreFile.hasContent(path)
        file = try StoreFile(path: path)
        self.path = path
        clear()
    }

    deinit { file.release() }

    private func clear() { for ending in ["", "-wal", "-shm", "-journal"] { unlink(staged + ending) } }

    /// Removes the new database at `PATH.restoring`.
    package func giveUp() { clear() }

    /// Migrates the new database to this version of the program. If `old`, the key that sealed it, differs from the
    /// present witness key `key`, and the seal is valid, seals it with `key`. With a `mark`, the next start begins a
    /// new ledger. `key` authenticates the mark together with the statement in `witness`.
    package func prepare(
        mark: RestoredMark?, sealedBy old: WitnessKey?, key: WitnessKey?, witness: WitnessReading,
        limits: LedgerLimits = LedgerLimits()
    ) throws(StoreError) {
        do {
            let queue = try DatabaseQueue(path: staged, configuration: Store.configuration(of: staged))
            try Schema.migrate(queue, old)
            try queue.write { db in
                if let old, let key, old.publicKey != key.publicKey,
                    let (books, seal) = try LedgerFigures.read(db, limits: limits, key: old), seal == .intact
                {
                    var books = books
                    try books.save(db, key)
                }
                guard var mark else { return }
                if let key, let (books, _) = try LedgerFigures.read(db, limits: limits, key: nil) {
                    mark.vouch(key, books.state, witness)
                }
                try mark.save(db)
            }
            try queue.writeWithoutTransaction { db in
                _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
            }
            try queue.close()
        } catch {
            throw StoreError(error, path: staged)
        }
    }

    /// Moves the new database to the path. Before that, renames the present database to `PATH.replaced-N`. Returns
    /// that name; nil if there was no database. No database is deleted. `onStep` is called after each step.
    package func commit(onStep: () -> Void = {}) throws(StoreError) -> String? {
        try StoreFile.with(staged) { () throws(SystemError) in try OpenFile(staged, .updating).sync() }
        onStep()
        let aside = isOccupied ? try moveAside(onStep) : nil
        for ending in ["-wal", "-shm", "-journal"] { unlink(path + ending) }
        guard rename(staged, path) == 0 else { throw StoreFile.failure(path) }
        onStep()
        try StoreFile.sync(folder: StoreFile.folder(of: path))
        onStep()
        return aside
    }

    /// Renames the present database to `PATH.replaced-N`. Returns that name; nil if there is no database. Afterwards
    /// no database is at the path. `onStep` is called after each step.
    package func setAside(onStep: () -> Void = {}) throws(StoreError) -> String? {
        guard isOccupied else { return nil }
        let aside = try moveAside(onStep)
        for ending in ["-wal", "-shm", "-journal", ""] { unlink(path + ending) }
        try StoreFile.sync(folder: StoreFile.folder(of: path))
        onStep()
        return aside
    }

    /// Copies the write-ahead log into the present database as far as possible, and gives the database a second name.
    /// Returns that name.
    private func moveAside(_ onStep: () -> Void) throws(StoreError) -> String {
        if let queue = try? DatabaseQueue(path: path, configuration: Store.configuration(of: path)) {
            _ = try? queue.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
            try? queue.close()
        }
        onStep()
        let aside = try StoreFile.link(path, as: "replaced")
        onStep()
        if StoreFile.hasContent(path + "-wal"), rename(path + "-wal", aside + "-wal") != 0 {
            throw StoreFile.failure(aside)
        }
        try StoreFile.sync(folder: StoreFile.folder(of: path))
        onStep()
        return aside
    }

    /// The result of ``place(_:at:mayBeBesides:)``.
    package enum Placing: Hashable, Sendable {
        /// The file did not exist. It has the given secret now.
        case made
        /// The file already contains the same secret.
        case same
        /// The file has another secret and stays unchanged. The text is the path of the file with the given secret.
        /// If the given secret was not written, it is the path of the file with the other secret.
        case besides(String)
    }

    /// Writes a secret of 32 bytes to the file at `path`, if that file is absent. If the file has another secret,
    /// writes the given secret to `PATH.old`, where the program looks for earlier keys, but only if `mayBeBesides` is
    /// true. An existing `PATH.old` is first renamed to `PATH.old.replaced-N`.
    package static func place(
        _ secret: [UInt8], at path: String, mayBeBesides: Bool
    ) throws(StoreError) -> Placing {
        if let present = try SecretFile.read(path) {
            if present == secret { return .same }
            let old = path + ".old"
            guard mayBeBesides else { return .besides(path) }
            if let before = try? SecretFile.read(old), before == secret { return .besides(old) }
            if access(old, F_OK) == 0 {
                _ = try StoreFile.link(old, as: "replaced")
                unlink(old)
            }
            try SecretFile.make(old, of: secret)
            return .besides(old)
        }
        try SecretFile.make(path, of: secret)
        return .made
    }

    /// Returns the secret in a key's file; nil if the file does not exist.
    package static func secret(_ path: String) throws(StoreError) -> [UInt8]? { try SecretFile.read(path) }
}
