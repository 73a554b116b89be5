import Foundation
import GRDB
import Glibc
package import Ledger

/// The place of a database whose service is stopped, for as long as this value lives: another database can take it.
///
/// What is to come lies beside it, as `PATH.restoring`, until ``commit(replaces:)``; a cut at any instant before leaves what was there.
package final class StoppedStore {
    /// Where the database is, or will be.
    package let path: String
    /// Where the other one is to be written.
    package var staged: String { path + ".restoring" }
    /// Whether there is a database in the place.
    package let isOccupied: Bool
    private let file: StoreFile

    /// Takes the lock; throws `locked` while a service has it. What an earlier attempt left is removed.
    package init(path: String) throws(StoreError) {
        isOccupied = StoreFile.hasContent(path)
        file = try StoreFile(path: path)
        self.path = path
        clear()
    }

    deinit { file.release() }

    private func clear() { for ending in ["", "-wal", "-shm", "-journal"] { unlink(staged + ending) } }

    /// Removes what was staged.
    package func giveUp() { clear() }

    /// Brings the staged database to this version of the program, and under the key of the witness here, where the one of before and
    /// this one are known. With a `mark` the next start begins a new ledger; the key here vouches for it, with what its `witness` says.
    package func prepare(
        mark: RestoredMark?, sealedBy old: WitnessKey?, key: WitnessKey?, witness: WitnessReading,
        limits: LedgerLimits = LedgerLimits()
    ) throws(StoreError) {
        do {
            let queue = try DatabaseQueue(path: staged, configuration: Store.configuration(of: staged))
            try Schema.migrator(old).migrate(queue)
            try queue.write { db in
                if let old, let key, old.publicKey != key.publicKey,
                    let (books, seal) = try Books.read(db, limits: limits, key: old), seal == .intact
                {
                    var books = books
                    try books.save(db, key)
                }
                guard var mark else { return }
                if let key, let (books, _) = try Books.read(db, limits: limits, key: nil) {
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

    /// Puts the staged database into the place. The one that is there gets the name `PATH.replaced-N`, which is returned; nothing is
    /// deleted. `onStep` is told after each step.
    package func commit(onStep: () -> Void = {}) throws(StoreError) -> String? {
        let staging = open(staged, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard staging >= 0 else { throw StoreFile.failure(staged) }
        let isSynced = fsync(staging) == 0
        let reason = errno
        close(staging)
        guard isSynced else { throw StoreFile.failure(staged, reason) }
        onStep()
        let aside = isOccupied ? try moveAside(onStep) : nil
        for ending in ["-wal", "-shm", "-journal"] { unlink(path + ending) }
        guard rename(staged, path) == 0 else { throw StoreFile.failure(path) }
        onStep()
        try StoreFile.sync(folder: StoreFile.folder(of: path))
        onStep()
        return aside
    }

    /// Copies the log into the database that is there, as far as that can be done, and gives it a second name.
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

    /// What came of putting a secret in its place.
    package enum Placing: Hashable, Sendable {
        /// There was none; it is there now.
        case made
        /// The same one is there.
        case same
        /// Another one is there and stays; this one is kept at that path.
        case besides(String)
    }

    /// Puts a secret into a file beside the ledger, unless another one is there: then into `PATH.old`, where keys of before are
    /// looked for. One of before that is there already gets the name `PATH.old.replaced-N`. 32 bytes. `mayBeBesides`: if not, another
    /// one that is there stays the only one.
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

    /// The secret in a key's file; nil where there is none.
    package static func secret(_ path: String) throws(StoreError) -> [UInt8]? { try SecretFile.read(path) }
}
