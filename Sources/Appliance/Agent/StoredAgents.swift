package import Aries
package import Encoding
package import Store

/// The kiosk's database as the keeper of connections.
extension Store: ConnectionStore {
    /// The stored connections, the oldest first.
    package func loadConnections() async throws -> [StoredConnection] { try await connections() }

    /// Keeps a snapshot durably.
    package func keepConnection(
        _ id: Text, to destination: Text, _ snapshot: [UInt8], handled: [[UInt8]]
    ) async throws { try await saveConnection(id, snapshot, to: destination, handled: handled) }

    /// The keys of the last inbound messages that were applied.
    package func loadHandled() async throws -> [[UInt8]] { try await handledMessages(last: 1024) }

    /// Marks a connection as one that goes once its peer was told.
    package func retireConnection(_ id: Text) async throws { _ = try await beginDeletion(of: id, isForced: true) }

    /// Puts a message aside that nobody here can read.
    package func quarantine(_ message: MailboxMessage, reason: Text) async throws {
        try await setAside(message.envelope, uid: message.uid, for: message.connection, reason: reason)
    }
}

/// Where ids of invitations are kept: those that one destination accepted, or those over which no mailbox is reached.
package struct StoredInvitations: InvitationMemory {
    private let store: Store
    private let name: Text

    /// Those that `destination` accepted.
    package init(_ store: Store, _ destination: Text) {
        (self.store, name) = (store, Text("invitations/\(destination)"))
    }

    /// Those over which no connection through a mailbox came about.
    package init(withoutMailbox store: Store) { (self.store, name) = (store, "invitations-without-mailbox") }

    /// The ids, oldest first.
    package func accepted() async throws -> [Text] {
        guard let bytes = try await store.setting(name) else { return [] }
        return (try JSON.parse(bytes)).array?.compactMap(\.string) ?? []
    }

    /// Keeps the ids.
    package func keep(accepted: [Text]) async throws {
        try await store.saveSetting(name, JSON.array(accepted.map(JSON.string)).compactBytes)
    }
}
