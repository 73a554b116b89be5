import Administration
import Aries
import DIDComm
import Encoding
import Mailboxes
import Observation
import Store

// The message book: the messages that agents sent on their own initiative, and the operator's answers.
extension AgentHandler {
    /// A message, with the connection over which it arrived.
    private struct Found {
        let connection: Text
        let did: Text
        let entry: SDKMessages.Entry
        /// Whether it is a question that the operator has not answered yet.
        var isOpen = false
    }

    /// Returns the messages that agents sent on their own initiative, in the form of the mobile SDK's documents: for
    /// each connection its pairwise DID and its messages.
    ///
    /// A message that a connection can read is applied and released at once, and the message book contains its
    /// result. Only a question that waits for the operator has the status `pending`, and only such a question is
    /// listed with its content. A message that no connection can read is quarantined before it is released, and is
    /// listed as reviewed.
    func messages(_ name: Text?, _ uid: Text?, _ pendingOnly: Bool) async throws(ControlRefusal) -> JSON {
        let only = if let name { try await card(name).id } else { nil as Text? }
        let cards = try await cards()
        let (book, kept) = (try await book(), try await quarantine())
        let unread = kept.map { message in
            // The DID of a deleted or unknown connection is unknown.
            Found(
                connection: message.connection, did: cards.first { $0.id == message.connection }?.pairwiseDID ?? "",
                entry: .init(
                    uid: message.uid, statusCode: Text(MessageEntry.Status.reviewed.rawValue), message: nil,
                    result: message.reason))
        }
        let read = book.map { entry in
            Found(
                connection: entry.connection, did: entry.did,
                entry: .init(
                    uid: entry.uid, statusCode: Text(entry.status.rawValue), message: try? JSON.parse(entry.content),
                    kind: entry.kind, time: entry.at, result: entry.result),
                isOpen: entry.isOpen)
        }
        let wanted = (unread + read).filter { found in
            (uid ?? found.entry.uid) == found.entry.uid && (only ?? found.connection) == found.connection
                && (!pendingOnly || found.isOpen)
        }
        var connections: [(id: Text, did: Text)] = []
        for found in wanted where !connections.contains(where: { $0.id == found.connection }) {
            connections.append((found.connection, found.did))
        }
        let listed = connections.map { connection in
            SDKMessages.connection(
                connection.did, wanted.filter { $0.connection == connection.id }.map(\.entry))
        }
        let mailboxes = cards.count { $0.destination == MailboxManagerCore.destination && $0.state != .deleting }
        return ["mailboxes": .int(mailboxes), "messages": .array(listed)]
    }

    private func book() async throws(ControlRefusal) -> [MessageEntry] {
        do { return try await service.courier().messages() } catch { throw Self.refusal(error) }
    }

    private func quarantine() async throws(ControlRefusal) -> [QuarantinedMessage] {
        do { return try await service.courier().quarantine() } catch { throw Self.refusal(error) }
    }

    /// Answers a question that waits for the operator, over the connection on which it arrived. The message book
    /// later contains the result.
    func respond(_ uid: Text, _ response: Text, _ name: Text?) async throws(ControlRefusal) -> JSON {
        let entry = try await entry(uid, name)
        guard entry.isOpen, let question = try? Message(plaintext: entry.content) else {
            throw Self.notWaiting(uid, entry.result)
        }
        guard Question.permits(response, to: question) else {
            let choices = Question.choices(question).map { "\"\($0)\"" }.joined(separator: ", ")
            throw ControlRefusal("the question does not permit this answer", remedy: "answer one of: \(choices)")
        }
        guard let card = try await cards().first(where: { $0.id == entry.connection }) else {
            throw Self.notWaiting(uid, "its connection was deleted")
        }
        guard card.state == .connected, let link = await service.destination(card.destination)?.link(card.id) else {
            let reason =
                card.state != .connected
                ? "is \(card.state.rawValue)"
                : card.destination == MailboxManagerCore.destination ? "leads to the mailbox" : "does not run"
            throw ControlRefusal(
                "the connection \(card.id) cannot carry the answer: it \(reason)",
                remedy: "see gatehouse agent show \(card.id)")
        }
        guard await link.respond(to: question, uid, with: response) else {
            throw Self.notWaiting(uid, "an answer to it is on its way, or too many answers wait")
        }
        return ["id": .string(card.id), "uid": .string(uid), "response": .string(response)]
    }

    /// Returns the message with the id `uid` from the message book. If a message did not come from a mailbox, its
    /// agent chose the id, so messages of two connections may have the same id. Then the operator must name the
    /// connection.
    private func entry(_ uid: Text, _ name: Text?) async throws(ControlRefusal) -> MessageEntry {
        let only = if let name { try await card(name).id } else { nil as Text? }
        let found = try await book().filter { $0.uid == uid && (only ?? $0.connection) == $0.connection }
        let open = found.filter(\.isOpen)
        guard open.count < 2 else {
            let names = open.map { "\($0.connection)" }.joined(separator: ", ")
            throw ControlRefusal(
                "questions of several connections have the uid \(uid): \(names)",
                remedy: "name the connection: gatehouse agent answer --connection ID")
        }
        guard let entry = open.first ?? found.last else {
            throw ControlRefusal("there is no message \(uid)", remedy: "see gatehouse agent messages")
        }
        return entry
    }

    private static func notWaiting(_ uid: Text, _ reason: Text) -> ControlRefusal {
        ControlRefusal(
            "the message \(uid) is not waiting for an answer: \(reason)",
            remedy: "see gatehouse agent messages --pending")
    }
}
