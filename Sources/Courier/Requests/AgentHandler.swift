package import Administration
package import Encoding
import Ledger
import Observation
package import Settings
package import Store

/// Answers the requests of `gatehouse agent` about connections. The running service receives them over the control
/// socket; without a service the command passes them to a handler of its own.
///
/// A question to an agent or to its mailbox takes time, so the first answer states only that the question was sent.
/// ``AgentRequest/show(_:)``, or the same request again, returns the result.
package struct AgentHandler: Sendable {
    let store: Store
    let service: AgentService
    /// The maximum number of requests that are answered at the same time. It is lower than the control socket's
    /// limit, so that the gate's own requests can always be answered.
    private let turns = AnswerLimit(4)

    /// Creates a handler for the connections of `service`. The service need not run.
    package init(store: Store, service: AgentService) {
        (self.store, self.service) = (store, service)
    }

    /// Registers this handler for the requests about connections.
    package func register(in router: inout ControlRouter) {
        for request in AgentRequest.requests {
            router.take(request) { (members) throws(ControlRefusal) in
                guard let asked = try AgentRequest(request, members) else { return .null }
                return try await turns.take { () throws(ControlRefusal) in try await answer(asked) }
            }
        }
    }

    /// Returns the answer to a request.
    package func answer(_ request: AgentRequest) async throws(ControlRefusal) -> JSON {
        switch request {
        case .connect(let invitation, let destination): try await connect(invitation, to: destination)
        case .list: ConnectionReport.List(try await cards().map(\.report)).json
        case .show(let name): try await show(name).json
        case .delete(let name, let isForced, let tellsAgent): try await delete(name, isForced, tellsAgent)
        case .ping(let name): try await ping(name)
        case .messages(let name, let uid, let pendingOnly): try await messages(name, uid, pendingOnly)
        case .answer(let uid, let response, let name): try await respond(uid, response, name)
        }
    }

    // MARK: - Reading

    func cards(areWhole: Bool = false) async throws(ControlRefusal) -> [AgentCard] {
        let stored: [StoredConnection]
        do {
            stored = try await service.courier().loadConnections()
        } catch {
            throw Self.refusal(error)
        }
        let cursors = await store.deliveries
        var cards: [AgentCard] = []
        for (index, one) in stored.enumerated() {
            let cursor = cursors[one.destination]
            let present = cursor?.connection.flatMap { id in stored.firstIndex { $0.id == id } }
            let notes = await service.destination(one.destination)?.notes(of: one.id)
            cards.append(
                AgentCard(
                    one, cursor, isOlder: present.map { index < $0 } ?? false,
                    waiting: await store.owed(to: one.destination), faults: service.faults(of: one.destination),
                    notes: notes, isWhole: areWhole))
        }
        return cards
    }

    /// Returns the card of one connection. `name`: the id of the connection, or the name of a destination. For a
    /// destination, returns the card of its active connection or, if it has none, of its newest connection.
    func card(_ name: Text, isWhole: Bool = false) async throws(ControlRefusal) -> AgentCard {
        let cards = try await cards(areWhole: isWhole)
        if let card = cards.first(where: { $0.id == name }) { return card }
        let way = await store.deliveries[name]?.connection
        if let card = cards.first(where: { $0.id == way })
            ?? cards.last(where: { $0.destination == name && $0.state != .deleting })
        {
            return card
        }
        if service.names.contains(name) {
            throw ControlRefusal(
                "\(name) has no connection", remedy: "create one with an invitation: gatehouse agent connect")
        }
        throw ControlRefusal("there is no connection or destination \(name)", remedy: "see gatehouse agent list")
    }

    private func show(_ name: Text) async throws(ControlRefusal) -> ConnectionReport {
        do throws(ControlRefusal) {
            return try await card(name, isWhole: true).report
        } catch {
            // A command may still wait for the result of a pending connection that another one has replaced.
            for destination in service.names {
                guard let new = await service.destination(destination)?.successor(of: name) else { continue }
                var report = ConnectionReport()
                (report.id, report.destination, report.state) = (name, destination, .replaced)
                report.problem = ConnectionReport.Problem(
                    "a newer invitation of the same inviter has replaced it",
                    remedy: "see gatehouse agent show \(new)")
                return report
            }
            throw error
        }
    }

    // MARK: - Changes

    private func connect(_ text: Text, to name: Text?) async throws(ControlRefusal) -> JSON {
        let name = name ?? DeliveryCursor.primary
        if let refusal = Self.refusal(of: name, among: service.names) { throw refusal }
        do {
            let destination = try await ready(name)
            let invitation = try InvitationReader.invitation(in: text)
            let begun = try await destination.connect(invitation)
            var report = InvitationReport()
            (report.destination, report.way, report.id) = (name, begun.way, begun.id)
            (report.isUnderWay, report.failure) = (begun.isUnderWay, begun.failure)
            return report.json
        } catch {
            throw Self.refusal(error)
        }
    }

    /// Returns the reason why no agent can be connected as `destination` (nil: the primary destination) under
    /// `configuration`; nil if an agent can be connected. Uses no database.
    package static func refusal(of destination: Text?, in configuration: Configuration) -> ControlRefusal? {
        refusal(of: destination ?? DeliveryCursor.primary, among: AgentService.names(configuration))
    }

    private static func refusal(of destination: Text, among names: [Text]) -> ControlRefusal? {
        if names.contains(destination) { return nil }
        let list = names.map(\.string).joined(separator: ", ")
        return ControlRefusal(
            "there is no destination \(destination)", remedy: "there are: \(list); [[agent.copy]] adds another")
    }

    /// Returns the destination `name` when it has loaded its connections. Waits for that at most 1 s.
    private func ready(_ name: Text) async throws -> Destination {
        for _ in 0..<20 {
            if let destination = service.destination(name), await destination.isLoaded { return destination }
            await service.rest(.milliseconds(50))
        }
        throw ConnectFailure.notReady
    }

    /// Deletes a connection. Notifies its agent only if `tellsAgent` is true, so that an agent whose answers crash
    /// the program can be deleted, too.
    private func delete(_ name: Text, _ isForced: Bool, _ tellsAgent: Bool) async throws(ControlRefusal) -> JSON {
        let card = try await self.card(name)
        try await refuseIfNeeded(card)
        do {
            let marked = try await beginDeletion(of: card, isForced, tellsAgent)
            try await service.delete(marked, of: card.destination, tellsAgent: tellsAgent)
        } catch {
            throw Self.refusal(error)
        }
        return tellsAgent
            ? ["id": .string(card.id), "state": "deleting"]
            : ["id": .string(card.id), "state": "deleted", "told": false]
    }

    /// Marks a connection for deletion, and then removes it as the active one. Refuses if it is the active one and
    /// records wait for its destination, unless `isForced` is true. Returns the ids of all marked connections.
    private func beginDeletion(of card: AgentCard, _ isForced: Bool, _ tellsAgent: Bool) async throws -> [Text] {
        let courier = try service.courier()
        let isActive = await store.deliveries[card.destination]?.connection == card.id
        let owed = isActive && !isForced ? await store.owed(to: card.destination) : 0
        if owed > 0 {
            throw ControlRefusal(
                "\(owed) record\(owed == 1 ? " waits" : "s wait") for \(card.destination), the destination of this "
                    + "connection",
                remedy: "wait until they are confirmed, connect with a new invitation, or delete it with --force")
        }
        let marked = try await courier.beginDeletion(of: card.id, withReplaced: isActive, tellsPeer: tellsAgent)
        guard let marked else {
            throw ControlRefusal("there is no connection \(card.id)", remedy: "see gatehouse agent list")
        }
        try await store.letGo(of: card.id)
        return marked
    }

    /// Throws if connections use this mailbox: after its deletion they would stay connected and receive nothing.
    private func refuseIfNeeded(_ card: AgentCard) async throws(ControlRefusal) {
        guard card.destination == MailboxManagerCore.destination else { return }
        let users = try await cards().filter { $0.usesMailbox && $0.state != .deleting && $0.state != .ended }
        guard !users.isEmpty else { return }
        let names = users.map { "\($0.id) (\($0.destination))" }.joined(separator: ", ")
        throw ControlRefusal(
            "the mailbox \(card.id) stores the messages of \(names)",
            remedy: "delete those first: gatehouse agent delete ID; then the mailbox, and connect again")
    }

    private func ping(_ name: Text) async throws(ControlRefusal) -> JSON {
        let card = try await card(name)
        guard card.destination != MailboxManagerCore.destination else {
            throw ControlRefusal(
                "the connection \(card.id) is that of the mailbox, which is polled regularly",
                remedy: "ping a destination, or see gatehouse status")
        }
        guard let link = await service.destination(card.destination)?.link(card.id), card.state == .connected else {
            throw ControlRefusal(
                "the connection \(card.id) cannot be pinged: it is \(card.state.rawValue)",
                remedy: "see gatehouse agent show \(card.id)")
        }
        let number = link.notes.ask()
        await link.ping()
        return ["id": .string(card.id), "number": .int(number)]
    }

    static func refusal(_ error: any Error) -> ControlRefusal {
        switch error {
        case let refusal as ControlRefusal: return refusal
        default:
            let failure = ConnectFailure(error)
            return ControlRefusal(failure.text, remedy: failure.remedy)
        }
    }
}
