import GRDB

/// The tables of the courier's database (``AgentTables``). They are STRICT: a column contains only values of its
/// declared type. A released migration is never edited; a new migration follows it.
enum CourierSchema {
    /// SQLite's `application_id` of a courier's database: "GATC" in ASCII.
    static let applicationID = 0x4741_5443

    /// The migrator with all versions of the courier's database.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 connections, messages, quarantine") { db in
            try db.execute(sql: first)
        }
        return migrator
    }

    private static let first = """
        -- `snapshot`: the sealed state with its keys. `number` grows: the newest connection of a destination is the one
        -- that takes over. `made`: second of the date; 0: not known. `deleting`: 1: to be deleted after telling its
        -- peer; 2: to be deleted at once.
        CREATE TABLE connection (
            id TEXT NOT NULL PRIMARY KEY,
            snapshot BLOB NOT NULL,
            destination TEXT NOT NULL,
            number INTEGER NOT NULL,
            made INTEGER NOT NULL,
            deleting INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        -- Inbound messages that were applied, newest last.
        CREATE TABLE handled_message (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            key BLOB NOT NULL UNIQUE
        ) STRICT;
        -- Messages of agents, newest last: MessageEntry. `at`: second of the date. `content`: the message, of a
        -- question that waits; otherwise empty.
        CREATE TABLE message (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            uid TEXT NOT NULL,
            connection TEXT NOT NULL,
            did TEXT NOT NULL,
            kind TEXT NOT NULL,
            at INTEGER NOT NULL,
            status TEXT NOT NULL,
            result TEXT NOT NULL,
            content BLOB NOT NULL,
            UNIQUE (connection, uid)
        ) STRICT;
        -- Messages from mailboxes that could not be read, newest last. A number is never used again, so the numbers
        -- count these messages.
        CREATE TABLE quarantine (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            uid TEXT NOT NULL,
            connection TEXT NOT NULL,
            reason TEXT NOT NULL,
            envelope BLOB NOT NULL
        ) STRICT;
        CREATE TABLE setting (
            name TEXT NOT NULL PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
