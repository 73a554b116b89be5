import Encoding
import Foundation
import GRDB
import Ledger

/// The figures that change with every record, in memory and in the `chain` row. A writer works on a copy and uses the
/// copy only after the commit.
struct LedgerFigures: Hashable, Sendable {
    /// The state of a database's seal at opening.
    enum Seal: Hashable, Sendable {
        /// This start created the ledger.
        case made
        /// The database has no seal.
        case none
        /// The database has a seal, but the key to check the seal is missing.
        case unread
        /// The seal matches these figures.
        case intact
        /// The seal does not match these figures.
        case broken
    }

    /// The end of the chain and the open visits.
    var head: LedgerHead
    /// The point before the oldest entry on disk.
    var start: ChainPoint
    /// The delivery cursors, by destination.
    var deliveries: [Text: DeliveryCursor]
    /// The debts: unconfirmed entries of earlier ledgers, by destination. The oldest ledger is first.
    var debts: [PastDebt] = []
    /// The last date of the clock.
    var clock: Timestamp?
    /// The number of commits that changed any of these figures.
    var revision = 0
    /// The digest of the site key as stored; see ``SiteKey/digest(of:)``.
    var siteKey: [UInt8]?
    /// Whether the keys in the database have been sealed. From then on they are never stored in plain form
    /// (``SealingPass``).
    var areKeysSealed = false
    /// The number of outcomes since the start for which the gate opened. The witness records each of them at once. The
    /// number is not stored.
    var openings = 0
    /// The number of reports lost since the start. The number is not stored.
    var lost = 0
    /// The number of lost reports about visits for which the gate opened or may have opened. The number is not stored.
    var lostOpenings = 0

    /// The cursor of the primary destination.
    var primary: DeliveryCursor {
        deliveries[DeliveryCursor.primary] ?? DeliveryCursor(DeliveryCursor.primary)
    }

    /// Returns the number of unconfirmed entries of a destination, in this ledger and earlier ledgers.
    func owed(to destination: Text) -> Int {
        let confirmed = deliveries[destination]?.confirmed ?? 0
        return debts.filter { $0.destination == destination }.reduce(head.point.count - confirmed) { $0 + $1.entries }
    }

    /// The part of the figures that is sealed.
    var state: LedgerState {
        LedgerState(
            ledger: head.ledger, revision: revision, end: head.point, start: start, dropped: head.dropped, clock: clock,
            siteKey: siteKey, open: LedgerState.digest(ofOpen: head.open.values))
    }

    /// Reads the figures. Creates the figures of a new ledger with the id `newLedger` if the database has none.
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

    /// Reads the figures and checks their seal; nil for an empty database. `sealed`: computes the sum that the seal
    /// must contain.
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
        // Compare the stored text of the date. The seal covers only the parsed date, so another spelling, or a text
        // that is not a date, would otherwise go unnoticed.
        guard let sum = key.open(seal, of: books.state), clock == books.clock.map({ Text($0.rfc3339) }),
            try sum == sealed(books, key)
        else { return (books, .broken) }
        return (books, .intact)
    }

    /// Returns the cursors by destination; none for a database of an earlier version, which a read-only program may
    /// open.
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

    /// Writes a cursor. The same transaction must save the figures.
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

    /// Returns the sum over the cursors, the debts and ``areKeysSealed``.
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

    /// Returns the open intents in the store's list, in order, with their decisions.
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

    /// Writes the figures as a new revision, sealed with `key`. If `isSealed` is false or there is no key, no seal is
    /// written.
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
