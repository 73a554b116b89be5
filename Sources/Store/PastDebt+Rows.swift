import Encoding
import GRDB
import Ledger

// The rows of the table `debt`: for each destination and earlier ledger, the entries that the destination has not
// confirmed. The seal covers the debts and the cursors. A change of the database without the key therefore cannot
// make the gate deliver the content of another file.
extension PastDebt {
    /// The maximum number of rows to read, more than the program ever writes. Further rows are not read, so the seal
    /// does not match.
    private static let most = 4 * ledgers * DeliveryCursor.limit

    /// Returns the debts, the debts of the oldest ledger first. A database of an earlier version has none.
    static func read(_ db: Database) throws -> [PastDebt] {
        guard try db.tableExists("debt") else { return [] }
        return try Row.fetchAll(db, sql: "SELECT * FROM debt ORDER BY rowid LIMIT ?", arguments: [most]).map { row in
            let (text, ledger) = (try row.text("last"), try row.text("ledger"))
            guard let last = Checkpoint(text), last.text == text else {
                throw ContentError(detail: "the column last has an invalid value")
            }
            return PastDebt(
                destination: try row.text("destination"), ledger: ledger, end: last,
                confirmed: try row.figure("confirmed"), reports: try row.figure("reports"))
        }
    }

    /// Writes the debt. The same transaction must save ``LedgerFigures``, because the seal covers the debts.
    func save(_ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO debt VALUES (?, ?, ?, ?, ?) ON CONFLICT (destination, ledger) DO UPDATE
                SET confirmed = excluded.confirmed, reports = excluded.reports
                """, arguments: [destination.string, ledger.string, end.text.string, confirmed, reports])
    }

    func remove(_ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM debt WHERE destination = ? AND ledger = ?",
            arguments: [destination.string, ledger.string]
        )
    }
}
