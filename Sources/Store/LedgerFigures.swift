import Encoding
import Foundation
import GRDB
import Ledger

/// The state of the ledger that changes with every record: the end of the chain, its start, the open visits, the
/// delivery cursors, the debts and the saved clock. The same state is in the database, mainly in the row of the table
/// `chain`. A transaction changes a copy of this value; the copy replaces the value after the commit.
struct LedgerFigures: Hashable, Sendable {
    /// The result of checking the database's seal when the database is opened.
    enum Seal: Hashable, Sendable {
        /// This start created the ledger.
        case made
        /// The database has no seal.
        case none
        /// The database has a seal, but the key to check it is missing.
        case unread
        /// The seal matches the state of the ledger in the database.
        case intact
        /// The seal does not match the state of the ledger in the database.
        case broken
    }

    /// The end of the chain, and the visits that have an intent but no outcome.
    var head: LedgerHead
    /// The point before the oldest entry on disk.
    var start: ChainPoint
    /// The delivery cursors by the name of the destination.
    var deliveries: [Text: DeliveryCursor]
    /// The debts: for each destination and earlier ledger, the entries that the destination has not confirmed. The
    /// debts of the oldest ledger are first.
    var debts: [PastDebt] = []
    /// The latest date that was saved as the lower bound for the next start (``SavedClock``); nil before the first.
    var clock: Timestamp?
    /// The number of commits that changed this state.
    var revision = 0
    /// The digest of the site key as the database stores it; see ``SiteKey/digest(of:)``. Nil if no site key is
    /// stored.
    var siteKey: [UInt8]?
    /// Whether the secret keys in the database have been sealed. Once they are sealed, no key is stored in plain form
    /// again (``SealingPass``).
    var areKeysSealed = false
    /// The number of outcomes since this start with an opened gate. The witness records each of them at once. The
    /// number is not stored.
    var openings = 0
    /// The number of reports that were lost since this start. The number is not stored.
    var lost = 0
    /// The number of reports lost since this start whose visit opened the gate or may have opened it. The number is
    /// not stored.
    var lostOpenings = 0

    /// The cursor of the primary destination; a new cursor if none is stored.
    var primary: DeliveryCursor {
        deliveries[DeliveryCursor.primary] ?? DeliveryCursor(DeliveryCursor.primary)
    }

    /// Returns the number of entries that a destination has not confirmed, in this ledger and in earlier ledgers.
    func owed(to destination: Text) -> Int {
        let confirmed = deliveries[destination]?.confirmed ?? 0
        return debts.filter { $0.destination == destination }.reduce(head.point.count - confirmed) { $0 + $1.entries }
    }

    /// The part of this state that the seal covers in addition to ``sum(_:)``.
    var state: LedgerState {
        LedgerState(
            ledger: head.ledger, revision: revision, end: head.point, start: start, dropped: head.dropped, clock: clock,
            siteKey: siteKey, open: LedgerState.digest(ofOpen: head.open.values))
    }

    /// Reads the state of the ledger from the database. If the database has none, creates and stores the state of a
    /// new ledger with the id `newLedger`.
    static func load(
        _ db: Database, newLedger: Text, limits: LedgerLimits, key: WitnessKey?
    ) throws -> (books: LedgerFigures, seal: Seal) {
        if let kept = try read(db, limits: limits, key: key) { return kept }
        let genesis = ChainPoint.genesis(ledger: newLedger)
        var books = LedgerFigures(
            head: LedgerHead(ledger: newLedger, point: genesis, limits: limits), start: genesis,
            deliveries: try cursors(db), clock: nil)
        try books.save(db, key)
        return (books, .made)
    }

    /// Reads the state of the ledger and checks its seal. Returns nil for an empty database. `sealed` computes the
    /// sum over the rows that the seal must contain.
    static func read(
        _ db: Database, limits: LedgerLimits, key: WitnessKey?,
        sealed: (LedgerFigures, WitnessKey) throws -> RowSum = { $0.sum($1) }
    ) throws -> (books: LedgerFigures, seal: Seal)? {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM chain WHERE one = 1") else {
            if try Int.fetchOne(db, sql: "SELECT 1 FROM entry LIMIT 1") == nil { return nil }
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the ledger's end is not recorded")
        }
        let clock = try row.textIfPresent("clock")
        var books = LedgerFigures(
            head: LedgerHead(
                ledger: try row.text("ledger"), point: try point(row, "count", "hash", "next_seq"),
                open: try openIntents(db), dropped: try row.figure("dropped"), limits: limits),
            start: try point(row, "start_count", "start_hash", "start_next_seq"),
            deliveries: try cursors(db), clock: clock.flatMap { Timestamp(rfc3339: $0.string) })
        books.debts = try PastDebt.read(db)
        books.siteKey = try Row.fetchOne(db, sql: "SELECT value FROM setting WHERE name = 'site-key'")
            .map { SiteKey.digest(of: try $0.bytes("value")) }
        books.areKeysSealed = try Store.setting(SealingPass.sealedSetting, db) != nil
        // A read-only program may open a database of an earlier version.
        guard row.hasColumn("seal") else { return (books, .none) }
        books.revision = try row.figure("revision")
        guard let seal = try row.bytesIfPresent("seal") else { return (books, .none) }
        guard let key else { return (books, .unread) }
        // Compare the stored text of the date, too. The seal covers only the parsed date, so a change of the text to
        // another spelling, or to no date at all, would otherwise go unnoticed.
        guard let sum = key.open(seal, of: books.state), clock == books.clock.map({ Text($0.rfc3339) }),
            try sum == sealed(books, key)
        else { return (books, .broken) }
        return (books, .intact)
    }

    /// Returns the delivery cursors by the name of the destination. A database of an earlier version, which a
    /// read-only program may open, has none.
    static func cursors(_ db: Database) throws -> [Text: DeliveryCursor] {
        guard try db.tableExists("delivery") else { return [:] }
        let rows = try Row.fetchAll(db, sql: "SELECT * FROM delivery")
        return Dictionary(
            try rows.map { row in
                let destination = try row.text("destination")
                let cursor = DeliveryCursor(
                    destination, confirmed: try row.figure("confirmed"),
                    connection: try row.textIfPresent("connection"),
                    receipt: try row.textIfPresent("receipt").map(receipt))
                return (destination, cursor)
            }, uniquingKeysWith: { first, _ in first })
    }

    private static func receipt(_ text: Text) throws -> Checkpoint {
        guard let receipt = Checkpoint(text), receipt.text == text else {
            throw ContentError(detail: "the column receipt has an invalid value")
        }
        return receipt
    }

    /// Writes a delivery cursor. The same transaction must call ``save(_:_:isSealed:)``, because the seal covers the
    /// cursors.
    static func save(_ cursor: DeliveryCursor, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO delivery VALUES (?, ?, ?, ?) ON CONFLICT (destination) DO UPDATE
                SET confirmed = excluded.confirmed, connection = excluded.connection, receipt = excluded.receipt
                """
        ).execute(
            arguments: [
                cursor.destination.string, cursor.confirmed, cursor.connection?.string, cursor.receipt?.text.string,
            ])
    }

    /// Returns the sum of the authentication codes of the delivery cursors, of the debts (unconfirmed parts of
    /// earlier ledgers) and, if it is set, of ``areKeysSealed``. The seal contains this sum.
    func sum(_ key: WitnessKey) -> RowSum {
        var beginning = areKeysSealed ? key.code(ofRow: [Array(SealingPass.sealedSetting.utf8)]) : RowSum()
        for debt in debts { beginning += key.code(ofRow: debt.fields) }
        return deliveries.values.reduce(into: beginning) { sum, cursor in
            sum += key.code(
                ofRow: [
                    Array(cursor.destination.utf8), Array(String(cursor.confirmed).utf8),
                    cursor.connection.map { [1] + Array($0.utf8) } ?? [],
                    cursor.receipt.map { Array($0.text.utf8) } ?? [],
                ])
        }
    }

    /// Returns the open intents in the table `open_visit`, oldest first, each with its decision if one is stored.
    static func openIntents(_ db: Database) throws -> [OpenIntent] {
        let decisions = try KeptDecision.read(db)
        return try Row.fetchAll(db, sql: "SELECT * FROM open_visit ORDER BY position").map { row in
            let intent = try row.text("visit")
            return OpenIntent(
                intent: intent, seq: try row.figure("seq"), position: try row.figure("position"),
                decision: decisions[intent])
        }
    }

    static func point(_ row: Row, _ count: String, _ hash: String, _ nextSeq: String) throws -> ChainPoint {
        ChainPoint(count: try row.figure(count), hash: try row.hash(hash), nextSeq: try row.figure(nextSeq))
    }

    /// Writes this state with the next revision number, and a seal over it made with `key`. Writes no seal if
    /// `isSealed` is false or `key` is nil.
    mutating func save(_ db: Database, _ key: WitnessKey?, isSealed: Bool = true) throws {
        revision += 1
        let (end, start) = (head.point, start)
        let nonce = (0..<WitnessKey.nonceBytes).map { _ in UInt8.random(in: 0...255) }
        let seal = isSealed ? key.map { Data($0.seal(state, sum($0), nonce: nonce)) } : nil
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO chain (one, ledger, count, hash, next_seq, start_count, start_hash,
                start_next_seq, dropped, clock, revision, seal) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [
                head.ledger.string, end.count, Data(end.hash.bytes), end.nextSeq, start.count, Data(start.hash.bytes),
                start.nextSeq, head.dropped, clock?.rfc3339, revision, seal,
            ])
    }
}
