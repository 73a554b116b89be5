package import Encoding
import Foundation
import GRDB
package import Ledger

extension Store {
    /// Records that a visit has begun. When this returns, the intent survives a power cut and the gate may pulse.
    @discardableResult
    package func appendIntent(_ visit: Text, stamp: RecordStamp) async throws(StoreError) -> LedgerEntry {
        try await commit { db, books in try Self.append(visit, stamp, db, &books) }
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
        return try await commit { db, books in try Self.append(visit, outcome, stamp, db, &books, options) }
    }

    /// Appends an intent inside a transaction.
    static func append(
        _ visit: Text, _ stamp: RecordStamp, _ db: Database, _ books: inout Books
    ) throws -> LedgerEntry {
        try refuseIfClosed(visit, db)
        let entry = try books.head.appendIntent(visit, stamp: stamp)
        try insert(entry, kind: "intent", visit: visit, seq: books.head.point.nextSeq - 1, db)
        try db.cachedStatement(sql: "INSERT INTO open_visit VALUES (?, ?, ?)")
            .execute(arguments: [visit.string, books.head.point.nextSeq - 1, entry.position])
        books.clock = SavedClock.merge(kept: books.clock, heard: stamp.time)
        return entry
    }

    /// Appends an outcome and queues its report inside a transaction.
    static func append(
        _ visit: Text, _ outcome: Outcome, _ stamp: RecordStamp, _ db: Database, _ books: inout Books,
        _ options: StoreOptions
    ) throws -> OutcomeRecord {
        try refuseIfClosed(visit, db)
        let (entry, record) = try books.head.appendOutcome(visit, outcome, stamp: stamp)
        try insert(entry, record, db, &books, options)
        try makeRoom(db, &books, options)
        try evict(db, &books, options)
        books.clock = SavedClock.merge(kept: books.clock, heard: stamp.time)
        return record
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

    /// Entries from the one behind `position` on, at most `limit`, for an export.
    package func entries(after position: Int, limit: Int) async throws(StoreError) -> [LedgerEntry] {
        try await read { db in try LedgerQueries.entries(db, after: position, limit: limit) }
    }

    /// The last visits, newest first.
    package func visits(last limit: Int) async throws(StoreError) -> [ListedVisit] {
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
                record.seq, Report.id(record).string, record.intent ?? entry.position, record.outcome.weight.rawValue,
                options.outbox.rank(.queued, record.outcome.weight), record.stamp.time.utc.seconds, record.dropped,
                content.count,
                Data(content),
            ])
        books.tally.reports += 1
        books.tally.bytes += content.count
    }
}
