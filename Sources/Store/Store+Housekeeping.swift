package import Encoding
import GRDB
import Ledger

extension Store {
    /// Evicts entries that are too old, or that exceed the limits of size and number, a few in each call. Call this
    /// function regularly. The limit on the number of entries also applies without it: each recorded outcome evicts
    /// entries, too.
    ///
    /// A date without a reliable source evicts no entry by its age. With a date that is wrong by years, one call
    /// still evicts only a few entries.
    package func housekeep(at time: WallTime) async throws(StoreError) {
        let options = options
        try await commit { db, books in
            try Self.evict(db, &books, options, slack: 0)
            try Self.evictByAgeAndSize(db, &books, options, at: time)
        }
    }

    /// Evicts the oldest entries if the limit on their number is exceeded by at least `slack` entries (nil: by one
    /// batch). The hash of the last evicted entry stays stored.
    static func evict(
        _ db: Database, _ books: inout LedgerFigures, _ options: StoreOptions, slack: Int? = nil
    ) throws {
        let batch = options.evictionBatch
        guard books.head.point.count - books.start.count >= options.retention.entries + (slack ?? batch) else { return }
        let last = options.retention.evictable(
            start: books.start, end: books.head.point, firstOpen: firstOpen(books),
            firstUnconfirmed: books.primary.firstUnconfirmed)
        if let last { try evict(upTo: min(last, books.start.count + 4 * batch), db, &books) }
    }

    private static func evictByAgeAndSize(
        _ db: Database, _ books: inout LedgerFigures, _ options: StoreOptions, at time: WallTime
    ) throws {
        let most = books.start.count + 4 * options.evictionBatch
        var wanted = books.start.count
        if time.provenance >= .rtc {
            let oldest = time.earliest.advanced(by: .zero - options.retention.age)
            let rows = try Row.fetchCursor(
                db, sql: "SELECT position, body FROM entry WHERE position <= ? ORDER BY position", arguments: [most])
            while let row = try rows.next() {
                // An unreadable entry has no known date. Treat it as being as old as its neighbours.
                let date = (try? LedgerRecord(bytes: row.bytes("body")))?.stamp.time.utc
                if let date, date >= oldest { break }
                wanted = try row.figure("position")
            }
        }
        var firstUnconfirmed = books.primary.firstUnconfirmed
        if try size(db) > options.retention.bytes {
            wanted = most
            // Evict an unconfirmed entry only if no confirmed entry is left to evict.
            if let first = firstUnconfirmed, first <= books.start.count + 1 { firstUnconfirmed = nil }
        }
        let last = options.retention.evictable(
            upTo: wanted, start: books.start, firstOpen: firstOpen(books), firstUnconfirmed: firstUnconfirmed)
        if let last { try evict(upTo: last, db, &books) }
    }

    private static func evict(upTo last: Int, _ db: Database, _ books: inout LedgerFigures) throws {
        guard
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT hash, (SELECT max(seq) FROM entry WHERE position <= e.position) AS seq FROM entry e
                    WHERE position = ?
                    """, arguments: [last])
        else { return }
        if let first = books.primary.firstUnconfirmed, first <= last {
            let lost = try countLost(from: max(first, books.start.count + 1), through: last, db, &books)
            (books.lost, books.lostOpenings) = (books.lost + lost.reports, books.lostOpenings + lost.openings)
        }
        let nextSeq = max(books.start.nextSeq, try row.figure("seq") + 1)
        books.start = ChainPoint(count: last, hash: try row.hash("hash"), nextSeq: nextSeq)
        try db.execute(sql: "DELETE FROM entry WHERE position <= ?", arguments: [last])
    }

    /// Whether entries that the primary destination has not confirmed use more than seven eighths of
    /// ``Retention/bytes``.
    package func isFilledWithUnconfirmed() async throws(StoreError) -> Bool {
        let size = try await read { db in try Self.size(db) }
        return options.retention.isFilled(
            size: size, start: books.start, end: books.head.point, firstUnconfirmed: books.primary.firstUnconfirmed)
    }

    private static func firstOpen(_ books: LedgerFigures) -> Int? { books.head.open.values.map(\.position).min() }

    /// Counts the reports among the entries from `first` through `last` as reports that the primary destination does
    /// not get, because they are evicted without confirmation or refused. The next outcome states that number, and
    /// adds the earlier losses that those reports state, so that the sum over all reports stays correct. Returns the
    /// number of reports, and for how many of their visits the gate opened or may have opened.
    @discardableResult
    static func countLost(
        from first: Int, through last: Int, _ db: Database, _ books: inout LedgerFigures
    ) throws -> (reports: Int, openings: Int) {
        let bodies = try Row.fetchAll(
            db, sql: "SELECT body FROM entry WHERE position BETWEEN ? AND ? AND kind = 'outcome'",
            arguments: [first, last])
        var openings = 0
        for row in bodies {
            // An unreadable record states no earlier losses. Its visit may have opened the gate.
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

    /// Returns the number of used bytes of the database.
    static func size(_ db: Database) throws -> Int {
        let pragmas = ["page_count", "freelist_count", "page_size"]
        let figures = try pragmas.map { try Int.fetchOne(db, sql: "PRAGMA \($0)") ?? 0 }
        return (figures[0] - figures[1]) * figures[2]
    }
}
