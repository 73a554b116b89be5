package import Encoding
import GRDB
package import Ledger

// Delivery cursors of the destinations. ``Store/entries(after:limit:)`` returns the entries to send.
extension Store {
    /// Returns the cursor of a destination. The first call stores a new cursor; later calls return it.
    @discardableResult
    package func cursor(of name: Text) async throws(StoreError) -> DeliveryCursor {
        if let known = books.deliveries[name] { return known }
        return try await commit { db, books in
            let cursor = books.deliveries[name] ?? DeliveryCursor(name)
            try Self.keep(cursor, db, &books)
            return cursor
        }
    }

    /// Returns the name for connections that only answer the requests of an invitation for `destination`. No report
    /// goes over such a connection, and none replaces another.
    package static func requestsName(of destination: Text) -> Text { Text("\(destination)/requests") }

    /// Removes all destinations, with their connections, except those in `names` and the primary destination.
    package func forgetDestinations(except names: Set<Text>) async throws(StoreError) {
        let kept = names.union([DeliveryCursor.primary])
        let known = Set(books.deliveries.keys).union(books.debts.map(\.destination))
        guard known.contains(where: { !kept.contains($0) }) else { return }
        try await commit { db, books in
            for debt in books.debts where !kept.contains(debt.destination) { try debt.remove(db) }
            books.debts.removeAll { !kept.contains($0.destination) }
            for name in books.deliveries.keys where !kept.contains(name) {
                books.deliveries[name] = nil
                try db.execute(sql: "DELETE FROM delivery WHERE destination = ?", arguments: [name.string])
                let place = [name.string, Self.requestsName(of: name).string]
                let gone = try Row.fetchAll(
                    db, sql: "SELECT id FROM connection WHERE destination IN (?, ?)",
                    arguments: StatementArguments(place))
                for row in gone { try Self.closeQuestions(of: try row.text("id"), db) }
                try db.execute(
                    sql: "DELETE FROM connection WHERE destination IN (?, ?)", arguments: StatementArguments(place))
            }
        }
    }

    /// Makes a stored connection the route to its destination, unless the present route is a newer connection. Delivery
    /// continues at the cursor. Returns the resulting cursor.
    @discardableResult
    package func takeOver(_ destination: Text, by connection: Text) async throws(StoreError) -> DeliveryCursor {
        try await commit { db, books in
            var cursor = books.deliveries[destination] ?? DeliveryCursor(destination)
            func number(_ id: Text?) throws -> Int? {
                guard let id else { return nil }
                let row = try Row.fetchOne(
                    db, sql: "SELECT number FROM connection WHERE id = ? AND destination = ? AND deleting = 0",
                    arguments: [id.string, destination.string])
                return try row?.figure("number")
            }
            guard cursor.connection != connection, let own = try number(connection) else { return cursor }
            if let present = try number(cursor.connection), present > own { return cursor }
            cursor.takeOver(by: connection)
            try Self.keep(cursor, db, &books)
            return cursor
        }
    }

    /// Records that the destination has confirmed, over `connection`, every entry up to `position`. The same
    /// transaction marks the connections that this connection replaced for deletion (``finishDeletion(of:)``). A
    /// confirmation over another connection than the present route, or of entries that the ledger does not have,
    /// changes nothing. Returns the resulting cursor and the ids of the connections that this call marked.
    ///
    /// - `receipt`: the hash at that position, if the destination gave a receipt.
    /// - `handled`: keys of inbound messages to remember. They become durable with the next state of a connection, or
    ///   when many keys wait. A message that confirms entries may therefore be processed twice.
    /// - `passedOver`: positions of entries that the destination refuses. The next outcome counts those of the primary
    ///   destination as lost.
    @discardableResult
    package func confirm(
        _ destination: Text, upTo position: Int, receipt: ChainHash? = nil, over connection: Text,
        passedOver: [Int] = [], handled: [[UInt8]] = []
    ) async throws(StoreError) -> (cursor: DeliveryCursor, replaced: [Text]) {
        try await keepInMind(handled)
        return try await commit { db, books in
            var cursor = books.deliveries[destination] ?? DeliveryCursor(destination)
            let before = cursor.confirmed
            guard cursor.connection == connection,
                cursor.confirm(upTo: position, end: books.head.point, receipt: receipt)
            else {
                return (cursor, [])
            }
            try Self.keep(cursor, db, &books)
            if destination == DeliveryCursor.primary {
                for lost in passedOver where lost > before && lost <= position {
                    try Self.countLost(from: lost, through: lost, db, &books)
                }
            }
            let older = try db.cachedStatement(
                sql: """
                    SELECT id FROM connection WHERE destination = ?1 AND deleting = 0
                    AND number < (SELECT number FROM connection WHERE id = ?2) ORDER BY number
                    """)
            let replaced = try Row.fetchAll(older, arguments: [destination.string, connection.string]).map {
                try $0.text("id")
            }
            for id in replaced { try Self.mark(id, db) }
            return (cursor, replaced)
        }
    }

    /// Returns the hash of the entry at `position`, or of the entry before the oldest on disk; nil for any other
    /// position.
    package func hash(at position: Int) async throws(StoreError) -> ChainHash? {
        if position == books.start.count { return books.start.hash }
        return try await read { db in
            try Row.fetchOne(db, sql: "SELECT hash FROM entry WHERE position = ?", arguments: [position])?.hash("hash")
        }
    }

    static func keep(_ cursor: DeliveryCursor, _ db: Database, _ books: inout LedgerFigures) throws {
        try LedgerFigures.save(cursor, db)
        books.deliveries[cursor.destination] = cursor
    }
}
