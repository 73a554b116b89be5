import Encoding
import Foundation
import GRDB
import Ledger

/// The state of the secret keys in a database after the opening of the database.
package struct KeysAtRest: Hashable, Sendable {
    /// The path of the file with the sealing key.
    package var path: String
    /// The reason why the sealing key is missing; nil if it is available. Without it, sealed values cannot be opened
    /// and new keys are not stored.
    package var failure: StoreError?
    /// The number of plain values that this start sealed.
    package var sealed = 0
    /// The number of values sealed under an earlier key that this start sealed under the present key.
    package var resealed = 0
    /// The number of connections whose snapshots no key opens. The snapshots stay unchanged.
    package var unreadable = 0
    /// Whether no available key opens the stored site key. Then another site key is used, which gives credentials
    /// other names.
    package var isSiteKeyUnreadable = false
    /// Whether replaced or deleted content may still be readable in the database or its write-ahead log.
    package var leavesTraces = false
    /// The paths of files next to the database that earlier starts or restores renamed or copied, if this start
    /// sealed plain keys; otherwise empty. The files may contain these keys in plain form.
    package var copies: [String] = []

    /// The fault that connections cannot be read, in words with the remedy; nil if there is none.
    package var fault: String? {
        if let failure { return failure.description }
        guard unreadable > 0 else { return nil }
        return "\(unreadable) stored under another key than \(path): provide that key as \(path).old"
    }
}

/// Seals the secret keys in a database under the present sealing key, at each start. It seals plain keys, which
/// earlier versions wrote, and keys sealed under an earlier sealing key. The changes are one transaction. After the
/// pass, the file and its write-ahead log contain no copy of the replaced values.
struct SealingPass {
    /// The setting that records that the keys have been sealed. From then on the program does not accept a plain key,
    /// because it did not write it.
    static let sealedSetting: Text = "keys-sealed"
    /// The setting that records that the write-ahead log or the file may contain copies of replaced values. It is
    /// removed when no copy is left.
    private static let scrubSetting: Text = "keys-to-scrub"

    let source: SealingSource
    /// Whether to make a sealing key if its file is absent.
    let mayMakeKey: Bool
    /// Whether another database may contain values sealed under the key. Then a new key is made only if an earlier key
    /// is available.
    var hasOthers = false
    /// Whether to accept plain values. Only a ledger's database that was never sealed may contain them.
    let takesPlain: Bool

    /// A value that is a key or contains keys.
    private struct Value {
        let place: SealedPlace
        let bytes: [UInt8]
    }

    /// The result of the sealing of the keys in a database.
    struct Result {
        /// The sealing keys that open and seal the values.
        var keys: SealingKeys
        /// The state of the values, as ``Store/keysAtRest`` reports it.
        var told: KeysAtRest
        /// The sealed site key that this pass has stored; nil if the pass did not change the site key.
        var siteKey: [UInt8]?
    }

    /// Reads the sealing keys and seals the values. Throws errors of the disk; an unusable sealing key is part of the
    /// result. `finish` runs in the same transaction after the changes.
    func run(_ pool: DatabasePool, finish: (Database, Result) throws -> Void = { _, _ in }) throws -> Result {
        let sealed = try pool.read { db in try Self.values(db).filter { SealingKey.isSealed($0.bytes) } }
        // If a value is sealed under a missing key, do not make a new key: the operator must restore the missing key.
        var keys = source.keys { old in
            mayMakeKey && !(hasOthers && old.old.isEmpty)
                && sealed.allSatisfy { (try? old.open($0.bytes, for: $0.place)) != nil }
        }
        keys.takesOpen = takesPlain
        var result = Result(keys: keys, told: KeysAtRest(path: source.path))
        result.told.failure = keys.failure
        try pool.write { db in
            try seal(db, &result)
            try finish(db, result)
        }
        result.told.leavesTraces = try !scrub(pool)
        if result.told.sealed > 0 { result.told.copies = StoreFile.putAside(of: pool.path) }
        return result
    }

    private func seal(_ db: Database, _ result: inout Result) throws {
        let keys = result.keys
        for value in try Self.values(db) where !keys.isCurrent(value.bytes, for: value.place) {
            guard let opened = try? keys.open(value.bytes, for: value.place) else {
                switch value.place {
                case .connection: result.told.unreadable += 1
                case .setting(let name):
                    result.told.isSiteKeyUnreadable =
                        result.told.isSiteKeyUnreadable || name == Store.siteKeySetting
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
                if name == Store.siteKeySetting { result.siteKey = sealed }
            }
            if SealingKey.isSealed(value.bytes) { result.told.resealed += 1 } else { result.told.sealed += 1 }
        }
        if result.told.sealed + result.told.resealed > 0 { try Store.save(Self.scrubSetting, [1], db) }
    }

    /// Copies the write-ahead log into the database and truncates it, so that the replaced values are overwritten in
    /// both files. If a reader prevents the truncation, the next start tries again. Returns whether no copy is left.
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
        // The sync of this commit makes the truncation durable before the setting is removed. Otherwise a power cut
        // could leave a write-ahead log whose first pages are new and whose other pages contain replaced values.
        try pool.write { db in try Store.save(Self.scrubSetting, [2], db) }
        try pool.write { db in
            try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [Self.scrubSetting.string])
        }
        return overwrites
    }

    private static func values(_ db: Database) throws -> [Value] {
        // A ledger's file of the present version contains no connections. The courier's database contains no site
        // key.
        let connections =
            try AgentTables.areIn(db)
            ? try Row.fetchAll(db, sql: "SELECT id, destination, snapshot FROM connection").map {
                Value(
                    place: .connection(id: try $0.text("id"), destination: try $0.text("destination")),
                    bytes: try $0.bytes("snapshot"))
            } : []
        let settings = try Row.fetchAll(
            db, sql: "SELECT name, value FROM setting WHERE name = ?1 OR name LIKE ?1 || '/%'",
            arguments: [Store.siteKeySetting.string]
        ).map { Value(place: .setting(try $0.text("name")), bytes: try $0.bytes("value")) }
        return connections + settings
    }
}

extension LedgerFigures {
    /// Seals the secret keys in a ledger's database. Saves the changed state of the ledger in the same transaction.
    mutating func seal(
        _ pool: DatabasePool, by source: SealingSource, mayMakeKey: Bool, hasOthers: Bool, witness: WitnessKey?
    ) throws -> (keys: SealingKeys, told: KeysAtRest) {
        let pass = SealingPass(
            source: source, mayMakeKey: mayMakeKey, hasOthers: hasOthers, takesPlain: !areKeysSealed)
        var result = try pass.run(pool) { db, pass in
            let isFirst = pass.keys.current != nil && !areKeysSealed
            guard isFirst || pass.told.sealed + pass.told.resealed > 0 else { return }
            try Store.save(SealingPass.sealedSetting, [1], db)
            areKeysSealed = true
            if let sealed = pass.siteKey { siteKey = SiteKey.digest(of: sealed) }
            try save(db, witness)
        }
        result.keys.takesOpen = !areKeysSealed
        return (result.keys, result.told)
    }
}
