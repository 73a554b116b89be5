package import Encoding
import Foundation
import GRDB
package import Ledger

extension Store {
    /// Records that a visit has begun. When this returns, the intent survives a power cut and the gate may pulse.
    @discardableResult
    package func appendIntent(_ visit: Text, stamp: RecordStamp) async throws(StoreError) -> LedgerEntry {
        try await commit { db, books in
            try Self.refuseIfClosed(visit, db)
            let entry = try books.head.appendIntent(visit, stamp: stamp)
            try Self.insert(entry, kind: "intent", visit: visit, seq: books.head.point.nextSeq - 1, db)
            try db.cachedStatement(sql: "INSERT INTO open_visit VALUES (?, ?, ?)")
                .execute(arguments: [visit.string, books.head.point.nextSeq - 1, entry.position])
            books.clock = SavedClock.merge(kept: books.clock, heard: stamp.time)
            return entry
        }
    }

    /// Records how a visit ended and queues its report in the same transaction: there is never one without the other.
    ///
    /// A visit without an intent gets its number now. Throws `refused(.visitClosed)` when the outcome is recorded
    /// already.
    @discardableResult
    package func appendOutcome(
        _ visit: Text, _ outcome: Outcome, stamp: RecordStamp
    ) async throws(StoreError) -> OutcomeRecord {
        let options = options
        return try await commit { db, books in
            try Self.refuseIfClosed(visit, db)
            let (entry, record) = try books.head.appendOutcome(visit, outcome, stamp: stamp)
            try Self.insert(entry, record, db, &books, options)
            try Self.makeRoom(db, &books, options)
            try Self.evict(db, &books, options)
            books.clock = SavedClock.merge(kept: books.clock, heard: stamp.time)
            return record
        }
    }

    /// Closes every intent that the last run left open as `interrupted`, with its report; to be called once, before the
    /// first visit. All of them or none: a crash in the midst of it changes nothing.
    @discardableResult
    package func recover(stamp: RecordStamp, software: Outcome.Software) async throws(StoreError) -> [OutcomeRecord] {
        let options = options
        return try await commit { db, books in
            let closed = try Recovery.close(&books.head, stamp: stamp, software: software)
            for (entry, record) in closed { try Self.insert(entry, record, db, &books, options) }
            try Self.makeRoom(db, &books, options)
            return closed.map(\.record)
        }
    }

    /// Forgets reports that the peer has had for long enough and evicts entries beyond the retention; to be called now
    /// and then. Both bounds hold without it, this only keeps the file small.
    package func housekeep(now: Timestamp) async throws(StoreError) {
        let options = options
        try await commit { db, books in
            for state in ReportState.allCases {
                guard let before = options.outbox.forgetBefore(state, now: now) else { continue }
                try Self.removeReports(
                    "state = ? AND since < ?", [state.rawValue, before.seconds], db, &books)
            }
            try Self.evict(db, &books, options, slack: 0)
        }
    }

    /// Entries from the one behind `position` on, at most `limit`, for an export.
    package func entries(after position: Int, limit: Int) async throws(StoreError) -> [LedgerEntry] {
        try await read { db in try LedgerQueries.entries(db, after: position, limit: limit) }
    }

    /// The last visits, newest first.
    package func visits(last limit: Int) async throws(StoreError) -> [(visit: ListedVisit, entry: LedgerEntry)] {
        try await read { db in try LedgerQueries.visits(db, last: limit) }
    }

    /// Reads the whole ledger and proves it, from one consistent state, beside the writer.
    package func verify(checkpoints: [Checkpoint] = []) async throws(StoreError) -> ChainReport {
        let limits = options.limits
        return try await read { db in try LedgerQueries.verify(db, checkpoints: checkpoints, limits: limits) }
    }

    /// A statement about the ledger as it is now, to be signed and given to a witness.
    package func checkpoint(at time: WallTime) -> Checkpoint {
        Checkpoint(ledger: head.ledger, point: head.point, time: time)
    }

    private static func refuseIfClosed(_ visit: Text, _ db: Database) throws {
        let found = try db.cachedStatement(sql: "SELECT 1 FROM entry WHERE visit = ? AND kind = 'outcome'")
        if try Int.fetchOne(found, arguments: [visit.string]) != nil { throw LedgerError.visitClosed }
    }

    private static func insert(_ entry: LedgerEntry, kind: String, visit: Text, seq: Int, _ db: Database) throws {
        try db.cachedStatement(sql: "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)").execute(
            arguments: [entry.position, kind, visit.string, seq, Data(entry.hash.bytes), Data(entry.body)])
    }

    private static func insert(
        _ entry: LedgerEntry, _ record: OutcomeRecord, _ db: Database, _ books: inout Books, _ options: StoreOptions
    ) throws {
        try insert(entry, kind: "outcome", visit: record.visit, seq: record.seq, db)
        try db.cachedStatement(sql: "DELETE FROM open_visit WHERE visit = ?").execute(arguments: [record.visit.string])
        let content = Report.json(record).compactBytes
        try db.cachedStatement(sql: "INSERT INTO report VALUES (?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?)").execute(
            arguments: [
                record.seq, Report.id(record).string, record.intent ?? entry.position, record.outcome.result.rawValue,
                options.outbox.rank(.queued, record.outcome.result), record.stamp.time.utc.seconds, record.dropped,
                content.count,
                Data(content),
            ])
        books.tally.reports += 1
        books.tally.bytes += content.count
    }

    /// Evicts the oldest entries once there are `slack` too many, and keeps the hash they end with.
    private static func evict(
        _ db: Database, _ books: inout Books, _ options: StoreOptions, slack: Int? = nil
    ) throws {
        let batch = options.evictionBatch
        guard books.head.point.count - books.start.count >= options.retention.entries + (slack ?? batch) else { return }
        let unsent = try Int.fetchOne(db, sql: "SELECT min(first) FROM report WHERE state = 'queued'")
        let last = options.retention.evictable(
            start: books.start, end: books.head.point, firstOpen: books.head.open.values.map(\.position).min(),
            firstUnsent: unsent)
        guard let last = last.map({ min($0, books.start.count + 4 * batch) }),
            let row = try Row.fetchOne(
                db,
                sql:
                    "SELECT hash, (SELECT max(seq) FROM entry WHERE position <= e.position) AS seq FROM entry e WHERE position = ?",
                arguments: [last]),
            case let seq = try row.figure("seq")
        else { return }
        books.start = ChainPoint(count: last, hash: try row.hash("hash"), nextSeq: max(books.start.nextSeq, seq + 1))
        try db.execute(sql: "DELETE FROM entry WHERE position <= ?", arguments: [last])
    }
}
