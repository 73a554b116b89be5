import Encoding
import GRDB
import Ledger

/// A verification of the whole ledger, read in pieces, in one transaction or in a transaction for each piece.
///
/// The last piece reaches the ledger's end and compares the ledger with the lists, the cursors, the seal and the
/// witness. If records are written between two pieces, a later piece reads them.
struct LedgerAudit: Sendable {
    private let checkpoints: [Checkpoint]
    private let limits: LedgerLimits
    private let proof: Proof?
    private let piece: Int
    private var chain: ChainVerifier?
    /// The position of the entry with which the next piece begins.
    private var nextEntry = Int64.min
    private var misfiled: [ChainFinding] = []

    /// Creates an audit. `proof`: the key and the reading of the witness with which the ledger is compared, read
    /// before the audit; nil: no comparison. `piece`: the number of entries for each call of ``read(_:)``.
    init(checkpoints: [Checkpoint] = [], limits: LedgerLimits, proof: Proof?, piece: Int) {
        (self.checkpoints, self.limits, self.proof, self.piece) = (checkpoints, limits, proof, max(piece, 1))
    }

    /// Verifies the whole ledger and returns the report. `db` is in one transaction, so the ledger does not change
    /// meanwhile.
    static func whole(
        _ db: Database, checkpoints: [Checkpoint], limits: LedgerLimits, proof: Proof?
    ) throws -> ChainReport {
        var audit = LedgerAudit(checkpoints: checkpoints, limits: limits, proof: proof, piece: 512)
        while true {
            if let report = try audit.read(db) { return report }
        }
    }

    /// Reads the next piece of the ledger. Returns the report after the last piece, and nil after every other piece.
    mutating func read(_ db: Database) throws -> ChainReport? {
        try readEntries(db) ? try finish(db) : nil
    }

    // MARK: - The chain

    /// Reads the next piece of entries. Returns whether the last entry was read.
    private mutating func readEntries(_ db: Database) throws -> Bool {
        guard let first = try Row.fetchOne(db, sql: "SELECT start_count FROM chain WHERE one = 1") else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the ledger's end is not recorded")
        }
        // Since the previous piece, the store may have evicted entries that this audit has not read. Then start again
        // at the oldest entry.
        if let chain, try first.integer("start_count") <= chain.end.count {
            self.chain = chain
        } else {
            guard let (books, _) = try LedgerFigures.read(db, limits: limits, key: proof?.key) else { return true }
            chain = ChainVerifier(
                ledger: books.head.ledger, start: books.start, checkpoints: checkpoints, limits: limits)
            (nextEntry, misfiled) = (.min, [])
        }
        let cursor = try Row.fetchCursor(
            db,
            sql: """
                SELECT position, hash, body, kind, visit, seq FROM entry WHERE position >= ? ORDER BY position LIMIT ?
                """, arguments: [nextEntry, piece])
        var count = 0
        while let row = try cursor.next() {
            let entry = try LedgerQueries.entry(row)
            chain?.add(entry)
            count += 1
            guard let next = Self.behind(Int64(entry.position)) else { return true }
            nextEntry = next
            guard misfiled.count < ChainVerifier.findingLimit, try !Self.isFiledRight(entry, row) else { continue }
            misfiled.append(.misfiled(entry.position))
        }
        return count < piece
    }

    private func finish(_ db: Database) throws -> ChainReport {
        guard let (books, seal) = try LedgerFigures.read(db, limits: limits, key: proof?.key), let chain else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the ledger's end is not recorded")
        }
        var report = chain.finish(end: books.head.point)
        report.findings += misfiled
        if try LedgerFigures.openIntents(db).map(\.withoutDecision) != report.openIntents {
            report.findings.append(.bookkeeping("the list of open visits differs from the chain"))
        }
        for cursor in books.deliveries.values where cursor.confirmed > books.head.point.count {
            report.findings.append(
                .bookkeeping("the destination \(cursor.destination) has confirmed what the ledger does not have"))
        }
        if let proof { try LedgerQueries.prove(db, books, seal, proof, &report) }
        return report
    }

    /// Returns whether the entry's columns `kind`, `visit` and `seq`, by which queries find it, agree with its
    /// record.
    private static func isFiledRight(_ entry: LedgerEntry, _ row: Row) throws -> Bool {
        guard let record = try? LedgerRecord(bytes: entry.body) else { return true }  // the verifier reports it
        let kind: Text = if case .intent = record { "intent" } else { "outcome" }
        return try row.text("kind") == kind && row.text("visit") == record.visit && row.integer("seq") == record.seq
    }

    /// Returns `number` plus one; nil for the greatest number.
    private static func behind(_ number: Int64) -> Int64? { number == .max ? nil : number + 1 }
}
