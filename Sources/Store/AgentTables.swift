import Encoding
import Foundation
import GRDB

/// The tables about agents: connections, the keys of handled messages, the message book, the quarantine, and the
/// settings that record the use of invitations.
///
/// The tables are in the courier's database (`PATH.courier`). Until version 12 of the ledger's database they were in
/// the ledger's file, and a file of such a version still contains them when the program opens it. If a new ledger
/// replaces that ledger, ``LedgerSuccession`` copies the rows into the new ledger's file. ``Store/handOver(to:)``
/// then moves the rows into the courier's database.
enum AgentTables {
    /// The type of a column's values.
    fileprivate enum Kind { case integer, text, bytes }

    /// A table, with the names and types of the columns that a copy contains.
    struct Table: Sendable {
        /// The name of the table.
        let name: String
        fileprivate let columns: [(name: String, kind: Kind)]
        /// The SQL condition for the rows to copy, beginning with `WHERE`; empty if all rows are copied.
        fileprivate let condition: String

        fileprivate init(_ name: String, _ columns: KeyValuePairs<String, Kind>, where condition: String = "") {
            (self.name, self.condition) = (name, condition)
            self.columns = columns.map { ($0.key, $0.value) }
        }

        /// The names of the columns as SQL, separated by commas.
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

    /// All tables about agents.
    static let all = [connection, handled, message, quarantine, setting]

    /// The name of the setting that lists the ids of the invitations through which no mailbox can be reached.
    static let withoutMailbox: Text = "invitations-without-mailbox"
    /// The beginning of the names of the settings that list the ids of the invitations that a destination accepted.
    /// The name of the destination follows.
    static let accepted: Text = "invitations/"

    /// The SQL condition that selects the settings about agents: ``withoutMailbox`` and those that begin with
    /// ``accepted``.
    static let isAgentSetting = "(name = '\(withoutMailbox)' OR name GLOB '\(accepted)*')"

    /// Returns whether a ledger's file contains the tables about agents.
    static func areIn(_ ledger: Database) throws -> Bool { try ledger.tableExists(connection.name) }

    /// Returns whether any of the tables has a row that is to be copied.
    static func haveRows(_ db: Database) throws -> Bool {
        for table in all
        where try Int.fetchOne(db, sql: "SELECT 1 FROM \(table.name) \(table.condition) LIMIT 1") != nil {
            return true
        }
        return false
    }

    /// Returns whether at least one stored connection has a snapshot in plain form, not sealed.
    static func havePlainState(_ db: Database) throws -> Bool {
        let rows = try Row.fetchCursor(db, sql: "SELECT snapshot FROM connection")
        while let row = try rows.next() {
            if try !SealingKey.isSealed(row.bytes("snapshot")) { return true }
        }
        return false
    }

    /// Passes each row of a table to `body`, ordered by the table's first column. Throws a ``ContentError`` if a
    /// value's type is not the type of its column.
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

    /// Returns the snapshot in a row of the table ``connection``; nil if the row's second value is not a sequence of
    /// bytes.
    static func connectionState(_ row: [DatabaseValue]) -> [UInt8]? {
        guard row.count > 1, case .blob(let state) = row[1].storage else { return nil }
        return [UInt8](state)
    }

    /// Inserts a row into a table. `row` contains one value for each column, in the order of the table's columns.
    static func insert(_ row: [DatabaseValue], into table: Table, of db: Database) throws {
        let places = table.columns.map { _ in "?" }.joined(separator: ", ")
        try db.cachedStatement(sql: "INSERT INTO \(table.name) (\(table.list)) VALUES (\(places))")
            .execute(arguments: StatementArguments(row))
    }

    /// Replaces the rows of all tables about agents in `target` by the rows in `source`, unchanged. A sealed snapshot
    /// stays sealed, because it is bound to the id and the destination of its connection, which are the same in both
    /// databases.
    static func copy(from source: Database, to target: Database) throws {
        for table in all {
            try target.execute(sql: "DELETE FROM \(table.name) \(table.condition)")
            try read(table, of: source) { try insert($0, into: table, of: target) }
        }
        // Copy the highest assigned number of each table, so that `target` never assigns the number of a removed row
        // again.
        try target.execute(sql: "DELETE FROM sqlite_sequence")
        for row in try Row.fetchAll(source, sql: "SELECT name, seq FROM sqlite_sequence") {
            let name = try row.text("name").string
            guard all.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { continue }
            try target.execute(
                sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
                arguments: [name, try row.integer("seq")])
        }
    }

    /// Closes every question that waits for an answer. This is for a database that is older than the last state of
    /// the gate: the operator may have answered the question since then, and an agent must not get a second,
    /// different answer.
    static func closeQuestions(_ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE message SET status = 'MS-105', content = x'',
                    result = 'not answered: the database is older than the question''s last state'
                WHERE status = 'MS-103' AND length(content) > 0
                """)
    }
}
