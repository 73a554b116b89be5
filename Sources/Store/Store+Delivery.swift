package import Encoding
import GRDB
package import Ledger

/// The result of ``Store/letGo(_:of:isForced:)``.
package enum ConnectionRelease: Hashable, Sendable {
    /// The connection is the route to its destination, which has not confirmed the given number of entries. Nothing
    /// has changed.
    case owed(Int)
    /// The connection was the route to its destination and is it no more.
    case released
    /// The connection was not the route.
    case notRoute
}

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

    /// Returns the destinations that ``forgetDestinations(except:)`` forgets.
    package func destinations(except names: Set<Text>) -> [Text] {
        let kept = names.union([DeliveryCursor.primary])
        return Set(books.deliveries.keys).union(books.debts.map(\.destination)).subtracting(kept).sorted()
    }

    /// Removes all destinations except those in `names` and the primary destination. Their connections are removed
    /// before that (``CourierStore/forgetConnections(to:)``).
    package func forgetDestinations(except names: Set<Text>) async throws(StoreError) {
        let gone = destinations(except: names)
        guard !gone.isEmpty else { return }
        try await commit { db, books in
            for debt in books.debts where gone.contains(debt.destination) { try debt.remove(db) }
            books.debts.removeAll { gone.contains($0.destination) }
            for name in gone {
                books.deliveries[name] = nil
                try db.execute(sql: "DELETE FROM delivery WHERE destination = ?", arguments: [name.string])
            }
        }
    }

    /// Makes a connection the route to its destination, if `route` is the present route (nil: if there is none).
    /// Delivery continues at the cursor. Returns the resulting cursor.
    ///
    /// The caller reads the present route first, and then from the courier's database whether that route is newer
    /// (``CourierStore/newer(than:to:)``). If another connection takes over in between, this call changes nothing.
    @discardableResult
    package func takeOver(
        _ destination: Text, by connection: Text, insteadOf route: Text?
    ) async throws(StoreError) -> DeliveryCursor {
        try await commit { db, books in
            var cursor = books.deliveries[destination] ?? DeliveryCursor(destination)
            guard cursor.connection == route, route != connection else { return cursor }
            cursor.takeOver(by: connection)
            try Self.keep(cursor, db, &books)
            return cursor
        }
    }

    /// Returns whether a connection may be deleted, and removes it from its place as the route to `destination`.
    ///
    /// This is the first step of a deletion; ``CourierStore/beginDeletion(of:withReplaced:tellsPeer:)`` is the second.
    package func letGo(
        _ destination: Text, of connection: Text, isForced: Bool
    ) async throws(StoreError) -> ConnectionRelease {
        try await commit { db, books in
            guard var cursor = books.deliveries[destination], cursor.connection == connection else { return .notRoute }
            let owed = books.owed(to: destination)
            guard isForced || owed <= 0 else { return .owed(owed) }
            cursor.letGo()
            try Self.keep(cursor, db, &books)
            return .released
        }
    }

    /// Records that the destination has confirmed, over `connection`, every entry up to `position`. A confirmation over
    /// another connection than the present route, or of entries that the ledger does not have, changes nothing. Returns
    /// whether `connection` is the route and the position is confirmed: then the connections that it replaced may be
    /// deleted (``CourierStore/retireReplaced(by:)``).
    ///
    /// - `receipt`: the hash at that position, if the destination gave a receipt.
    /// - `passedOver`: positions of entries that the destination refuses. The next outcome counts those of the primary
    ///   destination as lost.
    @discardableResult
    package func confirm(
        _ destination: Text, upTo position: Int, receipt: ChainHash? = nil, over connection: Text,
        passedOver: [Int] = []
    ) async throws(StoreError) -> Bool {
        try await commit { db, books in
            var cursor = books.deliveries[destination] ?? DeliveryCursor(destination)
            let before = cursor.confirmed
            guard cursor.connection == connection else { return false }
            // A repetition moves nothing, but the courier's step after an earlier call may be missing.
            guard cursor.confirm(upTo: position, end: books.head.point, receipt: receipt) else {
                return position <= before && before > 0
            }
            try Self.keep(cursor, db, &books)
            if destination == DeliveryCursor.primary {
                for lost in passedOver where lost > before && lost <= position {
                    try Self.countLost(from: lost, through: lost, db, &books)
                }
            }
            return true
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
