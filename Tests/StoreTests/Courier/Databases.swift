import Encoding
import Ledger

@testable import Store

/// The ledger and the courier's database at one path, opened and used like the service does it.
struct Databases: Sendable {
    let store: Store
    let courier: CourierStore

    /// The result of a deletion, in both databases.
    enum Deletion: Equatable {
        /// The connection is the route to its destination, which lacks the given number of entries.
        case owed(Int)
        /// The connections are marked for deletion.
        case begun([Text])
        case unknown
    }

    /// Opens both databases, and hands the courier's rows over.
    static func open(
        _ path: String, options: StoreOptions = StoreOptions(), witness: WitnessSource? = nil,
        sealing: SealingSource? = nil
    ) async throws(StoreError) -> Databases {
        let store = try await Store.open(path, options: options, witness: witness, sealing: sealing)
        do throws(StoreError) {
            return try await attach(store, options: options, sealing: sealing)
        } catch {
            await store.close()
            throw error
        }
    }

    /// Opens the courier's database next to an open ledger, and hands the courier's rows over.
    static func attach(
        _ store: Store, options: StoreOptions = StoreOptions(), sealing: SealingSource? = nil
    ) async throws(StoreError) -> Databases {
        let courier = try await CourierStore.open(besides: store.path, options: options, sealing: sealing)
        do throws(StoreError) {
            try await store.handOver(to: courier)
        } catch {
            await courier.close()
            throw error
        }
        return Databases(store: store, courier: courier)
    }

    func close() async {
        await courier.close()
        await store.close()
    }

    /// Makes a connection and makes it the route to a destination.
    func connect(_ id: Text = "agent", to destination: Text = DeliveryCursor.primary) async throws {
        try await courier.saveConnection(id, [1], to: destination)
        try await takeOver(destination, by: id)
    }

    /// Makes a connection the route to a destination, unless a newer connection is the route. Returns the cursor.
    @discardableResult
    func takeOver(_ destination: Text, by connection: Text) async throws(StoreError) -> DeliveryCursor {
        let route = await store.deliveries[destination]?.connection
        guard let newer = try await courier.newer(than: connection, to: destination),
            route.map({ !newer.contains($0) }) ?? true
        else { return await store.deliveries[destination] ?? DeliveryCursor(destination) }
        return try await store.takeOver(destination, by: connection, insteadOf: route)
    }

    /// Marks the replaced connections, confirms entries, and stores the keys of the messages that confirmed them.
    @discardableResult
    func confirm(
        _ destination: Text = DeliveryCursor.primary, upTo position: Int, over connection: Text,
        handled: [[UInt8]] = []
    ) async throws(StoreError) -> (cursor: DeliveryCursor, replaced: [Text]) {
        let isAccepted = await store.accepts(destination, upTo: position, over: connection)
        let replaced = isAccepted ? try await courier.retireReplaced(by: connection) : []
        try await store.confirm(destination, upTo: position, over: connection)
        try await courier.noteHandled(handled)
        return (await store.deliveries[destination] ?? DeliveryCursor(destination), replaced)
    }

    /// Marks a connection for deletion, and removes it as the route.
    func beginDeletion(of id: Text, isForced: Bool, tellsPeer: Bool = true) async throws(StoreError) -> Deletion {
        guard let stored = try await courier.connections().first(where: { $0.id == id }) else { return .unknown }
        let isRoute = await store.deliveries[stored.destination]?.connection == id
        let owed = await store.owed(to: stored.destination)
        if isRoute, !isForced, owed > 0 { return .owed(owed) }
        let marked = try await courier.beginDeletion(of: id, withReplaced: isRoute, tellsPeer: tellsPeer)
        try await store.letGo(of: id)
        return marked.map(Deletion.begun) ?? .unknown
    }

    /// Continues the deletions that an earlier run has begun.
    func finishDeletions() async throws(StoreError) {
        for stored in try await courier.connections() where stored.isDeleting {
            try await store.letGo(of: stored.id)
            try await courier.finishDeletion(of: stored.id)
        }
    }

    /// Forgets all destinations except those in `names`, with their connections.
    func forgetDestinations(except names: Set<Text>) async throws(StoreError) {
        try await courier.forgetConnections(to: await store.destinations(except: names))
        try await store.forgetDestinations(except: names)
    }
}
