import Encoding
import Foundation
import GRDB

/// The tables about agents: connections, the keys of handled messages, the message book, quarantine, and the settings
/// of invitations.
///
/// They are in the courier's database (`PATH.courier`). Until version 12 of the ledger's database they were in the
/// ledger's file, and a file of such a version still has them when the program opens it. ``LedgerSuccession`` then
/// copies them into a new ledger's file, and ``Store/handOver(to:)`` moves them into the courier's database.
enum AgentTables {
    /// The type of a column's values.
    fileprivate enum Kind { case integer, text, bytes }

    /// A table with the columns that are copied.
    struct Table: Sendable {
        /// The name of the table.
        let name: String
        fileprivate let columns: [(name: String, kind: Kind)]
        /// The rows to copy, as the rest of a query; empty: all rows.
        fileprivate let condition: String

        fileprivate init(_ name: String, _ columns: KeyValuePairs<String, Kind>, where condition: String = "") {
            (self.name, self.condition) = (name, condition)
            self.columns = columns.map { ($0.key, $0.value) }
        }

        /// The names of the columns, for a statement.
        fileprivate var list: String { columns.map(\.name).joined(separator: ", ") }
    }

    static let connection = Table(
        "connection",
        [
            "id": .text, "snapshot": .bytes, "destination": .text, "number": .integer, "made": .integer,
            "deleting": .integer,
        ])
    static let handled = Table("handled_message", ["number": .integer, "key": .bytes])
    static let message = Table(
        "message",
        [
            "number": .integer, "uid": .text, "connection": .text, "did": .text, "kind": .text, "at": .integer,
            "status": .text, "result": .text, "content": .bytes,
        ])
    static let quarantine = Table(
        "quarantine",
        ["number": .integer, "uid": .text, "connection": .text, "reason": .text, "envelope": .bytes])
    /// The settings that belong to the agents. All other settings belong to the ledger.
    static let setting = Table("setting", ["name": .text, "value": .bytes], where: "WHERE \(isAgentSetting)")

    /// All tables.
    static let all = [connection, handled, message, quarantine, setting]

    /// The setting with the ids of the invitations by which no mailbox can be reached.
    static let withoutMailbox: Text = "invitations-without-mailbox"
    /// The beginning of the settings with the ids of the invitations that a destination accepted. The name of the
    /// destination follows.
    static let accepted: Text = "invitations/"

    /// The condition of a statement for the settings of agents: ``withoutMailbox`` and ``accepted``.
    static let isAgentSetting = "(name = '\(withoutMailbox)' OR name GLOB '\(accepted)*')"

    /// Returns whether a ledger's file has the tables.
    static func areIn(_ ledger: Database) throws -> Bool { try ledger.tableExists(connection.name) }

    /// Returns whether a file has a row in one of the tables.
    static func haveRows(_ db: Database) throws -> Bool {
        for table in all
        where try Int.fetchOne(db, sql: "SELECT 1 FROM \(table.name) \(table.condition) LIMIT 1") != nil {
            return true
        }
        return false
    }

    /// Returns whether the state of a connection is not sealed.
    static func havePlainState(_ db: Database) throws -> Bool {
        let rows = try Row.fetchCursor(db, sql: "SELECT snapshot FROM connection")
        while let row = try rows.next() {
            if try !SealingKey.isSealed(row.bytes("snapshot")) { return true }
        }
        return false
    }

    /// Passes each row of a table to `body`, in order. Throws a ``ContentError`` for a value of another type than the
    /// column's.
    static func read(_ table: Table, of db: Database, _ body: ([DatabaseValue]) throws -> Void) throws {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT \(table.list) FROM \(table.name) \(table.condition) ORDER BY \(table.columns[0].name)")
        while let row = try rows.next() {
            try body(
                table.columns.map { column in
                    switch column.kind {
                    case .integer: try row.integer(column.name).databaseValue
                    case .text: try row.text(column.name).string.databaseValue
                    case .bytes: Data(try row.bytes(column.name)).databaseValue
                    }
                })
        }
    }

    /// Returns the state in a row of ``connection``; nil if the row has another form.
    static func connectionState(_ row: [DatabaseValue]) -> [UInt8]? {
        guard row.count > 1, case .blob(let state) = row[1].storage else { return nil }
        return [UInt8](state)
    }

    /// Adds a row, with the values of the table's columns in their order.
    static func insert(_ row: [DatabaseValue], into table: Table, of db: Database) throws {
        let places = table.columns.map { _ in "?" }.joined(separator: ", ")
        try db.cachedStatement(sql: "INSERT INTO \(table.name) (\(table.list)) VALUES (\(places))")
            .execute(arguments: StatementArguments(row))
    }

    /// Replaces all rows of `target` by those of `source`, unchanged. A sealed value stays sealed: its place, by the
    /// connection's id and destination, is the same in both files.
    static func copy(from source: Database, to target: Database) throws {
        for table in all {
            try target.execute(sql: "DELETE FROM \(table.name) \(table.condition)")
            try read(table, of: source) { try insert($0, into: table, of: target) }
        }
        // The numbers of removed rows are never used again.
        try target.execute(sql: "DELETE FROM sqlite_sequence")
        for row in try Row.fetchAll(source, sql: "SELECT name, seq FROM sqlite_sequence") {
            let name = try row.text("name").string
            guard all.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { continue }
            try target.execute(
                sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
                arguments: [name, try row.integer("seq")])
        }
    }

    /// Closes every question that waits for an answer, in a database that is older than the gate's last state. The
    /// operator may have answered the question since, and an agent must not get a second, different answer.
    static func closeQuestions(_ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE message SET status = 'MS-105', content = x'',
                    result = 'not answered: the database is older than the question''s last state'
                WHERE status = 'MS-103' AND length(content) > 0
                """)
    }
}
