package import Encoding
import Foundation
import GRDB

/// A message from a mailbox that no connection of this gate could read.
package struct QuarantinedMessage: Hashable, Sendable {
    /// The number of the message among all messages ever quarantined, from 1.
    package let number: Int
    /// The message's id in its mailbox.
    package let uid: Text
    /// The id of the connection to which the message was addressed; empty if the connection is unknown.
    package let connection: Text
    /// The reason why the message could not be read.
    package let reason: Text
    /// The message as received; empty if it was too large to store.
    package let envelope: [UInt8]
}

// Unreadable messages from mailboxes. They are stored for examination, because the mailbox then deletes them.
extension CourierStore {
    /// The maximum number of quarantined messages. Beyond it, the oldest message is removed.
    static let quarantineLimit = 64
    /// The maximum size of all quarantined messages together, in bytes. Beyond it, the oldest messages are removed.
    package static let quarantineBytes = 1 << 20
    /// The maximum size in bytes of a message whose content is stored. A longer message is recorded without content.
    private static let quarantinedBytes = quarantineBytes / 4

    /// Quarantines a message durably. A message that is already quarantined is not added again: the gate may have
    /// stopped before it released the message at the mailbox, which then delivers it again.
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
