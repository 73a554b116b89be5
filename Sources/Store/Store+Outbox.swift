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
        let rules = options.outbox
        return try await commit { db, _ in
            try db.execute(
                sql: """
                    UPDATE report SET state = 'queued', since = ?,
                        rank = CASE weight WHEN 'opened' THEN ? WHEN 'junk' THEN ? ELSE ? END
                    WHERE rank = ? AND since < ?
                    """,
                arguments: [
                    now.seconds, rules.rank(.queued, .opened), rules.rank(.queued, .junk),
                    rules.rank(.queued, .ordinary), rules.rank(.sent, .ordinary), limit.seconds,
                ])
            return db.changesCount
        }
    }

    private func move(
        _ ids: [Text], to state: ReportState, from earlier: [ReportState], at now: Timestamp
    ) async throws(StoreError) {
        let rank = options.outbox.rank(state, .ordinary)
        let marks = earlier.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        try await commit { db, _ in
            let statement = try db.cachedStatement(
                sql: "UPDATE report SET state = ?, rank = ?, since = ? WHERE id = ? AND state IN (\(marks))")
            for id in ids { try statement.execute(arguments: [state.rawValue, rank, now.seconds, id.string]) }
        }
    }

    /// While the outbox is over a bound, the first by rank and age gives way; what was never sent is counted as lost,
    /// and so is what the lost report would have told of earlier losses: the sum over all reports stays right.
    static func makeRoom(_ db: Database, _ books: inout Books, _ options: StoreOptions) throws {
        while options.outbox.isOver(books.tally) {
            let first = try Row.fetchOne(
                db, sql: "SELECT seq, rank, dropped, bytes FROM report ORDER BY rank, seq LIMIT 1")
            guard let first else { return }
            try db.execute(sql: "DELETE FROM report WHERE seq = ?", arguments: [try first.figure("seq")])
            books.tally.reports -= 1
            books.tally.bytes -= try first.figure("bytes")
            if options.outbox.isLoss(rank: try first.figure("rank")) {
                books.head.lost(reports: 1, told: try first.figure("dropped"))
            }
        }
    }

    /// Removes the reports that `condition` selects; they were sent, so nothing is lost.
    static func removeReports(
        _ condition: String, _ arguments: StatementArguments, _ db: Database, _ books: inout Books
    ) throws {
        let sum = try Row.fetchOne(
            db, sql: "SELECT count(*) AS n, ifnull(sum(bytes), 0) AS bytes FROM report WHERE \(condition)",
            arguments: arguments)
        guard let sum, try sum.figure("n") > 0 else { return }
        try db.execute(sql: "DELETE FROM report WHERE \(condition)", arguments: arguments)
        books.tally.reports -= try sum.figure("n")
        books.tally.bytes -= try sum.figure("bytes")
    }

    private static func report(_ row: Row) throws -> StoredReport {
        StoredReport(
            seq: try row.figure("seq"), id: try row.text("id"), content: try row.bytes("content"),
            state: ReportState(rawValue: try row.text("state").string) ?? .queued,
            since: Timestamp(seconds: try row.integer("since")))
    }
}
