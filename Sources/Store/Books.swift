import Encoding
import Foundation
import GRDB
import Ledger

/// The figures that move with every record, in memory and in the `chain` row. Whoever writes works on a copy and keeps
/// it only when the transaction was committed.
struct Books: Hashable, Sendable {
    /// What the seal of a database said when it was opened.
    enum Seal: Hashable, Sendable {
        /// The ledger was made just now.
        case made
        /// There is none.
        case none
        /// There is one, and no key to look at it with.
        case unread
        /// It is that of these figures.
        case intact
        /// It is not.
        case broken
    }

    /// The chain's end and the open visits.
    var head: LedgerHead
    /// What is before the oldest entry kept.
    var start: ChainPoint
    /// How far the ledger has come to each destination, by name.
    var deliveries: [Text: DeliveryCursor]
    /// What destinations have not confirmed of earlier ledgers, the oldest ledger first.
    var debts: [PastDebt] = []
    /// The last date heard.
    var clock: Timestamp?
    /// Counts the commits that changed any of this.
    var revision = 0
    /// ``SiteKey/digest(of:)`` of the site key as it is stored.
    var siteKey: [UInt8]?
    /// Whether the keys that the database holds have been sealed: from then on they never lie open (``SealingPass``).
    var areKeysSealed = false
    /// Counts outcomes, since the start, whose gate opened: each is witnessed at once. Not kept.
    var openings = 0
    /// Counts reports given up since the start. Not kept.
    var lost = 0
    /// How many of them were of visits for which the gate opened, or may have. Not kept.
    var lostOpenings = 0

    /// The cursor of the primary destination.
    var primary: DeliveryCursor {
        deliveries[DeliveryCursor.primary] ?? DeliveryCursor(DeliveryCursor.primary)
    }

    /// Entries that a destination has not confirmed, of this ledger and those before it.
    func owed(to destination: Text) -> Int {
        let confirmed = deliveries[destination]?.confirmed ?? 0
        return debts.filter { $0.destination == destination }.reduce(head.point.count - confirmed) { $0 + $1.entries }
    }

    /// What is sealed of these.
    var state: LedgerState {
        LedgerState(
            ledger: head.ledger, revision: revision, end: head.point, start: start, dropped: head.dropped, clock: clock,
            siteKey: siteKey, open: LedgerState.digest(ofOpen: head.open.values))
    }

    /// Reads the figures; makes those of a new ledger when there are none, with `newLedger` as its id.
    static func load(
        _ db: Database, newLedger: Text, limits: LedgerLimits, key: WitnessKey?
    ) throws -> (books: Books, seal: Seal) {
        if let kept = try read(db, limits: limits, key: key) { return kept }
        let genesis = ChainPoint.genesis(ledger: newLedger)
        var books = Books(
            head: LedgerHead(ledger: newLedger, point: genesis, limits: limits), start: genesis,
            deliveries: try cursors(db), clock: nil)
        try books.save(db, key)
        return (books, .made)
    }

    /// Reads the figures and looks at their seal; nil in an empty database. `sealed`: the sum that the seal must hold.
    static func read(
        _ db: Database, limits: LedgerLimits, key: WitnessKey?,
        sealed: (Books, WitnessKey) throws -> RowSum = { $0.sum($1) }
    ) throws -> (books: Books, seal: Seal)? {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM chain WHERE one = 1") else {
            if try Int.fetchOne(db, sql: "SELECT 1 FROM entry LIMIT 1") == nil { return nil }
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the ledger's end is not recorded")
        }
        let clock = try row.textIfPresent("clock")
        var books = Books(
            head: LedgerHead(
                ledger: try row.text("ledger"), point: try point(row, "count", "hash", "next_seq"),
                open: try openIntents(db), dropped: try row.figure("dropped"), limits: limits),
            start: try point(row, "start_count", "start_hash", "start_next_seq"),
            deliveries: try cursors(db), clock: clock.flatMap { Timestamp(rfc3339: $0.string) })
        books.debts = try PastDebt.read(db)
        books.siteKey = try Row.fetchOne(db, sql: "SELECT value FROM setting WHERE name = 'site-key'")
            .map { SiteKey.digest(of: try $0.bytes("value")) }
        books.areKeysSealed = try Store.setting(SealingPass.sealedSetting, db) != nil
        // A reader may see a database of an earlier version.
        guard row.hasColumn("seal") else { return (books, .none) }
        books.revision = try row.figure("revision")
        guard let seal = try row.bytesIfPresent("seal") else { return (books, .none) }
        guard let key else { return (books, .unread) }
        // The date is sealed as a date: other letters for it, or what is none, would otherwise go unseen.
        guard let sum = key.open(seal, of: books.state), clock == books.clock.map({ Text($0.rfc3339) }),
            try sum == sealed(books, key)
        else { return (books, .broken) }
        return (books, .intact)
    }

    /// The cursors; none in a database that a reader finds in the form of an earlier version.
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
            throw ContentError(detail: "the column receipt holds what it never should")
        }
        return receipt
    }

    /// Writes a cursor, so that it belongs to the books that are saved in the same transaction.
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

    /// The cursors and debts as one figure, and that keys are sealed.
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

    /// The intents that the store's own list says are open, in their order, with what was decided of them.
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

    /// Writes the figures as those of a new revision, sealed when there is a key, unless somebody else is to seal them.
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
