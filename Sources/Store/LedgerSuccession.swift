import Encoding
import Foundation
import GRDB
import Ledger

/// The data that a new ledger takes over from the ledger that it replaces: the part of the ledger that is still
/// trusted, the debts, and the replay names, settings and rows about agents in the same database. Quarantined
/// messages are not taken over; they stay in the old file, which is renamed.
struct LedgerSuccession {
    private var predecessor: Predecessor?
    private var nextSeq = 1
    private var dropped = 0
    private var clock: Timestamp?
    private var open: [[UInt8]] = []
    private var decisions: [[UInt8]] = []
    private var cursors: [DeliveryCursor] = []
    private var debts: [PastDebt] = []
    /// The debts that the new ledger does not take over. A debt is the unconfirmed part of an earlier ledger for one
    /// destination; the entries of these debts are never delivered.
    private(set) var givenUp: [PastDebt] = []
    /// The number of reports that the primary destination never gets because of ``givenUp``. The next outcome states
    /// them as lost.
    private(set) var lost = 0
    /// The rows of the tables about agents; nil if the replaced database has no such tables (``AgentTables``).
    private(set) var agentRows: [(table: AgentTables.Table, rows: [[DatabaseValue]])]?
    private var replays: [(name: [UInt8], at: Int64)] = []
    private var settings: [(name: String, value: [UInt8])] = []

    /// Creates the data to take over from an unreadable database, from the witness's statement `head` alone. The
    /// entries that destinations have not confirmed cannot be counted, because only the database contains cursors and
    /// debts. The new ledger names the replaced ledger and its end.
    init(nothingBut head: HeadStatement?) {
        guard let state = head?.state else { return }
        predecessor = Predecessor(ledger: state.ledger, count: state.end.count, hash: state.end.hash)
        (nextSeq, dropped, clock) = (state.end.nextSeq + LedgerOrigin.gap, state.dropped, state.clock)
    }

    /// Creates the data to take over from a readable database that its witness contradicts. `isAuthentic`: whether
    /// the database's seal is valid, so that this gate wrote the database, as an older state.
    init(_ db: Database, _ books: LedgerFigures, isAuthentic: Bool, _ head: HeadStatement?) throws {
        self.init(nothingBut: head)
        let state = books.state
        if predecessor == nil {
            predecessor = Predecessor(ledger: state.ledger, count: state.end.count, hash: state.end.hash)
        }
        if isAuthentic {
            nextSeq = max(nextSeq, state.end.nextSeq + LedgerOrigin.gap)
            dropped = max(dropped, state.dropped)
            clock = [clock, state.clock].compactMap { $0 }.max()
        } else {
            // An attacker may have written the stored numbers, so use only the visit numbers of existing entries.
            let last = try Int.fetchOne(db, sql: "SELECT max(seq) FROM entry") ?? 0
            if (0..<ChainPoint.countLimit / 2).contains(last) { nextSeq = max(nextSeq, last + 1 + LedgerOrigin.gap) }
        }
        cursors = books.deliveries.values.map(\.inNewLedger)
        debts = books.debts.filter { $0.ledger != state.ledger }
        // A destination that has not confirmed all of an earlier ledger is known, even if it has confirmed nothing in
        // this ledger.
        let owed = Set(debts.map(\.destination))
        for cursor in books.deliveries.values
        where (cursor.isKnown || owed.contains(cursor.destination)) && cursor.confirmed < state.end.count {
            let reports =
                try Int.fetchOne(
                    db, sql: "SELECT count(*) FROM entry WHERE position > ? AND kind = 'outcome'",
                    arguments: [cursor.confirmed]) ?? 0
            let end = Checkpoint(ledger: nil, count: state.end.count, hash: state.end.hash)
            debts.append(
                PastDebt(
                    destination: cursor.destination, ledger: state.ledger, end: end, confirmed: cursor.confirmed,
                    reports: reports))
        }
        // Do not deliver a ledger without a valid seal, because an attacker may have written it. It stays in the
        // renamed file.
        dropDebts(ofAllBut: isAuthentic ? PastDebt.ledgers : 0)
        let intents = try LedgerFigures.openIntents(db).prefix(LedgerLimits().openVisits)
        open = try intents.compactMap { intent in
            try Row.fetchOne(db, sql: "SELECT body FROM entry WHERE position = ?", arguments: [intent.position])?
                .bytes("body")
        }
        // Without a valid seal, omit the decisions, because an attacker may have written them.
        if isAuthentic { decisions = intents.compactMap(\.decision?.bytes) }
        try takeTables(of: db, isAuthentic: isAuthentic)
        // A new ledger's database stores, in this setting, the content of its first record until that record is
        // written. If it never was, the first record of the next ledger must contain that content.
        if let kept = settings.first(where: { Text($0.name) == "founding" }),
            let earlier = try? LedgerOrigin(bytes: kept.value)
        {
            predecessor = earlier.predecessor ?? predecessor
            nextSeq = max(nextSeq, earlier.nextSeq)
            open = earlier.open + open
            if isAuthentic { decisions = earlier.decisions + decisions }
        }
        settings.removeAll { Text($0.name) == "founding" || Text($0.name) == RestoredMark.setting }
        // Unless the site key is known to be this gate's own, leave it out, so that the gate makes a new one: an
        // attacker may know it.
        let isSiteKeyOurs = isAuthentic || (head?.state.siteKey != nil && head?.state.siteKey == books.siteKey)
        if !isSiteKeyOurs { settings.removeAll { Text($0.name) == Store.siteKeySetting } }
    }

    /// Reads the data outside the ledger: replay names, settings and, from a file of an earlier version, the rows
    /// about agents.
    private mutating func takeTables(of db: Database, isAuthentic: Bool) throws {
        if try AgentTables.areIn(db) { agentRows = try Self.agentRows(of: db, isAuthentic: isAuthentic) }
        replays = try Row.fetchAll(db, sql: "SELECT name, at FROM replay ORDER BY number")
            .map { (try $0.bytes("name"), try $0.integer("at")) }
        settings = try Row.fetchAll(db, sql: "SELECT * FROM setting")
            .map { (try $0.text("name").string, try $0.bytes("value")) }
    }

    private static func agentRows(
        of db: Database, isAuthentic: Bool
    ) throws -> [(table: AgentTables.Table, rows: [[DatabaseValue]])] {
        // Without a valid seal, leave out each connection that is not sealed: an attacker may have inserted it in
        // order to receive the reports for a destination.
        let connections = try AgentTables.rows(AgentTables.connection, of: db).filter { row in
            isAuthentic || AgentTables.connectionState(row).map(SealingKey.isSealed) == true
        }
        // Without a valid seal, leave out all messages, because an attacker may have inserted a question. Also leave
        // out messages that are unreadable: the gate can run without them.
        let messages = isAuthentic ? try AgentTables.readableRows(AgentTables.message, of: db) : nil
        return [
            (AgentTables.connection, connections),
            (AgentTables.handled, try AgentTables.readableRows(AgentTables.handled, of: db) ?? []),
            (AgentTables.message, messages ?? []),
        ]
    }

    /// Adjusts this value for a database that was restored from a backup. The agents may already have entries that
    /// the gate wrote after the backup, so the next visits get numbers far above those in the backup. The visits that
    /// were open at the time of the backup have got their outcomes since. Their outcomes are counted as lost, and the
    /// visits are not closed a second time.
    mutating func comesFromBackup() {
        nextSeq += RestoredMark.gap
        dropped += open.count
        (open, decisions) = ([], [])
        dropDebts(ofAllBut: 0)
    }

    /// Removes the debts (unconfirmed parts of earlier ledgers) of all ledgers except the newest `kept` ledgers, and
    /// adds them to ``givenUp``. Counts the reports that the primary destination therefore never gets.
    private mutating func dropDebts(ofAllBut kept: Int) {
        var ledgers: [Text] = []
        for debt in debts where !ledgers.contains(debt.ledger) { ledgers.append(debt.ledger) }
        for ledger in ledgers.dropLast(kept) {
            let gone = debts.filter { $0.ledger == ledger }
            givenUp += gone
            let reports = gone.first { $0.destination == DeliveryCursor.primary }?.reports ?? 0
            (lost, dropped) = (
                min(lost + reports, ChainPoint.countLimit), min(dropped + reports, ChainPoint.countLimit)
            )
            debts.removeAll { $0.ledger == ledger }
        }
    }

    /// Writes the data into a new, empty database as the beginning of a new ledger.
    func write(_ db: Database, finding: Text, code: Text, limits: LedgerLimits, key: WitnessKey?) throws {
        let ledger = Opening.newLedger()
        let genesis = ChainPoint.genesis(ledger: ledger)
        var books = LedgerFigures(
            head: LedgerHead(ledger: ledger, point: genesis, dropped: dropped, limits: limits), start: genesis,
            deliveries: try LedgerFigures.cursors(db), clock: clock)
        for cursor in cursors {
            try LedgerFigures.save(cursor, db)
            books.deliveries[cursor.destination] = cursor
        }
        for debt in debts { try debt.save(db) }
        books.debts = debts
        for (table, rows) in agentRows ?? [] {
            for row in rows { try AgentTables.insert(row, into: table, of: db) }
        }
        if agentRows != nil { try AgentTables.closeQuestions(db) }
        for (name, at) in replays {
            try db.execute(sql: "INSERT INTO replay (name, at) VALUES (?, ?)", arguments: [Data(name), at])
        }
        let founding = LedgerOrigin(
            predecessor: predecessor, code: code, finding: finding, nextSeq: nextSeq, open: open,
            decisions: decisions)
        books.areKeysSealed = settings.contains { Text($0.name) == SealingPass.sealedSetting }
        for (name, value) in settings + [("founding", founding.bytes)] {
            try db.execute(sql: "INSERT INTO setting VALUES (?, ?)", arguments: [name, Data(value)])
            if Text(name) == Store.siteKeySetting { books.siteKey = SiteKey.digest(of: value) }
        }
        try books.save(db, key)
    }
}
