package import Encoding
import Foundation
import GRDB

/// An entry of the message book: a message that an agent sent on its own initiative.
package struct MessageEntry: Hashable, Sendable {
    /// The status of a message, as a code of the agency's protocol.
    package enum Status: String, Sendable {
        /// The message waits for the operator's answer.
        case pending = "MS-103"
        /// The message was answered.
        case accepted = "MS-104"
        /// The message was refused.
        case rejected = "MS-105"
        /// The message was applied and expects no answer.
        case reviewed = "MS-106"
    }

    /// The mailbox's id of the message; the message's `@id` if it did not come from a mailbox.
    package let uid: Text
    /// The id of the connection over which the message came.
    package let connection: Text
    /// The gate's DID in the connection over which the message came.
    package let did: Text
    /// The type of the message, as the mobile SDK names it.
    package let kind: Text
    /// The date at which the message was handled, by the machine's clock.
    package let at: Timestamp
    /// The status of the message.
    package let status: Status
    /// The result of the message, in words or as the code of a refusal.
    package let result: Text
    /// The message as JSON text if it is a question that waits for the operator; otherwise empty.
    package let content: [UInt8]

    /// Whether the message is a question that the operator has not answered yet.
    package var isOpen: Bool { status == .pending && !content.isEmpty }

    /// Creates an entry from the values of its properties.
    package init(
        uid: Text, connection: Text, did: Text, kind: Text, at: Timestamp, status: Status, result: Text,
        content: [UInt8]
    ) {
        (self.uid, self.connection, self.did, self.kind) = (uid, connection, did, kind)
        (self.at, self.status, self.result, self.content) = (at, status, result, content)
    }
}

/// The result of an answer to a question in the message book.
package struct AnswerChange: Hashable, Sendable {
    /// The id of the question in the message book.
    package let uid: Text
    /// The new status of the question. While the answer is not sent yet, the status stays `pending`.
    package let status: MessageEntry.Status
    /// The result, in words.
    package let result: Text

    /// Creates a change from the values of its properties.
    package init(uid: Text, status: MessageEntry.Status, result: Text) {
        (self.uid, self.status, self.result) = (uid, status, result)
    }
}

// The message book: the messages that agents sent on their own initiative, and their results.
extension CourierStore {
    /// The maximum number of entries in the message book. Each connection has an equal share of them; the other
    /// connections may use the part of a share that is free. The messages of one agent therefore cannot displace
    /// those of another. Of one connection's entries, the oldest is removed first; unanswered questions are removed
    /// after all others.
    package static let messageLimit = 256
    /// The maximum size of all stored contents together, in bytes. Beyond it, entries with contents are removed.
    package static let messagesBytes = 1 << 20
    /// The maximum size in bytes of a message whose content is stored. The entry of a longer message has no content.
    package static let messageBytes = 16 * 1024

    /// Adds entries to the message book, in the transaction that stores the connection's resulting state. An entry
    /// that exists is not added again: the gate may have stopped before it released the message at the mailbox, which
    /// then delivers it again. Only a question that waits for the operator is stored with its content.
    static func add(_ entries: [MessageEntry], _ db: Database) throws {
        guard !entries.isEmpty else { return }
        for entry in entries {
            let isKept = entry.status == .pending && entry.content.count <= messageBytes
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO message (uid, connection, did, kind, at, status, result, content)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    entry.uid.string, entry.connection.string, entry.did.string, entry.kind.string, entry.at.seconds,
                    entry.status.rawValue, entry.result.string, Data(isKept ? entry.content : []),
                ])
        }
        try db.execute(
            sql: """
                DELETE FROM message WHERE number IN (
                    SELECT number FROM (
                        SELECT number, length(content) AS size, row_number() OVER kept AS place,
                            sum(length(content)) OVER kept AS bytes
                        FROM (
                            SELECT number, content, row_number() OVER (
                                PARTITION BY connection ORDER BY status = ? DESC, number DESC
                            ) AS turn FROM message
                        ) WINDOW kept AS (ORDER BY turn, number DESC)
                    ) WHERE place > ? OR (bytes > ? AND size > 0)
                )
                """, arguments: [MessageEntry.Status.pending.rawValue, messageLimit, messagesBytes])
    }

    /// Returns the message book, oldest first.
    package func messages() async throws(StoreError) -> [MessageEntry] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM message ORDER BY number").map { row in
                MessageEntry(
                    uid: try row.text("uid"), connection: try row.text("connection"), did: try row.text("did"),
                    kind: try row.text("kind"), at: Timestamp(seconds: try row.integer("at")),
                    status: MessageEntry.Status(rawValue: try row.text("status").string) ?? .reviewed,
                    result: try row.text("result"), content: try row.bytes("content"))
            }
        }
    }

    /// Records the results of answers to questions of `connection`, in the transaction that stores the connection's
    /// state. Removes the content of these questions.
    static func change(_ changes: [AnswerChange], of connection: Text, _ db: Database) throws {
        for change in changes {
            try db.execute(
                sql: """
                    UPDATE message SET status = ?, result = ?, content = x''
                    WHERE uid = ? AND connection = ? AND status = ?
                    """,
                arguments: [
                    change.status.rawValue, change.result.string, change.uid.string, connection.string,
                    MessageEntry.Status.pending.rawValue,
                ])
        }
    }

    /// Closes all questions of `connection` that wait for an answer, because the connection is being deleted.
    static func closeQuestions(of connection: Text, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE message SET status = ?, result = ?, content = x'' WHERE connection = ? AND status = ?",
            arguments: [
                MessageEntry.Status.rejected.rawValue, "not answered: its connection was deleted", connection.string,
                MessageEntry.Status.pending.rawValue,
            ])
    }
}
