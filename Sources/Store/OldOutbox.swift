import Encoding
import GRDB
import Ledger

/// The outbox of earlier versions, a table of reports beside the ledger: read once, when its database is brought up to date.
enum OldOutbox {
    /// Makes the primary destination's cursor of the table and removes it, inside the migration.
    ///
    /// What the agent had confirmed, from the beginning on and without a hole, is confirmed; what was only sent is not. A seal
    /// that is right and stands over this very table is made anew over the cursor; any other is left, and then nobody takes it
    /// for one of the new figures.
    static func retire(_ db: Database, _ key: WitnessKey?) throws {
        let first = try Int.fetchOne(
            db,
            sql: """
                SELECT min(e.position) FROM report r JOIN entry e ON e.visit = r.id AND e.kind = 'outcome'
                WHERE r.state <> 'acknowledged'
                """)
        let end = try Int.fetchOne(db, sql: "SELECT count FROM chain WHERE one = 1") ?? 0
        try Books.save(DeliveryCursor(DeliveryCursor.primary, confirmed: first.map { $0 - 1 } ?? end), db)
        if let (read, seal) = try Books.read(
            db, limits: LedgerLimits(), key: key, sealed: { _, key in try sum(db, key) })
        {
            var books = read
            // Of a ledger before this one only the table had the reports.
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

    /// The sum over the table as those versions sealed it.
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
