import GRDB
import Ledger

/// The tables of the ledger's database. They are STRICT: a column contains only values of its declared type. A
/// released migration is never edited; a new migration follows it.
enum Schema {
    /// SQLite's `application_id` of a ledger's database: "GATE" in ASCII.
    static let applicationID = 0x4741_5445

    /// Returns the migrator with all versions of the database. `key`: the key of the seal. A migration checks and
    /// renews the seal with it; nil if no migration is to run or the key is missing.
    static func migrator(_ key: WitnessKey? = nil) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 ledger, outbox, connections") { db in
            try db.execute(sql: first)
        }
        migrator.registerMigration("2 replays") { db in
            try db.execute(sql: replays)
        }
        migrator.registerMigration(sealing) { db in
            try db.execute(sql: third)
        }
        migrator.registerMigration("4 visits by their last letters") { db in
            try db.execute(sql: visitEnds)
        }
        migrator.registerMigration(delivery) { db in
            try db.execute(sql: fifth)
            try LegacyOutbox.retire(db, key)
        }
        migrator.registerMigration("6 when a connection was made, and whether it goes") { db in
            try db.execute(sql: sixth)
        }
        // This migration changes no table; ``SealingPass`` seals the keys. Because of this migration, an earlier
        // version of the program refuses the database: it would read sealed keys as plain keys.
        migrator.registerMigration("7 sealed keys") { _ in }
        migrator.registerMigration("8 quarantine") { db in
            try db.execute(sql: quarantine)
        }
        migrator.registerMigration("9 delivery by rows") { db in
            try db.execute(sql: ninth)
        }
        migrator.registerMigration("10 debts of ledgers before") { db in
            try db.execute(sql: tenth)
        }
        migrator.registerMigration("11 decisions") { db in
            try db.execute(sql: decisions)
        }
        migrator.registerMigration(beforeHandOver) { db in
            try db.execute(sql: messages)
        }
        migrator.registerMigration(handOver) { db in
            try db.execute(sql: thirteenth)
        }
        return migrator
    }

    /// Migrates a ledger's file. A file of an earlier version keeps the tables about agents, because there may be no
    /// copy of their rows: only ``Store/handOver(to:)`` drops these tables, after it has copied the rows.
    static func migrate(_ ledger: some DatabaseWriter, _ key: WitnessKey? = nil) throws {
        let migrator = migrator(key)
        let applied = try ledger.read(migrator.appliedIdentifiers)
        if applied.isEmpty || applied.contains(handOver) {
            try migrator.migrate(ledger)
        } else {
            try migrator.migrate(ledger, upTo: beforeHandOver)
        }
    }

    /// The migration that added the seal.
    static let sealing = "3 seal, weights"
    /// The migration that replaced the table of reports by delivery cursors, so that the ledger is the outbox.
    static let delivery = "5 delivery"
    /// The last migration with the tables about agents in the ledger's file.
    static let beforeHandOver = "12 messages"
    /// The migration that drops the tables about agents. They are in the courier's database since then.
    static let handOver = "13 the courier's database"

    // `revision` counts the commits that changed the row. `seal` is the result of WitnessKey.seal for the row, the
    // cursors and the site key; NULL if the program that last wrote the row had no key.
    private static let third = """
        ALTER TABLE chain ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE chain ADD COLUMN seal BLOB;
        -- Indices cost bytes with every record: only outcomes are looked for by visit, and reports by rank.
        DROP INDEX entry_visit;
        CREATE UNIQUE INDEX entry_visit ON entry (visit) WHERE kind = 'outcome';
        DROP INDEX report_state;
        -- `weight`: Outcome.Weight, in place of the result.
        ALTER TABLE report RENAME COLUMN result TO weight;
        UPDATE report SET weight = CASE weight WHEN 'accepted' THEN 'opened' ELSE 'ordinary' END,
            rank = CASE WHEN state <> 'queued' THEN rank WHEN weight = 'accepted' THEN 4 ELSE 3 END;
        """

    // Visits have random ids, so each new entry changes another page of this index. A small index has few pages, so
    // few pages are written. The index is not unique: each writer of an outcome first looks for an outcome of the
    // visit, in the same transaction, so a visit has only one.
    private static let visitEnds = """
        DROP INDEX entry_visit;
        CREATE INDEX entry_visit ON entry (substr(visit, -8)) WHERE kind = 'outcome';
        """

    private static let fifth = """
        -- How far the ledger has come to each destination: DeliveryCursor. The ledger is the outbox, so the table `report` goes.
        CREATE TABLE delivery (
            destination TEXT NOT NULL PRIMARY KEY,
            confirmed INTEGER NOT NULL,
            connection TEXT,
            receipt TEXT
        ) STRICT, WITHOUT ROWID;
        -- `number` grows: the newest connection of a destination is the one that takes over.
        ALTER TABLE connection ADD COLUMN destination TEXT NOT NULL DEFAULT 'primary';
        ALTER TABLE connection ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
        """

    private static let quarantine = """
        -- Messages out of mailboxes that nobody here could read, newest last; numbers are never used again, so they count.
        CREATE TABLE quarantine (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            uid TEXT NOT NULL,
            connection TEXT NOT NULL,
            reason TEXT NOT NULL,
            envelope BLOB NOT NULL
        ) STRICT;
        """

    private static let sixth = """
        -- `made`: second of the date; 0: not known. `deleting`: 1: to be deleted after telling its peer; 2: to be
        -- deleted at once.
        ALTER TABLE connection ADD COLUMN made INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE connection ADD COLUMN deleting INTEGER NOT NULL DEFAULT 0;
        """

    // In a table without a rowid, a cursor with its receipt did not fit into one page, and each change of a cursor
    // wrote four pages.
    private static let ninth = """
        CREATE TABLE delivery_rows (
            destination TEXT NOT NULL PRIMARY KEY,
            confirmed INTEGER NOT NULL,
            connection TEXT,
            receipt TEXT
        ) STRICT;
        INSERT INTO delivery_rows SELECT destination, confirmed, connection, receipt FROM delivery;
        DROP TABLE delivery;
        ALTER TABLE delivery_rows RENAME TO delivery;
        """

    private static let tenth = """
        -- What destinations have not confirmed of earlier ledgers: PastDebt. `last`: the end, as a Checkpoint is
        -- written.
        CREATE TABLE debt (
            destination TEXT NOT NULL,
            ledger TEXT NOT NULL,
            last TEXT NOT NULL,
            confirmed INTEGER NOT NULL,
            reports INTEGER NOT NULL,
            PRIMARY KEY (destination, ledger)
        ) STRICT;
        """

    private static let decisions = """
        -- What was decided of open visits whose gate was told to open, until their outcomes come: KeptDecision. A row
        -- whose intent has its outcome says nothing more, and is written over by the next decision.
        CREATE TABLE decision (
            slot INTEGER PRIMARY KEY,
            content BLOB NOT NULL
        ) STRICT;
        """

    private static let messages = """
        -- Messages of agents, newest last. `at`: second of the date. `content`: the message, of a
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
        """

    private static let thirteenth = """
        DROP TABLE connection;
        DROP TABLE handled_message;
        DROP TABLE message;
        DROP TABLE quarantine;
        DELETE FROM setting WHERE name = 'invitations-without-mailbox' OR name GLOB 'invitations/*';
        """

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
        CREATE UNIQUE INDEX entry_visit ON entry (visit, kind);
        -- Intents without an outcome.
        CREATE TABLE open_visit (
            visit TEXT NOT NULL PRIMARY KEY,
            seq INTEGER NOT NULL,
            position INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        -- The outbox. `first`: position of the visit's first record; `since`: second of the last change of state;
        -- `rank`: OutboxRules.rank; `dropped`: what the report tells of earlier losses; `bytes`: the length of `content`.
        CREATE TABLE report (
            seq INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            first INTEGER NOT NULL,
            result TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'acknowledged')),
            rank INTEGER NOT NULL,
            since INTEGER NOT NULL,
            dropped INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            content BLOB NOT NULL
        ) STRICT;
        CREATE INDEX report_state ON report (state, seq, first);
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
