package import Aries
package import Encoding
import Ledger
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

/// The ledger of the kiosk's database as the outbox of one destination.
package struct StoredOutbox: Outbox {
    private let store: Store
    private let destination: Text

    /// What `store` has for `destination`.
    package init(_ store: Store, _ destination: Text) { (self.store, self.destination) = (store, destination) }

    /// Makes `connection` the way to the destination, unless a newer one is.
    package func takeOver(by connection: Text) async throws -> OutboxState? {
        let cursor = try await store.takeOver(destination, by: connection)
        guard cursor.connection == connection else { return nil }
        let end = await end
        return OutboxState(
            end: end, confirmed: cursor.confirmed,
            receipt: cursor.receipt.map { ReportPoint(ledger: end.ledger, position: $0.count, hash: $0.hash.bytes) })
    }

    /// Where the ledger ends, and whether something went wrong at the gate behind `position`.
    package func end(after position: Int, over connection: Text) async throws -> (end: ReportPoint, isUrgent: Bool)? {
        guard await isPresent(connection) else { return nil }
        let end = await end
        let new = try await store.entries(after: position, limit: 64)
        return (end, new.contains { Report.isUrgent($0) })
    }

    /// The entries behind `position`.
    package func entries(
        after position: Int, limit: Int, bytes: Int, reports: Bool, over connection: Text
    ) async throws -> [ReportEntry]? {
        guard await isPresent(connection) else { return nil }
        let ledger = await store.head.ledger
        var (found, room): ([ReportEntry], Int) = ([], bytes)
        for entry in try await store.entries(after: position, limit: limit) {
            room -= entry.body.count
            guard room >= 0 || found.isEmpty else { break }
            found.append(
                ReportEntry(
                    position: entry.position, hash: entry.hash.bytes, body: entry.body,
                    report: reports ? Report.json(of: entry, in: ledger) : nil))
        }
        return found
    }

    /// The hash of the entry at `position`.
    package func hash(at position: Int) async throws -> [UInt8]? { try await store.hash(at: position)?.bytes }

    /// The destination has confirmed everything up to `point`; the connections that go by that.
    package func confirm(
        _ point: ReportPoint, isReceipt: Bool, passedOver: [Int], over connection: Text, handled: [[UInt8]]
    ) async throws -> [Text] {
        try await store.confirm(
            destination, upTo: point.position, receipt: isReceipt ? ChainHash(point.hash) : nil, over: connection,
            passedOver: passedOver, handled: handled
        ).replaced
    }

    private var end: ReportPoint {
        get async {
            let head = await store.head
            return ReportPoint(ledger: head.ledger, position: head.point.count, hash: head.point.hash.bytes)
        }
    }

    private func isPresent(_ connection: Text) async -> Bool {
        await store.deliveries[destination]?.connection == connection
    }
}
