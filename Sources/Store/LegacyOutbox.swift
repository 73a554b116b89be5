import Encoding
import GRDB
import Ledger

/// The outbox of earlier versions: a table of reports, separate from the ledger. It is read once, when the database
/// is migrated.
enum LegacyOutbox {
    /// Stores the primary destination's delivery cursor in place of the table, and removes the table. The migration
    /// calls this function in its transaction.
    ///
    /// The cursor follows the last of the reports that the agent confirmed without a gap from the beginning. A report
    /// that was only sent counts as unconfirmed. If the seal over the table is valid, a new seal over the cursor
    /// replaces it. An invalid seal stays unchanged, so it does not match the new state either.
    static func retire(_ db: Database, _ key: WitnessKey?) throws {
        let first = try Int.fetchOne(
            db,
            sql: """
                SELECT min(e.position) FROM report r JOIN entry e ON e.visit = r.id AND e.kind = 'outcome'
                WHERE r.state <> 'acknowledged'
                """)
        let end = try Int.fetchOne(db, sql: "SELECT count FROM chain WHERE one = 1") ?? 0
        try LedgerFigures.save(DeliveryCursor(DeliveryCursor.primary, confirmed: first.map { $0 - 1 } ?? end), db)
        if let (read, seal) = try LedgerFigures.read(
            db, limits: LedgerLimits(), key: key, sealed: { _, key in try sum(db, key) })
        {
            var books = read
            // The table also contains reports of an earlier ledger, which have no entry in this ledger.
            let orphans = try Row.fetchOne(
                db,
                sql: """
                    SELECT count(*) AS n, ifnull(sum(dropped), 0) AS told FROM report WHERE state = 'queued'
                    AND id NOT IN (SELECT visit FROM entry WHERE kind = 'outcome')
                    """)
            if let orphans, seal == .intact || seal == .none {
                books.head.lost(reports: try orphans.figure("n"), told: try orphans.figure("told"))
                try books.save(db, key, isSealed: seal == .intact)
            }
        }
        try db.execute(sql: "DROP TABLE report")
    }

    /// Returns the sum over the table's rows that the seal of an earlier version contains.
    private static func sum(_ db: Database, _ key: WitnessKey) throws -> RowSum {
        var sum = RowSum()
        let rows = try Row.fetchCursor(db, sql: "SELECT * FROM report")
        while let row = try rows.next() {
            let figures = try ["seq", "first", "rank", "since", "dropped", "bytes"].map { String(try row.integer($0)) }
            let words = try ["id", "weight", "state"].map { Array(try row.text($0).utf8) }
            sum += key.code(ofRow: words + [Array(figures.joined(separator: " ").utf8), try row.bytes("content")])
        }
        return sum
    }
}
