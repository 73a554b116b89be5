import Encoding
import Foundation
import GRDB
import Ledger

/// How the database holds other keys, as a start found and left it.
package struct KeysAtRest: Hashable, Sendable {
    /// The file of the key that seals them.
    package var path: String
    /// Why there is none: nothing can be opened, and nothing new is kept.
    package var failure: StoreError?
    /// Values that lay open and are sealed now.
    package var sealed = 0
    /// Values that were sealed under a key of before and are sealed under this one now.
    package var resealed = 0
    /// Connections that none of the keys opens; they stay as they are.
    package var unreadable = 0
    /// Whether no key opens the site key: credentials have other names until one does.
    package var isSiteKeyUnreadable = false
    /// Whether what is replaced or deleted may stay readable in the database, its log, or both.
    package var leavesTraces = false
    /// Files beside the database that were put aside before its keys were sealed just now: keys may lie open there.
    package var copies: [String] = []
}

/// Brings the keys in a database under the key of today, at each start: those that lie open, as earlier versions left them, and those
/// under a key of before. In one transaction, behind which no copy of the old ones stays in the file or its log.
struct SealingPass {
    /// Set since a database has been sealed: what lies open in it later is somebody else's.
    static let sealedSetting: Text = "keys-sealed"
    /// Set from then on until no copy of what was replaced is left.
    private static let scrubSetting: Text = "keys-to-scrub"

    let source: SealingSource
    let witness: WitnessKey?
    /// Whether a key is made where there is none.
    let mayMakeKey: Bool

    /// A value that is a key or holds some.
    private struct Value {
        let place: SealedPlace
        let bytes: [UInt8]
    }

    /// Opens the keys and does the work. Throws what the disk refuses; a key that cannot be used is no error here.
    func run(_ pool: DatabasePool, _ books: inout Books) throws -> (keys: SealingKeys, told: KeysAtRest) {
        let sealed = try pool.read { db in try Self.values(db).filter { SealingKey.isSealed($0.bytes) } }
        // Where something is sealed under a key that is not here, that one has to come back.
        var keys = source.keys { old in
            mayMakeKey && sealed.allSatisfy { (try? old.open($0.bytes, for: $0.place)) != nil }
        }
        keys.takesOpen = !books.areKeysSealed
        var told = KeysAtRest(path: source.path)
        told.failure = keys.failure
        (books, told) = try pool.write { [books, keys, told] db in
            var (books, told) = (books, told)
            try seal(db, keys, &books, &told)
            return (books, told)
        }
        keys.takesOpen = !books.areKeysSealed
        told.leavesTraces = try !scrub(pool)
        if told.sealed > 0 { told.copies = StoreFile.putAside(of: pool.path) }
        return (keys, told)
    }

    private func seal(
        _ db: Database, _ keys: SealingKeys, _ books: inout Books, _ told: inout KeysAtRest
    ) throws {
        for value in try Self.values(db) where !keys.isCurrent(value.bytes, for: value.place) {
            guard let opened = try? keys.open(value.bytes, for: value.place) else {
                switch value.place {
                case .connection: told.unreadable += 1
                case .setting(let name):
                    told.isSiteKeyUnreadable = told.isSiteKeyUnreadable || name == Store.siteKeySetting
                }
                continue
            }
            guard keys.current != nil else { continue }
            let sealed = try keys.seal(opened, for: value.place)
            switch value.place {
            case .connection(let id, _):
                try db.execute(
                    sql: "UPDATE connection SET snapshot = ? WHERE id = ?", arguments: [Data(sealed), id.string])
            case .setting(let name):
                try Store.save(name, sealed, db)
                if name == Store.siteKeySetting { books.siteKey = SiteKey.digest(of: sealed) }
            }
            if SealingKey.isSealed(value.bytes) { told.resealed += 1 } else { told.sealed += 1 }
        }
        let isFirst = keys.current != nil && !books.areKeysSealed
        guard isFirst || told.sealed + told.resealed > 0 else { return }
        if told.sealed + told.resealed > 0 { try Store.save(Self.scrubSetting, [1], db) }
        try Store.save(Self.sealedSetting, [1], db)
        books.areKeysSealed = true
        try books.save(db, witness)
    }

    /// Copies the log into the database and cuts it, so that what was replaced is overwritten in both; again at the next start where
    /// that does not succeed, because somebody reads. Whether nothing is left.
    private func scrub(_ pool: DatabasePool) throws -> Bool {
        let overwrites =
            try pool.writeWithoutTransaction { db in try Int.fetchOne(db, sql: "PRAGMA secure_delete") } == 1
        guard try pool.read({ db in try Store.setting(Self.scrubSetting, db) != nil }) else { return overwrites }
        do {
            _ = try pool.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY || error.resultCode == .SQLITE_LOCKED
        {
            return false
        }
        // The sync of this commit makes the cut of the log durable before it is forgotten that one was needed: a log whose first pages
        // are new and whose others are still the old ones would keep these.
        try pool.write { db in try Store.save(Self.scrubSetting, [2], db) }
        try pool.write { db in
            try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [Self.scrubSetting.string])
        }
        return overwrites
    }

    private static func values(_ db: Database) throws -> [Value] {
        let connections = try Row.fetchAll(db, sql: "SELECT id, destination, snapshot FROM connection").map {
            Value(
                place: .connection(id: try $0.text("id"), destination: try $0.text("destination")),
                bytes: try $0.bytes("snapshot"))
        }
        let settings = try Row.fetchAll(
            db, sql: "SELECT name, value FROM setting WHERE name = ?1 OR name LIKE ?1 || '/%'",
            arguments: [Store.siteKeySetting.string]
        ).map { Value(place: .setting(try $0.text("name")), bytes: try $0.bytes("value")) }
        return connections + settings
    }
}
