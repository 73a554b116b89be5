package import Encoding
import Foundation
import GRDB

/// A message that this gate could not read.
package struct QuarantinedMessage: Hashable, Sendable {
    /// The number of the message in the order of quarantine, from the first message ever.
    package let number: Int
    /// The message's id in its mailbox.
    package let uid: Text
    /// The connection to which the message was addressed. The text is empty if the connection is unknown.
    package let connection: Text
    /// The reason why the message could not be read.
    package let reason: Text
    /// The message as received; empty if it was too large to store.
    package let envelope: [UInt8]
}

// Unreadable messages from mailboxes. They are stored for examination, because no other copy exists.
extension CourierStore {
    /// The maximum number of quarantined messages. Beyond it the oldest message is removed.
    static let quarantineLimit = 64
    /// The maximum size of all quarantined messages together, in bytes.
    package static let quarantineBytes = 1 << 20
    /// The maximum size of a message that is stored in full, in bytes.
    private static let quarantinedBytes = quarantineBytes / 4

    /// Quarantines a message durably. A known message is not added again: the gate may have stopped before it reported
    /// the message to the mailbox.
    package func setAside(
        _ envelope: [UInt8], uid: Text, for connection: Text, reason: Text
    ) async throws(StoreError) {
        let kept = envelope.count <= Self.quarantinedBytes ? envelope : []
        try await write { db in
            try db.execute(
                sql: """
                    INSERT INTO quarantine (uid, connection, reason, envelope) SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS
                        (SELECT 1 FROM quarantine WHERE uid = ?1 AND connection = ?2 AND envelope = ?4)
                    """, arguments: [uid.string, connection.string, reason.string, Data(kept)])
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

    /// Returns the quarantined messages, oldest first.
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
