package import Encoding
import Foundation
import GRDB
package import Ledger

// The data in the ledger's database that is not part of the ledger: settings and the site key.
extension Store {
    /// Returns a setting of the gate; nil if it was never set.
    package func setting(_ name: Text) async throws(StoreError) -> [UInt8]? {
        try await read { db in try Self.setting(name, db) }
    }

    /// Stores a setting.
    package func saveSetting(_ name: Text, _ value: [UInt8]) async throws(StoreError) {
        try await commit { db, _ in try Self.save(name, value, db) }
    }

    static let siteKeySetting: Text = "site-key"

    /// Returns the site key, from which the names of credentials are computed. The first call makes the key from the
    /// system's random source and stores it sealed.
    /// A stored site key that no available key opens stays unchanged, and another site key is used in its place. The
    /// other site key is stored if there is a key to seal it; otherwise it is used only during this run.
    package func siteKey() async throws(StoreError) -> SiteKey {
        let sealing = sealing
        let bytes = try await commit { db, books in try Self.siteKey(sealing, db, &books) }
        guard let key = SiteKey(bytes) else { throw .corrupt(path: path, detail: "the site key has a wrong length") }
        return key
    }

    private static func siteKey(_ sealing: SealingKeys, _ db: Database, _ books: inout LedgerFigures) throws -> [UInt8]
    {
        func kept(_ name: Text) throws -> [UInt8]? {
            try setting(name, db).flatMap { try? sealing.open($0, for: .setting(name)) }
        }
        if let key = try kept(siteKeySetting) { return key }
        let made = (0..<SiteKey.byteCount).map { _ in UInt8.random(in: 0...255) }
        guard let current = sealing.current else { return made }
        if try setting(siteKeySetting, db) != nil {
            let name = Text("\(siteKeySetting)/\(Hex.encode(current.id))")
            if let key = try kept(name) { return key }
            try save(name, sealing.seal(made, for: .setting(name)), db)
        } else {
            let sealed = try sealing.seal(made, for: .setting(siteKeySetting))
            try save(siteKeySetting, sealed, db)
            books.siteKey = SiteKey.digest(of: sealed)
        }
        return made
    }

    /// Increments the stored number of starts of the service, and returns the new number. The first start has the
    /// number 1.
    package func countStart() async throws(StoreError) -> Int {
        try await commit { db, _ in
            let kept = try Self.setting("starts", db).flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
            let next = kept == .max ? kept : kept + 1
            try Self.save("starts", Array(String(next).utf8), db)
            return next
        }
    }

    /// Stores a date as the lower bound for the clock at the next start (``SavedClock``). Every record does so, too.
    package func saveClock(_ time: WallTime) async throws(StoreError) {
        try await commit { _, books in books.clock = SavedClock.merge(kept: books.clock, heard: time) }
    }

    static func setting(_ name: Text, _ db: Database) throws -> [UInt8]? {
        try Row.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name.string])?.bytes("value")
    }

    static func save(_ name: Text, _ value: [UInt8], _ db: Database) throws {
        try db.execute(sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)", arguments: [name.string, Data(value)])
    }
}
