import Aries
package import Encoding
package import Ledger
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
}

/// Where the ids of the accepted invitations of one destination are kept.
package struct StoredInvitations: InvitationMemory {
    private let store: Store
    private let name: Text

    /// Those of `destination`.
    package init(_ store: Store, _ destination: Text) {
        (self.store, name) = (store, Text("invitations/\(destination)"))
    }

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

/// The ledger of the kiosk's database as the outbox of one destination.
package struct StoredOutbox: Outbox {
    private let store: Store
    private let destination: Text

    /// What `store` has for `destination`.
    package init(_ store: Store, _ destination: Text) { (self.store, self.destination) = (store, destination) }

    /// Makes `connection` the way to the destination, unless a newer one is.
    package func takeOver(by connection: Text) async throws -> Int? {
        let cursor = try await store.takeOver(destination, by: connection)
        return cursor.connection == connection ? cursor.confirmed : nil
    }

    /// The entries behind `position`.
    package func entries(after position: Int, limit: Int, over connection: Text) async throws -> OutboxEntries? {
        guard await store.deliveries[destination]?.connection == connection else { return nil }
        return OutboxEntries(
            ledger: await store.head.ledger, entries: try await store.entries(after: position, limit: limit))
    }

    /// The destination has confirmed everything up to `position`.
    package func confirm(upTo position: Int, over connection: Text, handled: [[UInt8]]) async throws {
        try await store.confirm(destination, upTo: position, over: connection, handled: handled)
    }
}
