import Encoding
import Foundation
import GRDB
import Ledger

/// The queries that the service, which owns the database, and read-only programs share. All statements of one call
/// must see the same state, so each call is part of one transaction.
enum LedgerQueries {
    static func entries(_ db: Database, after position: Int, limit: Int) throws -> [LedgerEntry] {
        try Row.fetchAll(
            db, sql: "SELECT position, hash, body FROM entry WHERE position > ? ORDER BY position LIMIT ?",
            arguments: [position, limit]
        ).map(entry)
    }

    /// Returns the hash of the entry at a position. Entries that are no longer on disk have none, except the newest
    /// of them. Returns nil for any other position.
    static func hash(_ db: Database, at position: Int) throws -> ChainHash? {
        if let row = try Row.fetchOne(db, sql: "SELECT hash FROM entry WHERE position = ?", arguments: [position]) {
            return try row.hash("hash")
        }
        let start = try Row.fetchOne(
            db, sql: "SELECT start_hash FROM chain WHERE one = 1 AND start_count = ?", arguments: [position])
        return try start?.hash("start_hash")
    }

    /// Returns the last visits, newest first, at most `limit`. The list includes an unreadable entry, without its
    /// hash or with an empty body.
    static func visits(_ db: Database, last limit: Int) throws -> [ListedVisit] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT position, hash, body, kind FROM entry
                WHERE kind = 'outcome' OR visit IN (SELECT visit FROM open_visit)
                ORDER BY position DESC LIMIT ?
                """, arguments: [limit])
        let primary = try LedgerFigures.cursors(db)[DeliveryCursor.primary] ?? DeliveryCursor(DeliveryCursor.primary)
        return try rows.map { row in
            let position = Int(try row.integer("position"))
            return ListedVisit(
                position: position, hash: try? row.hash("hash"), body: (try? row.bytes("body")) ?? [],
                report: try row.text("kind") == "outcome" ? primary.state(of: position) : nil)
        }
    }

    /// Compares the ledger with its seal and its witness, and adds the result to the report.
    static func prove(
        _ db: Database, _ books: LedgerFigures, _ seal: LedgerFigures.Seal, _ proof: Proof, _ report: inout ChainReport
    ) throws {
        let key = proof.key
        let isOld = try !Schema.migrator().appliedIdentifiers(db).contains(Schema.sealing)
        let stored = try stored(db, books, seal, isOld: isOld, key: key)
        let torn = if case .read(_, isTorn: true) = proof.witness { "; one of its two places is damaged" } else { "" }
        switch try standing(db, stored, proof.witness, keyIsNew: false) {
        case .rewritten(let why): report.findings.append(.witness(why))
        case .unwitnessed(let why): report.witness = "none: \(why)"
        case .continued:
            let seen = proof.witness.head?.state.end.count ?? 0
            report.witness =
                "agrees up to entry \(seen)" + (key == nil ? " (no key: its seal was not checked)" : "") + torn
        case .new, .adopted, .restored: report.witness = "none yet"
        }
    }

    /// Returns the state of the ledger as the database and its seal describe it, for the comparison with the witness.
    static func stored(
        _ db: Database, _ books: LedgerFigures, _ seal: LedgerFigures.Seal, isOld: Bool, key: WitnessKey?
    ) throws -> StoredLedger {
        switch seal {
        case .made: return .made
        case .none: return .unsealed(books.state, isOld: isOld)
        case .broken:
            return .broken("its seal does not match its figures, open visits, cursors and site key")
        case .unread: return .sealed(books.state, digest: nil)
        case .intact: return .sealed(books.state, digest: key.map { $0.digest(of: books.state, books.sum($0)) })
        }
    }

    static func standing(
        _ db: Database, _ stored: StoredLedger, _ witness: WitnessReading, keyIsNew: Bool
    ) throws -> WitnessComparison {
        guard case .sealed(let state, _) = stored else {
            return .judge(stored, witness, keyIsNew: keyIsNew) { _ in nil }
        }
        func hash(_ position: Int) throws -> ChainHash? {
            if position == state.start.count { return state.start.hash }
            return try Row.fetchOne(db, sql: "SELECT hash FROM entry WHERE position = ?", arguments: [position])?
                .hash("hash")
        }
        let seen = try witness.head.map { try hash($0.state.end.count) } ?? nil
        let standing = WitnessComparison.judge(stored, witness, keyIsNew: keyIsNew) { _ in seen }
        if case .rewritten = standing { return standing }
        // The seal states the end of the chain. Check that the entries lead to that end: the entries after the
        // witness's last statement, at most the last ``tailEntries``.
        let from = max(state.start.count, witness.head?.state.end.count ?? 0, state.end.count - tailEntries)
        var point = try hash(from)
        for entry in try entries(db, after: from, limit: tailEntries + 1) {
            guard point?.next(position: entry.position, body: entry.body) == entry.hash else {
                return .rewritten("entry \(entry.position) was altered")
            }
            point = entry.hash
        }
        return point == state.end.hash ? standing : .rewritten("the entries do not end as sealed")
    }

    /// The maximum number of entries that a start checks. Older entries are checked by an audit.
    private static let tailEntries = 1024

    static func entry(_ row: Row) throws -> LedgerEntry {
        LedgerEntry(
            position: Int(try row.integer("position")), hash: try row.hash("hash"), body: try row.bytes("body"))
    }
}
