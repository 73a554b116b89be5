package import Encoding
import Foundation
import GRDB
package import Ledger

extension Store {
    /// Records an intent with the id `intent`. After the return, the intent survives a power cut and the gate may
    /// open.
    @discardableResult
    package func appendIntent(_ intent: Text, stamp: RecordStamp) async throws(StoreError) -> LedgerEntry {
        try await commit { db, books in try Self.append(intent, stamp, db, &books) }
    }

    /// Records the outcome of a visit, from which its report is made.
    ///
    /// A visit without an intent gets its visit number now. Throws `refused(.visitClosed)` for a second outcome.
    /// `of`: the id of the visit's intent; nil if the intent has the visit's id.
    @discardableResult
    package func appendOutcome(
        _ visit: Text, of intent: Text? = nil, _ outcome: Outcome, stamp: RecordStamp
    ) async throws(StoreError) -> OutcomeRecord {
        let options = options
        let outcome = UnwrittenOutcome(visit: visit, intent: intent, outcome: outcome, stamp: stamp)
        return try await commit { db, books in try Self.append(outcome, db, &books, options) }
    }

    /// Appends an intent inside a transaction.
    static func append(
        _ intent: Text, _ stamp: RecordStamp, _ db: Database, _ books: inout LedgerFigures
    ) throws -> LedgerEntry {
        try refuseIfClosed(intent, db)
        let entry = try books.head.appendIntent(intent, stamp: stamp)
        try insert(entry, kind: "intent", visit: intent, seq: books.head.point.nextSeq - 1, db)
        try insertOpen(intent, seq: books.head.point.nextSeq - 1, position: entry.position, db)
        books.clock = SavedClock.merge(kept: books.clock, heard: stamp.time)
        return entry
    }

    /// Appends an outcome inside a transaction.
    static func append(
        _ outcome: UnwrittenOutcome, _ db: Database, _ books: inout LedgerFigures, _ options: StoreOptions
    ) throws -> OutcomeRecord {
        try refuseIfClosed(outcome.visit, db)
        let (entry, record) = try books.head.appendOutcome(
            outcome.visit, of: outcome.intent, outcome.outcome, stamp: outcome.stamp)
        try insert(entry, record, closing: outcome.intent, db)
        try evict(db, &books, options)
        if outcome.outcome.gate?.opened == true { books.openings += 1 }
        books.clock = SavedClock.merge(kept: books.clock, heard: outcome.stamp.time)
        return record
    }

    /// Writes the first records of a new ledger that replaced another ledger. If these records are already written,
    /// or the ledger replaced none, writes nothing. Call this function before any other record is written.
    package func begin(stamp: RecordStamp, software: Outcome.Software) async throws(StoreError) {
        try await commit { db, books in try Self.found(db, &books, stamp, software) }
    }

    /// Writes an outcome for every intent that the last run left open: the outcome of its stored decision, or
    /// `interrupted`. Call this function once, before the first visit. If the program ends during the call, either
    /// all of these outcomes are written or none.
    @discardableResult
    package func recover(stamp: RecordStamp, software: Outcome.Software) async throws(StoreError) -> [OutcomeRecord] {
        try await commit { db, books in
            let closed = try Recovery.close(&books.head, stamp: stamp, software: software)
            for (entry, record) in closed {
                try Self.insert(entry, kind: "outcome", visit: record.visit, seq: record.seq, db)
            }
            if !closed.isEmpty { try db.execute(sql: "DELETE FROM open_visit") }
            // All intents have outcomes now, so delete the decisions: a row that stays in the table would exist
            // longer than the retention allows.
            try db.execute(sql: "DELETE FROM decision")
            return closed.map(\.record)
        }
    }

    /// Returns entries after `position`, at most `limit`, for an export or for delivery.
    package func entries(after position: Int, limit: Int) async throws(StoreError) -> [LedgerEntry] {
        try await read { db in try LedgerQueries.entries(db, after: position, limit: limit) }
    }

    /// Returns the last visits, newest first, at most `limit`.
    package func visits(last limit: Int) async throws(StoreError) -> [ListedVisit] {
        try await read { db in try LedgerQueries.visits(db, last: limit) }
    }

    /// Reads and verifies the whole ledger in one transaction, without blocking the writer.
    package func verify(checkpoints: [Checkpoint] = []) async throws(StoreError) -> ChainReport {
        let limits = options.limits
        let proof = await currentProof()
        return try await read { db in
            try LedgerAudit.whole(db, checkpoints: checkpoints, limits: limits, proof: proof)
        }
    }

    /// The key and the witness's statement, with which the ledger is compared; nil without a witness. Read the
    /// statement before the ledger: the ledger may then be newer than the statement, but never older.
    var proof: Proof? { witness.map { Proof(key: $0.key, witness: $0.file.read($0.key)) } }

    /// Returns ``proof``. If the witness has made no statement about this ledger yet, the function first writes one,
    /// because until then the last statement is about the replaced ledger.
    func currentProof() async -> Proof? {
        if witness != nil, witnessing.revision == 0 { await updateWitness() }
        return proof
    }

    /// Finds the outcome of a visit. The unary plus prevents SQLite from using the condition on `visit` for the index
    /// expression, which would scan the whole index.
    static let closedVisit =
        "SELECT 1 FROM entry WHERE substr(visit, -8) = substr(?1, -8) AND +visit = ?1 AND kind = 'outcome'"

    private static func refuseIfClosed(_ visit: Text, _ db: Database) throws {
        let found = try db.cachedStatement(sql: closedVisit)
        if try Int.fetchOne(found, arguments: [visit.string]) != nil { throw LedgerError.visitClosed }
    }

    private static func insert(_ entry: LedgerEntry, kind: String, visit: Text, seq: Int, _ db: Database) throws {
        try db.cachedStatement(sql: "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)").execute(
            arguments: [entry.position, kind, visit.string, seq, Data(entry.hash.bytes), Data(entry.body)])
    }

    /// Inserts an outcome, and removes the intent of its visit from the table of open intents.
    private static func insert(
        _ entry: LedgerEntry, _ record: OutcomeRecord, closing intent: Text, _ db: Database
    ) throws {
        try insert(entry, kind: "outcome", visit: record.visit, seq: record.seq, db)
        try db.cachedStatement(sql: "DELETE FROM open_visit WHERE visit = ?").execute(arguments: [intent.string])
    }

    /// Writes the first records of a ledger that replaced another ledger, once. Later calls write nothing.
    private static func found(
        _ db: Database, _ books: inout LedgerFigures, _ stamp: RecordStamp, _ software: Outcome.Software
    ) throws {
        guard let bytes = try setting("founding", db) else { return }
        guard let founding = try? LedgerOrigin(bytes: bytes) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the beginning of the new ledger is damaged")
        }
        try db.execute(sql: "DELETE FROM setting WHERE name = 'founding'")
        let (first, intents) = try founding.begin(&books.head, stamp: stamp, software: software)
        try insert(first.entry, kind: "outcome", visit: first.record.visit, seq: first.record.seq, db)
        for (entry, intent) in intents {
            try insert(entry, kind: "intent", visit: intent.intent, seq: intent.seq, db)
            try insertOpen(intent.intent, seq: intent.seq, position: entry.position, db)
            try books.head.open[intent.intent]?.decision?.save(db)
        }
        books.openings += 1  // the witness then records it at once
    }

    private static func insertOpen(_ intent: Text, seq: Int, position: Int, _ db: Database) throws {
        try db.cachedStatement(sql: "INSERT INTO open_visit VALUES (?, ?, ?)")
            .execute(arguments: [intent.string, seq, position])
    }
}
