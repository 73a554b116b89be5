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

// A connection is deleted in two steps: it is marked, and later removed with its keys. In between its link can end, and
// the service can tell its peer, which needs the keys. If the program ends in between, the mark stays and the next
// start goes on.
extension Store {
    /// Values of the column `deleting`: delete the connection after telling its peer; delete it without that. 0: keep
    /// it.
    static let (isTold, isSilent): (Int64, Int64) = (1, 2)

    /// Marks a connection as one that is to go, unless it is the present way to a destination that is still owed something and
    /// `isForced` is false. `tellsPeer`: whether the service tells its peer first; the last call decides.
    package func beginDeletion(
        of id: Text, isForced: Bool, tellsPeer: Bool = true
    ) async throws(StoreError) -> ConnectionDeletion {
        try await commit { db, books in
            let row = try Row.fetchOne(
                db, sql: "SELECT destination, number FROM connection WHERE id = ?", arguments: [id.string])
            guard let row else { return .unknown }
            let destination = try row.text("destination")
            var marked = [id]
            if var cursor = books.deliveries[destination], cursor.connection == id {
                let owed = books.owed(to: destination)
                guard isForced || owed <= 0 else { return .owed(owed) }
                cursor.letGo()
                try Self.keep(cursor, db, &books)
                marked += try Row.fetchAll(
                    db, sql: "SELECT id FROM connection WHERE destination = ? AND number < ? ORDER BY number",
                    arguments: [destination.string, try row.figure("number")]
                ).map { try $0.text("id") }
            }
            for id in marked { try Self.mark(id, db, tellsPeer: tellsPeer) }
            return .begun(marked)
        }
    }

    static func mark(_ id: Text, _ db: Database, tellsPeer: Bool = true) throws {
        try db.execute(
            sql: "UPDATE connection SET deleting = ? WHERE id = ?",
            arguments: [tellsPeer ? isTold : isSilent, id.string])
    }

    /// Forgets a connection that is marked, with its keys.
    package func finishDeletion(of id: Text) async throws(StoreError) {
        try await commit { db, _ in
            try db.execute(sql: "DELETE FROM connection WHERE id = ? AND deleting <> 0", arguments: [id.string])
        }
    }
}
