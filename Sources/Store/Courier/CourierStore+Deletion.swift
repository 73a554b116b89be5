package import Encoding
import GRDB

// A connection is deleted in three steps: this database marks it for deletion, the ledger removes it as the active one
// (``Store/letGo(of:)``), and this database removes it with its keys. Before the third step, the link of the
// connection ends, and the service notifies the peer, for which it needs the keys. If the program ends between the
// steps, the mark stays and the next start continues.
extension CourierStore {
    /// Values of the column `deleting` for a connection that is marked for deletion: the service notifies the peer
    /// first (1), or it does not (2). A connection with the value 0 is not marked.
    static let (isTold, isSilent): (Int64, Int64) = (1, 2)

    /// Marks a connection for deletion. The mark survives a restart. A marked connection cannot become the active one.
    ///
    /// `withReplaced`: whether to mark the older connections to the same destination, too, because the connection is
    /// the active one and has replaced them. `tellsPeer`: whether the service notifies the peer before the removal;
    /// the value of the last call is used. Returns the ids of all marked connections, `id` first; nil if no such
    /// connection exists.
    package func beginDeletion(
        of id: Text, withReplaced: Bool = false, tellsPeer: Bool = true
    ) async throws(StoreError) -> [Text]? {
        try await write { db in
            let row = try Row.fetchOne(
                db, sql: "SELECT destination, number FROM connection WHERE id = ?", arguments: [id.string])
            guard let row else { return nil }
            var marked = [id]
            if withReplaced {
                marked += try Row.fetchAll(
                    db, sql: "SELECT id FROM connection WHERE destination = ? AND number < ? ORDER BY number",
                    arguments: [try row.text("destination").string, try row.figure("number")]
                ).map { try $0.text("id") }
            }
            for id in marked { try Self.mark(id, db, tellsPeer: tellsPeer) }
            return marked
        }
    }

    /// Marks the connections for deletion that `connection` has replaced: the older connections to the same
    /// destination. Returns their ids. Call this function before the ledger stores a confirmation over the connection.
    package func retireReplaced(by connection: Text) async throws(StoreError) -> [Text] {
        // Usually there are no such connections. Then do not begin a transaction that writes.
        guard try await !read({ db in try Self.replaced(by: connection, db).isEmpty }) else { return [] }
        return try await write { db in
            let replaced = try Self.replaced(by: connection, db)
            for id in replaced { try Self.mark(id, db, tellsPeer: true) }
            return replaced
        }
    }

    private static func replaced(by connection: Text, _ db: Database) throws -> [Text] {
        let older = try db.cachedStatement(
            sql: """
                SELECT older.id AS id FROM connection AS older, connection AS new
                WHERE new.id = ? AND older.destination = new.destination AND older.number < new.number
                AND older.deleting = 0 ORDER BY older.number
                """)
        return try Row.fetchAll(older, arguments: [connection.string]).map { try $0.text("id") }
    }

    private static func mark(_ id: Text, _ db: Database, tellsPeer: Bool) throws {
        try db.execute(
            sql: "UPDATE connection SET deleting = ? WHERE id = ?",
            arguments: [tellsPeer ? isTold : isSilent, id.string])
        try closeQuestions(of: id, db)
    }

    /// Removes a connection that is marked for deletion, with its keys.
    package func finishDeletion(of id: Text) async throws(StoreError) {
        _ = try await write { db in
            try db.execute(sql: "DELETE FROM connection WHERE id = ? AND deleting <> 0", arguments: [id.string])
            guard db.changesCount > 0 else { return false }
            // The connection may have got further questions after the mark, until its link ended.
            try Self.closeQuestions(of: id, db)
            return true
        } committed: { isGone in
            if isGone { self.noteDeletion(of: id) }
        }
    }
}
