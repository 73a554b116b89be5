import GRDB
import GRDBSQLite

extension Database {
    /// What is wrong with such a file.
    static let foreignSchema = "it has a view, a trigger or a computed column, which no version of Gatehouse makes"

    /// The longest value, row or statement, in bytes: 16 MiB. What is written is far below: an entry has some kilobytes,
    /// an agent's message a megabyte.
    static let longestValue: Int32 = 16 << 20
    /// What is wrong with a file that has a longer one.
    static let foreignValue = "it has a value of more than 16 MiB, which no version of Gatehouse writes"

    /// Takes the file for one that an attacker may have written: the service's account owns the database that root's
    /// commands open, and a backup may come from a stranger's stick.
    ///
    /// A view in the place of a table could run without end or fill the memory, a trigger could undo what is written.
    /// No version of the program makes a view, a trigger, a virtual table or a computed column, so a file that has one
    /// is not read: `unreadable`, thrown before any statement names a table. Functions with side effects are shut out
    /// besides, and a page with a cell of a wrong size is an error before the cell is read (SQLite's advice on
    /// untrusted files). A value of a gigabyte does not reach the memory: it is an error, `unreadable` again.
    func distrustFile(_ path: String) throws {
        sqlite3_limit(sqliteConnection, SQLITE_LIMIT_LENGTH, Self.longestValue)
        try execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        try checkSchema(path)
    }

    /// Throws `unreadable` where the file has a view, a trigger, a virtual table or a computed column. In a transaction
    /// the answer holds until its end.
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
