import Encoding
import Foundation
import GRDB
import Ledger

/// What the owner of the database and a mere reader both ask of it. Each call sees one consistent state.
enum LedgerQueries {
    static func entries(_ db: Database, after position: Int, limit: Int) throws -> [LedgerEntry] {
        try Row.fetchAll(
            db, sql: "SELECT position, hash, body FROM entry WHERE position > ? ORDER BY position LIMIT ?",
            arguments: [position, limit]
        ).map(entry)
    }

    /// One that cannot be read does not hide those behind it.
    static func visits(_ db: Database, last limit: Int) throws -> [ListedVisit] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT e.position, e.hash, e.body, r.state FROM entry e LEFT JOIN report r ON r.id = e.visit
                WHERE e.kind = 'outcome' OR e.visit IN (SELECT visit FROM open_visit)
                ORDER BY e.position DESC LIMIT ?
                """, arguments: [limit])
        return try rows.map { row in
            ListedVisit(
                position: Int(try row.integer("position")), hash: try? row.hash("hash"),
                body: (try? row.bytes("body")) ?? [],
                report: try row.textIfPresent("state").flatMap { ReportState(rawValue: $0.string) })
        }
    }

    static func verify(
        _ db: Database, checkpoints: [Checkpoint], limits: LedgerLimits, proof: Proof?
    ) throws -> ChainReport {
        guard let (books, seal) = try Books.read(db, limits: limits, key: proof?.key) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the ledger's end is not recorded")
        }
        var verifier = ChainVerifier(
            ledger: books.head.ledger, start: books.start, checkpoints: checkpoints, limits: limits)
        var misfiled: [ChainFinding] = []
        let cursor = try Row.fetchCursor(
            db, sql: "SELECT position, hash, body, kind, visit, seq FROM entry ORDER BY position")
        while let row = try cursor.next() {
            let entry = try entry(row)
            verifier.add(entry)
            guard misfiled.count < ChainVerifier.findingLimit, try !isFiledRight(entry, row) else { continue }
            misfiled.append(.misfiled(entry.position))
        }
        var report = verifier.finish(end: books.head.point)
        report.findings += misfiled
        report.findings += try bookkeeping(db, report)
        if let proof { try prove(db, books, seal, proof, &report) }
        return report
    }

    /// Holds the ledger to its seal and its witness.
    private static func prove(
        _ db: Database, _ books: Books, _ seal: Books.Seal, _ proof: Proof, _ report: inout ChainReport
    ) throws {
        let key = proof.key
        if key != nil, seal == .intact, try !isOutbox(db, books, key) {
            report.findings.append(.witness("the outbox is not the one that was sealed"))
        }
        let isOld = try !Schema.migrator.appliedIdentifiers(db).contains(Schema.sealing)
        let stored = try stored(db, books, seal, isOld: isOld, key: key)
        let torn = if case .read(_, isTorn: true) = proof.witness { "; one of its two places is damaged" } else { "" }
        switch try standing(db, stored, proof.witness, keyIsNew: false) {
        case .rewritten(let why): report.findings.append(.witness(why))
        case .unwitnessed(let why): report.witness = "none: \(why)"
        case .continued:
            let seen = proof.witness.head?.state.end.count ?? 0
            report.witness =
                "agrees up to entry \(seen)" + (key == nil ? " (no key: its seal was not looked at)" : "") + torn
        case .new, .adopted: report.witness = "none yet"
        }
    }

    /// Whether the outbox is the one that was sealed; content that was never written is none.
    static func isOutbox(_ db: Database, _ books: Books, _ key: WitnessKey?) throws -> Bool {
        do {
            return try ReportRow.sum(db, key) == books.sum
        } catch is ContentError {
            return false
        }
    }

    /// What the database says, for a comparison with the witness. The entries behind the witnessed one are held to the end.
    static func stored(
        _ db: Database, _ books: Books, _ seal: Books.Seal, isOld: Bool, key: WitnessKey?
    ) throws -> StoredLedger {
        switch seal {
        case .made: return .made
        case .none: return .unsealed(books.state, isOld: isOld)
        case .broken: return .broken("its seal is not that of its figures, its open visits and its site key")
        case .unread: return .sealed(books.state, digest: nil)
        case .intact: return .sealed(books.state, digest: key?.digest(of: books.state, books.sum))
        }
    }

    static func standing(
        _ db: Database, _ stored: StoredLedger, _ witness: WitnessReading, keyIsNew: Bool
    ) throws -> LedgerStanding {
        guard case .sealed(let state, _) = stored else {
            return .judge(stored, witness, keyIsNew: keyIsNew) { _ in nil }
        }
        func hash(_ position: Int) throws -> ChainHash? {
            if position == state.start.count { return state.start.hash }
            return try Row.fetchOne(db, sql: "SELECT hash FROM entry WHERE position = ?", arguments: [position])?
                .hash("hash")
        }
        let seen = try witness.head.map { try hash($0.state.end.count) } ?? nil
        let standing = LedgerStanding.judge(stored, witness, keyIsNew: keyIsNew) { _ in seen }
        if case .rewritten = standing { return standing }
        // The seal says where the chain ends; what is there must end so, at least behind what the witness has seen.
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

    /// Entries that a start looks at, at most, behind those that the witness has seen.
    private static let tailEntries = 1024

    /// The columns that find an entry say what its record says.
    private static func isFiledRight(_ entry: LedgerEntry, _ row: Row) throws -> Bool {
        guard let record = try? LedgerRecord(bytes: entry.body) else { return true }  // found by the chain
        let kind: Text = if case .intent = record { "intent" } else { "outcome" }
        return try row.text("kind") == kind && row.text("visit") == record.visit && row.integer("seq") == record.seq
    }

    /// The lists beside the chain say the same as the chain.
    private static func bookkeeping(_ db: Database, _ report: ChainReport) throws -> [ChainFinding] {
        var findings: [ChainFinding] = []
        if try Books.openVisits(db) != report.openIntents {
            findings.append(.bookkeeping("the list of open visits differs from the chain"))
        }
        // A report may be gone (sent or lost to the bound), but each one that is here has its outcome, byte for byte.
        let cursor = try Row.fetchCursor(
            db,
            sql: """
                SELECT r.seq, r.content, e.body FROM report r LEFT JOIN entry e ON e.visit = r.id AND e.kind = 'outcome'
                WHERE r.first > (SELECT start_count FROM chain WHERE one = 1) ORDER BY r.seq
                """)
        while let row = try cursor.next(), findings.count < ChainVerifier.findingLimit {
            let seq = try row.figure("seq")
            let body = try row.bytesIfPresent("body") ?? []
            guard case .outcome(let record) = try? LedgerRecord(bytes: body) else {
                findings.append(.bookkeeping("report \(seq) has no outcome in the chain"))
                continue
            }
            let content = try row.bytes("content")
            // A report of an older format was made by an older program; its bytes stay as they were queued.
            let type = (try? JSON.parse(content))?["type"]?.string
            if let type, type != Report.type, type.hasPrefix("verification-report/") { continue }
            if record.seq != seq || Report.json(record).compactBytes != content {
                findings.append(.bookkeeping("report \(seq) differs from its outcome"))
            }
        }
        return findings
    }

    private static func entry(_ row: Row) throws -> LedgerEntry {
        LedgerEntry(
            position: Int(try row.integer("position")), hash: try row.hash("hash"), body: try row.bytes("body"))
    }
}
