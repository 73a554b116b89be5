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

    /// The name of the setting that a ledger's file contains if damage prevented that the tables were dropped after
    /// their rows had moved. The tables that remain are not used.
    static let handedOver: Text = "agents-handed-over"

    /// Returns whether a ledger's file contains the tables about agents, with rows that have not moved yet.
    static func areIn(_ ledger: Database) throws -> Bool {
        try ledger.tableExists(connection.name) && Store.setting(handedOver, ledger) == nil
    }

    /// Returns whether at least one stored connection has a snapshot in plain form, not sealed.
    static func havePlainState(_ db: Database) throws -> Bool {
        let rows = try Row.fetchCursor(db, sql: "SELECT snapshot FROM connection")
        while let row = try rows.next() {
            if try !SealingKey.isSealed(row.bytes("snapshot")) { return true }
        }
        return false
    }

    /// The maximum size of the rows of a table in bytes, with ``rowBytes`` for each row. The program stores much less.
    /// An attacker who writes to the file must not use up the memory.
    static let tableBytes = 16 << 20
    private static let rowBytes = 64

    /// Returns the rows of a table, ordered by the table's first column. Throws a ``ContentError`` if a value's type is
    /// not the type of its column, or if the rows exceed ``tableBytes``.
    static func rows(_ table: Table, of db: Database) throws -> [[DatabaseValue]] {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT \(table.list) FROM \(table.name) \(table.condition) ORDER BY \(table.columns[0].name)")
        var (values, room): ([[DatabaseValue]], Int) = ([], tableBytes)
        while let row = try rows.next() {
            room -= rowBytes
            values.append(
                try table.columns.map { column in
                    switch column.kind {
                    case .integer: return try row.integer(column.name).databaseValue
                    case .text:
                        let text = try row.text(column.name)
                        room -= text.utf8.count
                        return text.string.databaseValue
                    case .bytes:
                        let bytes = try row.bytes(column.name)
                        room -= bytes.count
                        return Data(bytes).databaseValue
                    }
                })
            guard room >= 0 else { throw ContentError(detail: "the table \(table.name) is too large") }
        }
        return values
    }

    /// Returns the rows of a table without which the gate can run; nil if the table is damaged or too large.
    static func readableRows(_ table: Table, of db: Database) throws -> [[DatabaseValue]]? {
        do {
            return try rows(table, of: db)
        } catch {
            switch StoreError(error, path: "") {
            case .corrupt, .unreadable: return nil
            default: throw error
            }
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

    /// The rows about agents in a ledger's file.
    struct Content: Sendable {
        private var tables: [(table: Table, rows: [[DatabaseValue]])] = []
        /// The highest number that each table has assigned.
        private var numbers: [(table: String, last: Int64)] = []
        /// The names of the damaged or too large tables, without whose rows the gate can run.
        private(set) var damaged: [String] = []

        /// Reads the rows. Throws an error if the table of the connections or of the settings is damaged.
        init(of ledger: Database) throws {
            for table in [connection, setting] { tables.append((table, try rows(table, of: ledger))) }
            for table in [handled, message, quarantine] {
                let rows = try readableRows(table, of: ledger)
                if rows == nil { damaged.append(table.name) }
                tables.append((table, rows ?? []))
            }
            for row in try Row.fetchAll(ledger, sql: "SELECT name, seq FROM sqlite_sequence") {
                let name = try row.text("name").string
                if all.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
                    numbers.append((name, try row.integer("seq")))
                }
            }
        }

        var isEmpty: Bool { tables.allSatisfy(\.rows.isEmpty) }

        /// Returns whether the content includes the connection with the given id.
        func contains(_ id: Text) -> Bool {
            tables[0].rows.contains { $0[0] == id.string.databaseValue }
        }

        /// Replaces all rows of the courier's database, unchanged. A sealed snapshot stays sealed, because it is bound
        /// to the id and the destination of its connection, which are the same in both databases.
        func replaceRows(of courier: Database) throws {
            for (table, rows) in tables {
                try courier.execute(sql: "DELETE FROM \(table.name) \(table.condition)")
                for row in rows { try insert(row, into: table, of: courier) }
            }
            // Copy the highest assigned numbers, so that the courier never assigns the number of a removed row again.
            try courier.execute(sql: "DELETE FROM sqlite_sequence")
            for (name, last) in numbers {
                try courier.execute(
                    sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", arguments: [name, last])
            }
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
