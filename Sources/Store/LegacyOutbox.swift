import Encoding
import GRDB
import Ledger

/// The outbox of earlier versions, a separate table of reports. It is read once, at the migration of its database.
enum LegacyOutbox {
    /// Converts the table into the primary destination's cursor and removes the table, inside the migration.
    ///
    /// Reports that the agent confirmed without a gap from the beginning count as confirmed. Reports that were only
    /// sent do not. If the seal of the table is valid, a new seal over the cursor replaces it. Any other seal stays
    /// unchanged and does not match the new figures.
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
            // Reports of an earlier ledger were stored only in the table.
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

    /// Returns the sum over the table, as sealed by earlier versions.
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
