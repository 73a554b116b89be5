package import Encoding
import Foundation
import GRDB
package import Ledger

/// A stored connection.
package struct StoredConnection: Hashable, Sendable {
    /// The id of the connection.
    package let id: Text
    /// The destination to which the connection leads.
    package let destination: Text
    /// The state of the connection with its keys, as bytes that only the owner of the connection can interpret; empty
    /// if no key opens the state.
    package let snapshot: [UInt8]
    /// The date at which the connection was made, by the machine's clock at that time; nil if unknown.
    package let made: Timestamp?
    /// Whether the connection is marked for deletion (``Store/beginDeletion(of:isForced:tellsPeer:)``).
    package let isDeleting: Bool
    /// Whether the service notifies the connection's peer before the deletion.
    package let tellsPeer: Bool

    /// Creates a stored connection from the values of its properties.
    package init(
        id: Text, destination: Text, snapshot: [UInt8], made: Timestamp? = nil, isDeleting: Bool = false,
        tellsPeer: Bool = false
    ) {
        (self.id, self.destination, self.snapshot) = (id, destination, snapshot)
        (self.made, self.isDeleting, self.tellsPeer) = (made, isDeleting, tellsPeer)
    }
}

// The gate's data outside the ledger: connections to agents, settings and keys.
extension Store {
    /// Stores the state of a connection to a destination, sealed. Only the owner of the connection can
    /// interpret the bytes. `handled`: keys of the inbound messages that led to this state. The keys are stored in the
    /// same transaction, so a message is applied once or not at all. `messages`: the entries for the message book.
    /// `answers`: the results of answers to questions in the book. The state of a deleted connection is not stored: the
    /// owner of the connection may still be running.
    package func saveConnection(
        _ id: Text, _ snapshot: [UInt8], to destination: Text = DeliveryCursor.primary, handled: [[UInt8]] = [],
        messages: [MessageEntry] = [], answers: [AnswerChange] = []
    ) async throws(StoreError) {
        let sealed = try sealing.seal(snapshot, for: .connection(id: id, destination: destination))
        try await writeHandled(handled) { db, books in
            guard !books.deleted.contains(id) else { return }
            try db.execute(
                sql: """
                    INSERT INTO connection (id, snapshot, destination, number, made)
                    VALUES (?, ?, ?, (SELECT ifnull(max(number), 0) + 1 FROM connection),
                        CAST(strftime('%s', 'now') AS INTEGER))
                    ON CONFLICT (id) DO UPDATE SET snapshot = excluded.snapshot, destination = excluded.destination
                    """, arguments: [id.string, Data(sealed), destination.string])
            try Self.add(messages, db)
            try Self.change(answers, of: id, db)
        }
    }

    /// Removes a connection.
    package func forgetConnection(_ id: Text) async throws(StoreError) {
        try await commit { db, books in
            try db.execute(sql: "DELETE FROM connection WHERE id = ?", arguments: [id.string])
            try Self.closeQuestions(of: id, db)
            books.noteDeletion(of: id)
        }
    }

    /// Runs `work`. The same transaction stores the keys of inbound messages in `handled`, and the keys that still
    /// wait.
    func writeHandled(
        _ keys: [[UInt8]], _ work: @escaping @Sendable (Database, inout LedgerFigures) throws -> Void
    ) async throws(StoreError) {
        let (ring, earlier) = (options.handledMessages, unwritten)
        try await commit { db, books in
            try work(db, &books)
            try Self.remember(earlier + keys, ring, db)
        }
        unwritten.removeAll { earlier.contains($0) }
    }

    /// Returns the keys of the last applied inbound messages, oldest first, at most `limit`.
    package func handledMessages(last limit: Int) async throws(StoreError) -> [[UInt8]] {
        let kept = try await read { db in
            try Row.fetchAll(
                db, sql: "SELECT key FROM handled_message ORDER BY number DESC LIMIT ?", arguments: [limit]
            ).map { try $0.bytes("key") }
        }
        return (kept.reversed() + unwritten).suffix(limit)
    }

    /// Returns the stored connections, the oldest of each destination first.
    package func connections() async throws(StoreError) -> [StoredConnection] {
        let sealing = sealing
        return try await read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM connection ORDER BY number, id").map { row in
                let (id, destination) = (try row.text("id"), try row.text("destination"))
                let stored = try row.bytes("snapshot")
                let opened = try? sealing.open(stored, for: .connection(id: id, destination: destination))
                let made = try row.integer("made")
                let deleting = try row.integer("deleting")
                return StoredConnection(
                    id: id, destination: destination, snapshot: opened ?? [],
                    made: made > 0 ? Timestamp(seconds: made) : nil, isDeleting: deleting != 0,
                    tellsPeer: deleting == Self.isTold)
            }
        }
    }

    /// Returns a setting of the gate; nil if it was never set.
    package func setting(_ name: Text) async throws(StoreError) -> [UInt8]? {
        try await read { db in try Self.setting(name, db) }
    }

    /// Stores a setting.
    package func saveSetting(_ name: Text, _ value: [UInt8]) async throws(StoreError) {
        try await commit { db, _ in try Self.save(name, value, db) }
    }

    static let siteKeySetting: Text = "site-key"

    /// The site key, from which the names of credentials are computed. The first call makes the key from the system's
    /// random source and stores it sealed.
    ///
    /// A stored site key that no key opens stays unchanged. Another site key is used in its place. That key is stored,
    /// too, if a key exists to seal it; otherwise it is valid only for this run of the program.
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

    /// Counts a start of the service. Returns the number of the start, from 1.
    package func countStart() async throws(StoreError) -> Int {
        try await commit { db, _ in
            let kept = try Self.setting("starts", db).flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
            let next = kept == .max ? kept : kept + 1
            try Self.save("starts", Array(String(next).utf8), db)
            return next
        }
    }

    /// Stores a date as the lower bound for the next start (``SavedClock``). Every record does so, too.
    package func saveClock(_ time: WallTime) async throws(StoreError) {
        try await commit { _, books in books.clock = SavedClock.merge(kept: books.clock, heard: time) }
    }

    static func setting(_ name: Text, _ db: Database) throws -> [UInt8]? {
        try Row.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name.string])?.bytes("value")
    }

    static func save(_ name: Text, _ value: [UInt8], _ db: Database) throws {
        try db.execute(sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)", arguments: [name.string, Data(value)])
    }

    static func remember(_ keys: [[UInt8]], _ ring: Int, _ db: Database) throws {
        guard !keys.isEmpty else { return }
        for key in keys {
            try db.execute(sql: "INSERT OR IGNORE INTO handled_message (key) VALUES (?)", arguments: [Data(key)])
        }
        try db.execute(
            sql: "DELETE FROM handled_message WHERE number <= (SELECT max(number) FROM handled_message) - ?",
            arguments: [ring])
    }
}
