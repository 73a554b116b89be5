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

    static func verify(_ db: Database, checkpoints: [Checkpoint], limits: LedgerLimits) throws -> ChainReport {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM chain") else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the ledger's end is not recorded")
        }
        let end = try Books.point(row, "count", "hash", "next_seq")
        let start = try Books.point(row, "start_count", "start_hash", "start_next_seq")
        var verifier = ChainVerifier(
            ledger: try row.text("ledger"), start: start, checkpoints: checkpoints, limits: limits)
        let cursor = try Row.fetchCursor(db, sql: "SELECT position, hash, body FROM entry ORDER BY position")
        while let row = try cursor.next() { verifier.add(try entry(row)) }
        var report = verifier.finish(end: end)
        report.findings += try bookkeeping(db, report)
        return report
    }

    /// The lists beside the chain say the same as the chain.
    private static func bookkeeping(_ db: Database, _ report: ChainReport) throws -> [ChainFinding] {
        var findings: [ChainFinding] = []
        let open = try Row.fetchAll(db, sql: "SELECT * FROM open_visit ORDER BY position")
            .map {
                OpenIntent(visit: try $0.text("visit"), seq: try $0.figure("seq"), position: try $0.figure("position"))
            }
        if open != report.openIntents {
            findings.append(.bookkeeping("the list of open visits differs from the chain"))
        }
        // A report may be gone (sent or lost to the bound), but each one that is here has its outcome, byte for byte.
        let cursor = try Row.fetchCursor(
            db,
            sql: """
                SELECT r.seq, r.content, e.body FROM report r LEFT JOIN entry e ON e.visit = r.id AND e.kind = 'outcome'
                WHERE r.first > (SELECT start_count FROM chain) ORDER BY r.seq
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
