import GRDB

/// The tables. STRICT: a column holds what it says. A migration, once released, is never edited; the next one follows
/// it.
enum Schema {
    /// "GATE": marks the file as ours (SQLite's `application_id`).
    static let applicationID = 0x4741_5445

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 ledger, outbox, connections") { db in
            try db.execute(sql: first)
        }
        migrator.registerMigration("2 replays") { db in
            try db.execute(sql: replays)
        }
        return migrator
    }

    private static let first = """
        -- The one row of figures that move with the ledger: its end, its kept start, the saved clock.
        CREATE TABLE chain (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            ledger TEXT NOT NULL,
            count INTEGER NOT NULL, hash BLOB NOT NULL, next_seq INTEGER NOT NULL,
            start_count INTEGER NOT NULL, start_hash BLOB NOT NULL, start_next_seq INTEGER NOT NULL,
            dropped INTEGER NOT NULL,
            clock TEXT
        ) STRICT;
        -- The records. Only position, hash and body count; the other columns find them.
        CREATE TABLE entry (
            position INTEGER PRIMARY KEY,
            kind TEXT NOT NULL CHECK (kind IN ('intent', 'outcome')),
            visit TEXT NOT NULL,
            seq INTEGER NOT NULL,
            hash BLOB NOT NULL,
            body BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX entry_visit ON entry (visit) WHERE kind = 'outcome';
        -- Intents without an outcome.
        CREATE TABLE open_visit (
            visit TEXT NOT NULL PRIMARY KEY,
            seq INTEGER NOT NULL,
            position INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        -- The outbox. `first`: position of the visit's first record; `since`: second of the last change of state;
        -- `weight`: Outcome.Weight; `rank`: OutboxRules.rank; `dropped`: what the report tells of earlier losses; `bytes`: the length of `content`.
        CREATE TABLE report (
            seq INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            first INTEGER NOT NULL,
            weight TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'acknowledged')),
            rank INTEGER NOT NULL,
            since INTEGER NOT NULL,
            dropped INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            content BLOB NOT NULL
        ) STRICT;
        CREATE INDEX report_rank ON report (rank, seq, bytes);
        CREATE TABLE connection (
            id TEXT NOT NULL PRIMARY KEY,
            snapshot BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        -- Inbound messages that were applied, newest last.
        CREATE TABLE handled_message (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            key BLOB NOT NULL UNIQUE
        ) STRICT;
        CREATE TABLE setting (
            name TEXT NOT NULL PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    private static let replays = """
        -- Who was let in a moment ago, under names that only the site key makes; newest last. `at`: second of the date.
        CREATE TABLE replay (
            number INTEGER PRIMARY KEY,
            name BLOB NOT NULL,
            at INTEGER NOT NULL
        ) STRICT;
        """
}
