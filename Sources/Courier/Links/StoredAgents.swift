package import Encoding
package import Mailboxes
package import Store

/// The courier's database as the storage of connections.
extension CourierStore: ConnectionStore {
    /// Returns the stored connections, the oldest first.
    package func loadConnections() async throws -> [StoredConnection] { try await connections() }

    /// Stores a snapshot of a connection, with keys, entries and results. All are durable when the function returns.
    package func keepConnection(
        _ id: Text, to destination: Text, _ snapshot: [UInt8], handled: [[UInt8]], messages: [MessageEntry],
        answers: [AnswerChange]
    ) async throws {
        try await saveConnection(
            id, snapshot, to: destination, handled: handled, messages: messages, answers: answers)
    }

    /// Returns the keys of the last 1024 handled inbound messages, oldest first.
    package func loadHandled() async throws -> [[UInt8]] { try await handledMessages(last: 1024) }

    /// Marks a connection for deletion. The service notifies its peer and then removes it.
    package func retireConnection(_ id: Text) async throws { _ = try await beginDeletion(of: id) }

    /// Quarantines a message that no connection can read.
    package func quarantine(_ message: MailboxMessage, reason: Text) async throws {
        try await setAside(message.envelope, uid: message.uid, for: message.connection, reason: reason)
    }
}

/// A stored list of the ids of invitations: either those that a destination accepted, or those through which no
/// mailbox can be reached.
package struct StoredInvitations: InvitationMemory {
    private let store: CourierStore
    private let list: CourierStore.InvitationList

    /// Creates the list of invitations that `destination` accepted.
    package init(_ store: CourierStore, _ destination: Text) {
        (self.store, list) = (store, .accepted(by: destination))
    }

    /// Creates the list of the invitations by which no connection through a mailbox could be made.
    package init(withoutMailbox store: CourierStore) { (self.store, list) = (store, .withoutMailbox) }

    /// Returns the ids, oldest first.
    package func accepted() async throws -> [Text] {
        guard let bytes = try await store.invitations(list) else { return [] }
        return (try JSON.parse(bytes)).array?.compactMap(\.string) ?? []
    }

    /// Stores the ids in place of the stored ones.
    package func keep(accepted: [Text]) async throws {
        try await store.saveInvitations(list, JSON.array(accepted.map(JSON.string)).compactBytes)
    }
}
