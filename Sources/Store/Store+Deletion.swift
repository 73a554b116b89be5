package import Encoding
import GRDB
import Ledger

/// The result of a request to delete a connection.
package enum ConnectionDeletion: Hashable, Sendable {
    /// No connection with the given id exists.
    case unknown
    /// The connection is the present route to its destination, which has not confirmed the given number of entries.
    case owed(Int)
    /// The connection is marked, also after a restart, and is no longer the route to its destination. The value has the
    /// ids of all marked connections, that of this connection first. The connections that it had replaced are marked,
    /// too.
    case begun([Text])
}

// A connection is deleted in two steps: it is marked, and later removed with its keys. Between the steps, the link of
// the connection ends, and the service notifies the peer, which requires the keys. If the program ends between the
// steps, the mark stays and the next start continues.
extension Store {
    /// Values of the column `deleting`: delete the connection with or without a notice to its peer. The value 0 keeps
    /// the connection.
    static let (isTold, isSilent): (Int64, Int64) = (1, 2)

    /// Marks a connection for deletion. If the connection is the present route to a destination with unconfirmed
    /// entries, only `isForced` allows the mark. `tellsPeer`: whether the service first notifies the peer; the value of
    /// the last call counts.
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
        try closeQuestions(of: id, db)
    }

    /// Removes a marked connection with its keys.
    package func finishDeletion(of id: Text) async throws(StoreError) {
        try await commit { db, books in
            try db.execute(sql: "DELETE FROM connection WHERE id = ? AND deleting <> 0", arguments: [id.string])
            guard db.changesCount > 0 else { return }
            // Until its link ended, the connection may have got further questions.
            try Self.closeQuestions(of: id, db)
            books.noteDeletion(of: id)
        }
    }
}
