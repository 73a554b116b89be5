import GRDB
import GRDBSQLite

extension Database {
    /// The detail of the error for a file with a view, a trigger, a virtual table or a computed column.
    static let foreignSchema = "it has a view, a trigger or a computed column, which no version of Gatehouse makes"

    /// The maximum length of a value, a row or an SQL statement in bytes: 16 MiB. The program writes far smaller
    /// values: a ledger entry has a few kilobytes, an agent's message at most a megabyte.
    static let longestValue: Int32 = 16 << 20
    /// The detail of the error for a file that contains a longer value.
    static let foreignValue = "it has a value of more than 16 MiB, which no version of Gatehouse writes"

    /// Prepares a database connection for a file that an attacker may have written. The service's account can write
    /// the database that root's commands open, and a backup may come from an untrusted USB stick.
    ///
    /// A view in place of a table could run for ever or exhaust the memory, and a trigger could undo a write. No
    /// version of the program creates a view, a trigger, a virtual table or a computed column. A file that contains
    /// one is refused with `unreadable` before any SQL statement names a table. SQL functions with side effects are
    /// disabled. A database page with a cell of a wrong size is an error before SQLite reads the cell, as SQLite
    /// recommends for untrusted files. A value longer than ``longestValue`` is not loaded but causes `unreadable`.
    func distrustFile(_ path: String) throws {
        sqlite3_limit(sqliteConnection, SQLITE_LIMIT_LENGTH, Self.longestValue)
        try execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        try checkSchema(path)
    }

    /// Throws `unreadable` if the file contains a view, a trigger, a virtual table or a computed column. If the call
    /// is part of a transaction, the schema cannot change before the end of that transaction.
    func checkSchema(_ path: String) throws {
        let statements = """
            SELECT count(*) FROM sqlite_schema
            WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%'
            """
        let computed = """
            SELECT count(*) FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS c
            WHERE s.type = 'table' AND c.hidden <> 0
            """
        for question in [statements, computed] where try Int.fetchOne(self, sql: question) != 0 {
            throw StoreError.unreadable(path: path, detail: Self.foreignSchema)
        }
    }
}
