package import Encoding
import GRDB
import Ledger

/// What became of the wish to delete a connection.
package enum ConnectionDeletion: Hashable, Sendable {
    /// There is no such connection.
    case unknown
    /// It is the present way to its destination, which has not confirmed so many entries of the ledger.
    case owed(Int)
    /// It is marked, also after a restart, and is the way to nowhere any more; the ids of all that are marked, it before the
    /// others: with the way to a destination those go that it had replaced.
    case begun([Text])
}

// A connection is deleted in two steps, so that its peer can be told in between with the keys that it knows: whatever ends the
// program meanwhile, the mark stays and the next start goes on.
extension Store {
    /// Marks a connection as one that is to go, unless it is the present way to a destination that is still owed something and
    /// `isForced` is false. Marking it again changes nothing.
    package func beginDeletion(of id: Text, isForced: Bool) async throws(StoreError) -> ConnectionDeletion {
        try await commit { db, books in
            let row = try Row.fetchOne(
                db, sql: "SELECT destination, number FROM connection WHERE id = ?", arguments: [id.string])
            guard let row else { return .unknown }
            let destination = try row.text("destination")
            var marked = [id]
            if var cursor = books.deliveries[destination], cursor.connection == id {
                let owed = books.head.point.count - cursor.confirmed
                guard isForced || owed <= 0 else { return .owed(owed) }
                cursor.letGo()
                try Self.keep(cursor, db, &books)
                marked += try Row.fetchAll(
                    db, sql: "SELECT id FROM connection WHERE destination = ? AND number < ? ORDER BY number",
                    arguments: [destination.string, try row.figure("number")]
                ).map { try $0.text("id") }
            }
            for id in marked {
                try db.execute(sql: "UPDATE connection SET deleting = 1 WHERE id = ?", arguments: [id.string])
            }
            return .begun(marked)
        }
    }

    /// Forgets a connection that is marked, with its keys.
    package func finishDeletion(of id: Text) async throws(StoreError) {
        try await commit { db, _ in
            try db.execute(sql: "DELETE FROM connection WHERE id = ? AND deleting = 1", arguments: [id.string])
        }
    }
}
