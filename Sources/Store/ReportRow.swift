import Encoding
import Foundation
import GRDB
import Ledger

/// A row of the outbox with all its columns, as the sealed sum over the outbox takes it in.
struct ReportRow {
    var seq: Int
    var id: Text
    var first: Int
    var weight: Outcome.Weight
    var state: ReportState
    var rank: Int
    var since: Int64
    var dropped: Int
    var bytes: Int
    var content: [UInt8]

    init(
        seq: Int, id: Text, first: Int, weight: Outcome.Weight, state: ReportState, rank: Int, since: Int64,
        dropped: Int,
        content: [UInt8]
    ) {
        (self.seq, self.id, self.first, self.weight, self.state) = (seq, id, first, weight, state)
        (self.rank, self.since, self.dropped) = (rank, since, dropped)
        (self.bytes, self.content) = (content.count, content)
    }

    init(_ row: Row) throws {
        seq = try row.figure("seq")
        id = try row.text("id")
        first = try row.figure("first")
        weight = try row.word("weight")
        state = try row.word("state")
        rank = try row.figure("rank")
        since = try row.integer("since")
        dropped = try row.figure("dropped")
        bytes = try row.figure("bytes")
        content = try row.bytes("content")
    }

    /// The row's part in the sum; nothing without a key.
    func code(_ key: WitnessKey?) -> RowSum {
        guard let key else { return RowSum() }
        let figures = [Int64(seq), Int64(first), Int64(rank), since, Int64(dropped), Int64(bytes)]
        return key.code(
            ofRow: [
                Array(id.utf8), Array(weight.rawValue.utf8), Array(state.rawValue.utf8),
                Array(figures.map(String.init).joined(separator: " ").utf8), content,
            ])
    }

    func insert(_ db: Database) throws {
        try db.cachedStatement(sql: "INSERT INTO report VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").execute(
            arguments: [
                seq, id.string, first, weight.rawValue, state.rawValue, rank, since, dropped, bytes, Data(content),
            ])
    }

    /// Writes what moves in a report's life.
    func update(_ db: Database) throws {
        try db.cachedStatement(sql: "UPDATE report SET state = ?, rank = ?, since = ? WHERE seq = ?").execute(
            arguments: [state.rawValue, rank, since, seq])
    }

    /// The rows that a condition selects, at most `limit` at once: contents are not all held in memory.
    static func select(
        _ condition: String, _ arguments: StatementArguments, limit: Int = -1, _ db: Database
    ) throws -> [ReportRow] {
        try Row.fetchAll(
            db, sql: "SELECT * FROM report WHERE \(condition) ORDER BY seq LIMIT ?", arguments: arguments + [limit]
        ).map(ReportRow.init)
    }

    /// The sum over the whole outbox.
    static func sum(_ db: Database, _ key: WitnessKey?) throws -> RowSum {
        var sum = RowSum()
        let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM report")
        while let row = try cursor.next() { sum += try ReportRow(row).code(key) }
        return sum
    }
}
