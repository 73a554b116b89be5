package import Encoding
import GRDB
package import Ledger

// Delivery cursors of the destinations. ``Store/entries(after:limit:)`` returns the entries to send.
extension Store {
    /// Returns the cursor of a destination. If none is stored, stores a new cursor.
    @discardableResult
    package func cursor(of name: Text) async throws(StoreError) -> DeliveryCursor {
        if let known = books.deliveries[name] { return known }
        return try await commit { db, books in
            let cursor = books.deliveries[name] ?? DeliveryCursor(name)
            try Self.keep(cursor, db, &books)
            return cursor
        }
    }

    /// Returns the names of the destinations that ``forgetDestinations(except:)`` removes.
    package func destinations(except names: Set<Text>) -> [Text] {
        let kept = names.union([DeliveryCursor.primary])
        return Set(books.deliveries.keys).union(books.debts.map(\.destination)).subtracting(kept).sorted()
    }

    /// Removes the cursors of all destinations except those in `names` and the primary destination, and their debts:
    /// the entries of earlier ledgers that they have not confirmed. The caller removes their connections before this
    /// call (``CourierStore/forgetConnections(to:)``).
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

    /// Makes a connection the active one of its destination, if `route` is the present active connection (nil: there
    /// is none). Delivery continues at the cursor. Returns the resulting cursor.
    ///
    /// The caller first reads the present active connection, and then from the courier's database whether that
    /// connection is newer (``CourierStore/newer(than:to:)``). If another connection takes over in between, this call
    /// changes nothing.
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

    /// Removes a connection as the active one of its destination, which then has no active connection. Changes nothing
    /// if the connection is not active. A connection that has become the connection to the mailbox may still be active.
    ///
    /// This is the second step of a deletion. In the first step, the courier's database marks the connection
    /// (``CourierStore/beginDeletion(of:withReplaced:tellsPeer:)``), which then cannot take over again.
    package func letGo(of connection: Text) async throws(StoreError) {
        try await commit { db, books in
            for var cursor in books.deliveries.values where cursor.connection == connection {
                cursor.letGo()
                try Self.keep(cursor, db, &books)
            }
        }
    }

    /// Returns whether ``confirm(_:upTo:receipt:over:passedOver:)`` accepts a confirmation over `connection` of every
    /// entry up to `position`: the connection is the active one of the destination, and the ledger has the entries. A
    /// repeated confirmation is accepted, although it does not move the cursor.
    package func accepts(_ destination: Text, upTo position: Int, over connection: Text) -> Bool {
        position > 0 && position <= books.head.point.count && books.deliveries[destination]?.connection == connection
    }

    /// Records that the destination has confirmed, over `connection`, every entry up to `position`. A confirmation
    /// over a connection that is not the active one, or of entries that the ledger does not have, changes nothing.
    ///
    /// The connections that this connection has replaced are not needed any more. The caller marks them for deletion
    /// before this call (``CourierStore/retireReplaced(by:)``): if the program ends in between, the destination
    /// confirms the entries again. In the reverse order they would stay until the next confirmation.
    ///
    /// - `receipt`: the hash at that position, if the destination gave a receipt.
    /// - `passedOver`: positions of entries that the destination refuses. The next outcome counts those of the primary
    ///   destination as lost.
    package func confirm(
        _ destination: Text, upTo position: Int, receipt: ChainHash? = nil, over connection: Text,
        passedOver: [Int] = []
    ) async throws(StoreError) {
        try await commit { db, books in
            var cursor = books.deliveries[destination] ?? DeliveryCursor(destination)
            let before = cursor.confirmed
            guard cursor.connection == connection,
                cursor.confirm(upTo: position, end: books.head.point, receipt: receipt)
            else { return }
            try Self.keep(cursor, db, &books)
            if destination == DeliveryCursor.primary {
                for lost in passedOver where lost > before && lost <= position {
                    try Self.countLost(from: lost, through: lost, db, &books)
                }
            }
        }
    }

    /// Returns the hash of the entry at `position`, or of the newest entry that is no longer on disk; nil for any
    /// other position.
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
