package import Encoding
import GRDB
import Ledger

extension Store {
    /// Evicts entries that are too old or too many, a few at a time; to be called now and then. The bounds by number hold without
    /// it.
    ///
    /// A date that nothing vouches for evicts nothing, and one that is wrong by years only the few of one call.
    package func housekeep(at time: WallTime) async throws(StoreError) {
        let options = options
        try await commit { db, books in
            try Self.evict(db, &books, options, slack: 0)
            try Self.evictByAgeAndSize(db, &books, options, at: time)
        }
    }

    /// Evicts the oldest entries once there are `slack` too many, and keeps the hash they end with.
    static func evict(
        _ db: Database, _ books: inout Books, _ options: StoreOptions, slack: Int? = nil
    ) throws {
        let batch = options.evictionBatch
        guard books.head.point.count - books.start.count >= options.retention.entries + (slack ?? batch) else { return }
        let last = options.retention.evictable(
            start: books.start, end: books.head.point, firstOpen: firstOpen(books),
            firstOwed: books.primary.firstOwed)
        if let last { try evict(upTo: min(last, books.start.count + 4 * batch), db, &books) }
    }

    private static func evictByAgeAndSize(
        _ db: Database, _ books: inout Books, _ options: StoreOptions, at time: WallTime
    ) throws {
        let most = books.start.count + 4 * options.evictionBatch
        var wanted = books.start.count
        if time.provenance >= .rtc {
            let oldest = time.earliest.advanced(by: .zero - options.retention.age)
            let rows = try Row.fetchCursor(
                db, sql: "SELECT position, body FROM entry WHERE position <= ? ORDER BY position", arguments: [most])
            while let row = try rows.next() {
                // One that cannot be read is as old as those around it.
                let date = (try? LedgerRecord(bytes: row.bytes("body")))?.stamp.time.utc
                if let date, date >= oldest { break }
                wanted = try row.figure("position")
            }
        }
        var firstOwed = books.primary.firstOwed
        if try size(db) > options.retention.bytes {
            wanted = most
            // What was confirmed goes first. Only where nothing of it is left does the rest follow.
            if let first = firstOwed, first <= books.start.count + 1 { firstOwed = nil }
        }
        let last = options.retention.evictable(
            upTo: wanted, start: books.start, firstOpen: firstOpen(books), firstOwed: firstOwed)
        if let last { try evict(upTo: last, db, &books) }
    }

    private static func evict(upTo last: Int, _ db: Database, _ books: inout Books) throws {
        guard
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT hash, (SELECT max(seq) FROM entry WHERE position <= e.position) AS seq FROM entry e
                    WHERE position = ?
                    """, arguments: [last])
        else { return }
        if let first = books.primary.firstOwed, first <= last {
            let lost = try countLost(from: max(first, books.start.count + 1), through: last, db, &books)
            (books.lost, books.lostOpenings) = (books.lost + lost.reports, books.lostOpenings + lost.openings)
        }
        let nextSeq = max(books.start.nextSeq, try row.figure("seq") + 1)
        books.start = ChainPoint(count: last, hash: try row.hash("hash"), nextSeq: nextSeq)
        try db.execute(sql: "DELETE FROM entry WHERE position <= ?", arguments: [last])
    }

    /// Whether what the primary destination has not confirmed leaves room for little else: seven eighths of
    /// ``Retention/bytes`` are taken by it.
    package func isFilledWithOwed() async throws(StoreError) -> Bool {
        let size = try await read { db in try Self.size(db) }
        return options.retention.isFilled(
            size: size, start: books.start, end: books.head.point, firstOwed: books.primary.firstOwed)
    }

    private static func firstOpen(_ books: Books) -> Int? { books.head.open.values.map(\.position).min() }

    /// What is lost to the primary destination, for it goes without having been confirmed or is refused there, is
    /// counted for the next outcome, and so is what it would have told of earlier losses: the sum over all reports
    /// stays right. Returns how many reports, and for how many of these visits the gate opened, or may have.
    @discardableResult
    static func countLost(
        from first: Int, through last: Int, _ db: Database, _ books: inout Books
    ) throws -> (reports: Int, openings: Int) {
        let bodies = try Row.fetchAll(
            db, sql: "SELECT body FROM entry WHERE position BETWEEN ? AND ? AND kind = 'outcome'",
            arguments: [first, last])
        var openings = 0
        for row in bodies {
            // One that cannot be read told nothing, and may have been anything.
            guard case .outcome(let record) = try? LedgerRecord(bytes: row.bytes("body")) else {
                books.head.lost(reports: 1, told: 0)
                openings += 1
                continue
            }
            books.head.lost(reports: 1, told: record.dropped)
            openings += record.outcome.weight == .opened ? 1 : 0
        }
        return (bodies.count, openings)
    }

    /// Bytes of the database that are in use.
    static func size(_ db: Database) throws -> Int {
        let pragmas = ["page_count", "freelist_count", "page_size"]
        let figures = try pragmas.map { try Int.fetchOne(db, sql: "PRAGMA \($0)") ?? 0 }
        return (figures[0] - figures[1]) * figures[2]
    }
}
