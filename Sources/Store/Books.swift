import Encoding
import Foundation
import GRDB
import Ledger

/// The figures that move with every record, in memory and in the `chain` row. Whoever writes works on a copy and keeps
/// it only when the transaction was committed.
struct Books: Hashable, Sendable {
    /// The chain's end and the open visits.
    var head: LedgerHead
    /// What is before the oldest entry kept.
    var start: ChainPoint
    /// What the outbox holds.
    var tally: OutboxTally
    /// The last date heard.
    var clock: Timestamp?

    /// Reads the figures; makes those of a new ledger when there are none, with `newLedger` as its id.
    static func load(_ db: Database, newLedger: Text, limits: LedgerLimits) throws -> Books {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM chain") else {
            let genesis = ChainPoint.genesis(ledger: newLedger)
            let books = Books(
                head: LedgerHead(ledger: newLedger, point: genesis, limits: limits), start: genesis,
                tally: OutboxTally(), clock: nil)
            try books.save(db)
            return books
        }
        let open = try Row.fetchAll(db, sql: "SELECT * FROM open_visit")
            .map {
                OpenIntent(visit: try $0.text("visit"), seq: try $0.figure("seq"), position: try $0.figure("position"))
            }
        let tally = try Row.fetchOne(
            db, sql: "SELECT count(*) AS n, ifnull(sum(bytes), 0) AS bytes FROM report")
        return Books(
            head: LedgerHead(
                ledger: try row.text("ledger"), point: try point(row, "count", "hash", "next_seq"), open: open,
                dropped: try row.figure("dropped"), limits: limits),
            start: try point(row, "start_count", "start_hash", "start_next_seq"),
            tally: OutboxTally(reports: try tally?.figure("n") ?? 0, bytes: try tally?.figure("bytes") ?? 0),
            clock: try row.textIfPresent("clock").flatMap { Timestamp(rfc3339: $0.string) })
    }

    static func point(_ row: Row, _ count: String, _ hash: String, _ nextSeq: String) throws -> ChainPoint {
        ChainPoint(count: try row.figure(count), hash: try row.hash(hash), nextSeq: try row.figure(nextSeq))
    }

    func save(_ db: Database) throws {
        let (end, start) = (head.point, start)
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO chain VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)").execute(
            arguments: [
                head.ledger.string, end.count, Data(end.hash.bytes), end.nextSeq, start.count, Data(start.hash.bytes),
                start.nextSeq, head.dropped, clock?.rfc3339,
            ])
    }
}
