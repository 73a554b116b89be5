package import Encoding
import Foundation
import GRDB

/// A message that nobody here could read.
package struct QuarantinedMessage: Hashable, Sendable {
    /// Which one it is, counted from the first ever.
    package let number: Int
    /// What its mailbox called it.
    package let uid: Text
    /// The connection that it was for; empty when that is not known.
    package let connection: Text
    /// Why it could not be read.
    package let reason: Text
    /// The message as it came; empty when it was too large to keep.
    package let envelope: [UInt8]
}

// Messages out of mailboxes that nobody here could read: kept for whoever looks into it, as there is no other copy.
extension Store {
    /// Messages kept; the oldest goes.
    package static let quarantineLimit = 64
    /// Bytes kept in all.
    package static let quarantineBytes = 1 << 20
    /// Bytes of the largest message that is kept whole.
    private static let quarantinedBytes = quarantineBytes / 4

    /// Puts a message aside, durably.
    package func setAside(
        _ envelope: [UInt8], uid: Text, for connection: Text, reason: Text
    ) async throws(StoreError) {
        let kept = envelope.count <= Self.quarantinedBytes ? envelope : []
        try await commit { db, _ in
            try db.execute(
                sql: "INSERT INTO quarantine (uid, connection, reason, envelope) VALUES (?, ?, ?, ?)",
                arguments: [uid.string, connection.string, reason.string, Data(kept)])
            try db.execute(
                sql: """
                    DELETE FROM quarantine WHERE number IN (
                        SELECT number FROM (
                            SELECT number, row_number() OVER newest AS place, sum(length(envelope)) OVER newest AS bytes
                            FROM quarantine WINDOW newest AS (ORDER BY number DESC)
                        ) WHERE place > ? OR bytes > ?
                    )
                    """, arguments: [Self.quarantineLimit, Self.quarantineBytes])
        }
    }

    /// What was put aside and is kept, the oldest first.
    package func quarantine() async throws(StoreError) -> [QuarantinedMessage] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM quarantine ORDER BY number").map {
                QuarantinedMessage(
                    number: try $0.figure("number"), uid: try $0.text("uid"), connection: try $0.text("connection"),
                    reason: try $0.text("reason"), envelope: try $0.bytes("envelope"))
            }
        }
    }
}
