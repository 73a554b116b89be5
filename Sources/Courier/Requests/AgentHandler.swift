package import Administration
package import Encoding
import Ledger
import Mailboxes
import Observation
package import Settings
package import Store

/// Answers the requests about connections to cloud agents: over the control socket for the running service,
/// and in the same way for a command on a database that no service uses.
///
/// A question to an agent or to its mailbox takes time. The first answer says only that the question was
/// sent. ``AgentRequest/show(_:)``, or the same request again, returns the result.
package struct AgentHandler: Sendable {
    private let store: Store
    private let service: AgentService
    /// The limit of requests that are answered at the same time. It is lower than the control socket's limit
    /// of concurrent answers. The rest is reserved for the gate's own requests.
    private let turns = AnswerLimit(4)

    /// Creates a handler for the connections of `service`, which need not run.
    package init(store: Store, service: AgentService) {
        (self.store, self.service) = (store, service)
    }

    /// Registers this handler for the requests about connections.
    package func register(in router: inout ControlRouter) {
        for request in ControlRequest.allCases where request != .status {
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
        case .show(let name): try await card(name).report.json
        case .delete(let name, let isForced, let tellsAgent): try await delete(name, isForced, tellsAgent)
        case .ping(let name): try await ping(name)
        case .messages(let name, let uid, let pendingOnly): try await messages(name, uid, pendingOnly)
        }
    }

    // MARK: - Reading

    private func cards() async throws(ControlRefusal) -> [AgentCard] {
        let stored: [StoredConnection]
        do {
            stored = try await store.loadConnections()
        } catch {
            throw Self.refusal(error)
        }
        let cursors = await store.deliveries
        var cards: [AgentCard] = []
        for (index, one) in stored.enumerated() {
            let cursor = cursors[one.destination]
            let present = cursor?.connection.flatMap { id in stored.firstIndex { $0.id == id } }
            let link = await service.destination(one.destination)?.link(one.id)
            cards.append(
                AgentCard(
                    one, cursor, isOlder: present.map { index < $0 } ?? false,
                    waiting: await store.owed(to: one.destination), faults: service.faults(of: one.destination),
                    notes: link?.notes))
        }
        return cards
    }

    /// Returns the card of one connection. `name` is the id of a connection, or the name of a destination:
    /// then the card is that of the destination's active connection or, if no connection is active, of its
    /// newest one.
    private func card(_ name: Text) async throws(ControlRefusal) -> AgentCard {
        let cards = try await cards()
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

    /// Returns why no agent can be connected as `destination` (nil: the primary destination) of a gate with
    /// `configuration`; nil if an agent can be connected. The check needs no database.
    package static func refusal(of destination: Text?, in configuration: Configuration) -> ControlRefusal? {
        refusal(of: destination ?? DeliveryCursor.primary, among: AgentService.names(configuration))
    }

    private static func refusal(of destination: Text, among names: [Text]) -> ControlRefusal? {
        if names.contains(destination) { return nil }
        let list = names.map(\.string).joined(separator: ", ")
        return ControlRefusal(
            "there is no destination \(destination)", remedy: "there are: \(list); [[agent.copy]] adds another")
    }

    /// Returns the destination `name`. Waits up to 1 s while the service is starting.
    private func ready(_ name: Text) async throws -> Destination {
        for _ in 0..<20 {
            if let destination = service.destination(name), await destination.isLoaded { return destination }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Destination.NotReady()
    }

    /// Deletes a connection. Sends its agent no message unless `tellsAgent` is set, so that an agent whose
    /// answers crash the program can be deleted too.
    private func delete(_ name: Text, _ isForced: Bool, _ tellsAgent: Bool) async throws(ControlRefusal) -> JSON {
        let card = try await self.card(name)
        do {
            switch try await store.beginDeletion(of: card.id, isForced: isForced, tellsPeer: tellsAgent) {
            case .unknown:
                throw ControlRefusal("there is no connection \(name)", remedy: "see gatehouse agent list")
            case .owed(let count):
                throw ControlRefusal(
                    "\(count) record\(count == 1 ? " waits" : "s wait") for \(card.destination), the destination of "
                        + "this connection",
                    remedy: "wait until they are confirmed, connect with a new invitation, or delete it with --force")
            case .begun(let marked):
                try await service.delete(marked, of: card.destination, tellsAgent: tellsAgent)
            }
        } catch {
            throw Self.refusal(error)
        }
        return tellsAgent
            ? ["id": .string(card.id), "state": "deleting"]
            : ["id": .string(card.id), "state": "deleted", "told": false]
    }

    private func ping(_ name: Text) async throws(ControlRefusal) -> JSON {
        let card = try await card(name)
        guard card.destination != MailboxManager.destination else {
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

    /// Returns the quarantined messages of the mailboxes in the form of the mobile SDK's documents: for each
    /// connection its pairwise DID and its messages.
    ///
    /// A message that a connection can read is applied and released at once, so no message is ever pending. A
    /// message that no connection can read is quarantined before it is released, and is listed as reviewed.
    private func messages(_ name: Text?, _ uid: Text?, _ pendingOnly: Bool) async throws(ControlRefusal) -> JSON {
        let only = if let name { try await card(name).id } else { nil as Text? }
        let cards = try await cards()
        let kept: [QuarantinedMessage]
        do {
            kept = try await store.quarantine()
        } catch {
            throw Self.refusal(error)
        }
        let wanted = kept.filter {
            !pendingOnly && (uid ?? $0.uid) == $0.uid && (only ?? $0.connection) == $0.connection
        }
        var connections: [Text] = []
        for message in wanted where !connections.contains(message.connection) { connections.append(message.connection) }
        let found = connections.map { id in
            // The DID of a deleted or unknown connection is not known.
            SDKMessages.connection(
                cards.first { $0.id == id }?.pairwiseDID ?? "",
                wanted.filter { $0.connection == id }.map { .init(uid: $0.uid, statusCode: "MS-106", message: nil) })
        }
        let mailboxes = cards.count { $0.destination == MailboxManager.destination && $0.state != .deleting }
        return ["mailboxes": .int(mailboxes), "messages": .array(found)]
    }

    private static func refusal(_ error: any Error) -> ControlRefusal {
        switch error {
        case let refusal as ControlRefusal: refusal
        case let failure as InvitationReader.Failure: ControlRefusal(failure.text, remedy: failure.remedy)
        case let failure as AgentLinks.Failure: ControlRefusal(failure.text, remedy: failure.remedy)
        case let error as StoreError: ControlRefusal(error.text, remedy: error.remedy)
        case is Destination.TooManyConnections:
            ControlRefusal(
                "there are already \(Destination.linksLimit) connections",
                remedy: "delete those that were never established: gatehouse agent list, then gatehouse agent delete")
        case is Destination.NotReady:
            ControlRefusal("the service is starting", remedy: "try again in a moment")
        default: ControlRefusal("\(error)", remedy: "see the service's log")
        }
    }
}
