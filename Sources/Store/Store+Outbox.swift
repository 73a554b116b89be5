package import Encoding
import Foundation
import GRDB
package import Ledger

/// A report in the outbox. Its bytes were fixed when it was queued and are the same in every attempt.
package struct StoredReport: Hashable, Sendable {
    /// The visit's number; reports are sent in its order.
    package var seq: Int
    /// Stable id, the `@id` of the message.
    package var id: Text
    /// ``Report/json(_:)`` as compact bytes.
    package var content: [UInt8]
    /// How far it has come.
    package var state: ReportState
    /// When it entered that state, to the second, by the box's own date.
    package var since: Timestamp
}

extension Store {
    /// The oldest reports that wait to be sent, at most `limit`.
    package func pendingReports(limit: Int) async throws(StoreError) -> [StoredReport] {
        let ranks = options.outbox.queuedRanks
        return try await read { db in
            // The first of each rank, by the one index that there is, and of these the first.
            let reports = try ranks.flatMap { rank in
                try Row.fetchAll(
                    db, sql: "SELECT * FROM report WHERE rank = ? ORDER BY seq LIMIT ?", arguments: [rank, limit]
                ).map(Self.report)
            }
            return Array(reports.sorted { $0.seq < $1.seq }.prefix(limit))
        }
    }

    /// The report of that id, in whatever state; nil when it is no longer kept.
    package func report(id: Text) async throws(StoreError) -> StoredReport? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM report WHERE id = ?", arguments: [id.string]).map(Self.report)
        }
    }

    /// The peer's transport has taken these reports. Ids that are unknown or further on already are passed over.
    package func markSent(_ ids: [Text], at now: Timestamp) async throws(StoreError) {
        try await move(ids, to: .sent, from: [.queued], at: now)
    }

    /// The peer has confirmed these reports; it may do so before its transport's answer reached us, so `queued` counts
    /// too.
    package func markAcknowledged(_ ids: [Text], at now: Timestamp) async throws(StoreError) {
        try await move(ids, to: .acknowledged, from: [.queued, .sent], at: now)
    }

    /// Queues again what was sent before `limit` and not confirmed since, for peers that confirm. Returns how many.
    @discardableResult
    package func requeue(sentBefore limit: Timestamp, at now: Timestamp) async throws(StoreError) -> Int {
        let (rules, key) = (options.outbox, witness?.key)
        return try await commit { db, books in
            var count = 0
            // Row by row: the sum over the outbox takes each in anew.
            while true {
                let rank = rules.rank(.sent, .ordinary)
                let rows = try ReportRow.select("rank = ? AND since < ?", [rank, limit.seconds], limit: 256, db)
                for row in rows {
                    let rank = rules.rank(.queued, row.weight)
                    try Self.move(row, to: .queued, rank: rank, at: now, db, &books, key)
                }
                count += rows.count
                if rows.isEmpty { return count }
            }
        }
    }

    private func move(
        _ ids: [Text], to state: ReportState, from earlier: Set<ReportState>, at now: Timestamp
    ) async throws(StoreError) {
        let (rank, key) = (options.outbox.rank(state, .ordinary), witness?.key)
        try await commit { db, books in
            for id in ids {
                guard let row = try ReportRow.select("id = ?", [id.string], db).first, earlier.contains(row.state)
                else { continue }
                try Self.move(row, to: state, rank: rank, at: now, db, &books, key)
            }
        }
    }

    private static func move(
        _ row: ReportRow, to state: ReportState, rank: Int, at now: Timestamp, _ db: Database, _ books: inout Books,
        _ key: WitnessKey?
    ) throws {
        var moved = row
        (moved.state, moved.rank, moved.since) = (state, rank, now.seconds)
        try moved.update(db)
        books.sum -= row.code(key)
        books.sum += moved.code(key)
    }

    /// While the outbox is over a bound, the first by rank and age gives way; what was never sent is counted as lost,
    /// and so is what the lost report would have told of earlier losses: the sum over all reports stays right.
    static func makeRoom(
        _ db: Database, _ books: inout Books, _ options: StoreOptions, _ key: WitnessKey?
    ) throws {
        while options.outbox.isOver(books.tally) {
            let first = try Int.fetchOne(db, sql: "SELECT seq FROM report ORDER BY rank, seq LIMIT 1")
            guard let first, let row = try ReportRow.select("seq = ?", [first], db).first else { return }
            try remove([row], db, &books, key)
            if options.outbox.isLoss(rank: row.rank) { books.head.lost(reports: 1, told: row.dropped) }
        }
    }

    /// Removes the reports that `condition` selects; they were sent, so nothing is lost.
    static func removeReports(
        _ condition: String, _ arguments: StatementArguments, _ db: Database, _ books: inout Books, _ key: WitnessKey?
    ) throws {
        while true {
            let rows = try ReportRow.select(condition, arguments, limit: 256, db)
            if rows.isEmpty { return }
            try remove(rows, db, &books, key)
        }
    }

    private static func remove(
        _ rows: [ReportRow], _ db: Database, _ books: inout Books, _ key: WitnessKey?
    ) throws {
        for row in rows {
            try db.cachedStatement(sql: "DELETE FROM report WHERE seq = ?").execute(arguments: [row.seq])
            books.sum -= row.code(key)
            books.tally.reports -= 1
            books.tally.bytes -= row.bytes
        }
    }

    private static func report(_ row: Row) throws -> StoredReport {
        StoredReport(
            seq: try row.figure("seq"), id: try row.text("id"), content: try row.bytes("content"),
            state: try row.word("state"),
            since: Timestamp(seconds: try row.integer("since")))
    }
}
