import Encoding
import Foundation
import GRDB
import Ledger

@testable import Store

/// The form of a ledger's file until version 12, with the tables about agents.
enum OldForm {
    /// The tables and their columns. The tests have a list of their own, so that no column is forgotten.
    static let columns = [
        "connection": "id, snapshot, destination, number, made, deleting", "handled_message": "number, key",
        "message": "number, uid, connection, did, kind, at, status, result, content",
        "quarantine": "number, uid, connection, reason, envelope",
    ]
    private static let names = "('connection', 'handled_message', 'message', 'quarantine')"
    private static let settings = "name LIKE 'invitations%'"

    /// Gives a ledger's file the form of version 12, and copies the rows of a courier's database into it. No program
    /// has the ledger's file open.
    static func restore(_ ledger: String, rowsOf courier: String? = nil) throws {
        let model = try DatabaseQueue()
        try Schema.migrator().migrate(model, upTo: Schema.beforeHandOver)
        let statements = try model.read { db in
            try String.fetchAll(
                db,
                sql: "SELECT sql FROM sqlite_master WHERE tbl_name IN \(names) AND sql IS NOT NULL ORDER BY type DESC")
        }
        let queue = try DatabaseQueue(path: ledger)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA secure_delete = ON")
            if let courier { try db.execute(sql: "ATTACH ? AS courier", arguments: [courier]) }
            try db.inTransaction {
                for sql in statements { try db.execute(sql: sql) }
                try db.execute(
                    sql: "DELETE FROM main.grdb_migrations WHERE identifier = ?", arguments: [Schema.handOver])
                if courier != nil { try copyRows(db) }
                return .commit
            }
            if courier != nil { try db.execute(sql: "DETACH courier") }
        }
        try queue.close()
    }

    private static func copyRows(_ db: Database) throws {
        for (table, list) in columns {
            try db.execute(sql: "INSERT INTO main.\(table) (\(list)) SELECT \(list) FROM courier.\(table)")
        }
        try db.execute(
            sql: """
                DELETE FROM main.sqlite_sequence WHERE name IN \(names);
                INSERT INTO main.sqlite_sequence (name, seq) SELECT name, seq FROM courier.sqlite_sequence;
                INSERT OR REPLACE INTO main.setting (name, value)
                    SELECT name, value FROM courier.setting WHERE \(settings);
                """)
    }

    /// Returns the rows about agents in a database, as text: those of each table, of the agents' settings, and the
    /// largest number ever. A table that is not there is missing in the result.
    static func rows(_ path: String) throws -> [String: [String]] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { db in
            var rows: [String: [String]] = [:]
            for (table, list) in columns where try db.tableExists(table) {
                rows[table] = try text(db, "SELECT \(list) FROM \(table) ORDER BY 1")
            }
            rows["setting"] = try text(db, "SELECT name, value FROM setting WHERE \(settings) ORDER BY 1")
            rows["sequence"] = try text(db, "SELECT name, seq FROM sqlite_sequence WHERE name IN \(names) ORDER BY 1")
            return rows
        }
    }

    private static func text(_ db: Database, _ sql: String) throws -> [String] {
        try Row.fetchAll(db, sql: sql).map { row in
            row.map { name, value in
                switch value.storage {
                case .blob(let data): "\(name)=x'\(Hex.encode([UInt8](data)))'"
                default: "\(name)=\(value)"
                }
            }.joined(separator: " ")
        }
    }
}

/// A closed ledger of version 12 with rows in all five tables about agents.
struct OldLedger {
    /// The path of the ledger.
    let database: String
    /// The rows about agents.
    let rows: [String: [String]]
    /// The stored states of the connections, sealed as in the file.
    let sealed: [[UInt8]]

    /// The states of the connections, in plain form.
    static let states: [[UInt8]] = (1...4).map { number in
        Array("{\"seed\":\"".utf8) + (0..<700).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 7 &+ number &* 53) }
    }
    /// The ids of the connections, the oldest first. The last leads to a copy agent.
    static let ids: [Text] = ["marked", "replaced", "agent", "other"]

    /// Makes a ledger of version 12 at `database` in a folder, which may be on a ``CrashDisk``.
    init(_ database: String, options: StoreOptions = StoreOptions(), witness: WitnessSource? = nil) async throws {
        self.database = database
        let store = try await Store.open(database, options: options, witness: witness)
        _ = try await store.siteKey()
        try await store.saveSetting("date", Array("2026-01-01".utf8))
        // The courier's database is made elsewhere, because files on a simulated disk cannot be removed.
        let elsewhere = StoreFile.folder(of: database) + "/elsewhere"
        let courier = try await CourierStore.open(
            besides: elsewhere, sealing: SealingSource(path: database + ".agent-key"))
        try await Self.fill(Databases(store: store, courier: courier))
        await courier.close()
        await store.close()
        rows = try OldForm.rows(elsewhere + ".courier")
        try OldForm.restore(database, rowsOf: elsewhere + ".courier")
        let queue = try DatabaseQueue(path: database)
        sealed = try await queue.read { db in
            try Row.fetchAll(db, sql: "SELECT snapshot FROM connection ORDER BY number").map {
                try $0.bytes("snapshot")
            }
        }
        try queue.close()
    }

    private static func fill(_ both: Databases) async throws {
        let (store, courier) = (both.store, both.courier)
        try await store.cursor(of: "copy")
        for (id, state) in zip(ids, states) {
            let destination = id == "other" ? "copy" : DeliveryCursor.primary
            try await both.connect(id, to: destination)
            let message = MessageEntry(
                uid: Text("question of \(id)"), connection: id, did: "did:peer:gate", kind: "question",
                at: Timestamp(seconds: 1_767_225_600), status: .pending, result: "waits", content: [UInt8]("{}".utf8))
            try await courier.saveConnection(
                id, state, to: destination, handled: [Array(id.string.utf8)], messages: [message])
        }
        _ = try await courier.beginDeletion(of: "marked")
        for number in 1...3 {
            try await store.appendIntent(Samples.visit(number), stamp: Samples.stamp)
            try await store.appendOutcome(Samples.visit(number), Samples.accepted, stamp: Samples.stamp)
        }
        // The numbers of removed rows are not used again.
        for number in 1...66 {
            try await courier.setAside([UInt8(number)], uid: Text("m\(number)"), for: "agent", reason: "no key")
        }
        try await courier.saveInvitations(.accepted(by: DeliveryCursor.primary), Array("[\"one\"]".utf8))
        try await courier.saveInvitations(.accepted(by: "copy"), Array("[\"two\"]".utf8))
        try await courier.saveInvitations(.withoutMailbox, Array("[\"three\"]".utf8))
    }
}
