import GRDB

extension Database {
    /// Takes the file for one that an attacker may have written, as root's commands open the service's database.
    ///
    /// Views, triggers and indexes of the file may then call no function that has side effects, and a page with a
    /// cell of a wrong size is an error before the cell is read (SQLite's advice on untrusted database files). The
    /// third advice, `SQLITE_DBCONFIG_DEFENSIVE`, limits hostile statements; all statements here are the program's.
    func distrustFile() throws {
        try execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    }
}
