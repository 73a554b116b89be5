import Administration
import Aries
import DIDComm
import Encoding
import Mailboxes
import Observation
import Store

// The message book: the messages that agents sent on their own initiative, and the operator's answers.
extension AgentHandler {
    /// One message, with the connection that it came over.
    private struct Found {
        let connection: Text
        let did: Text
        let entry: SDKMessages.Entry
    }

    /// Returns the messages that agents sent on their own initiative, in the form of the mobile SDK's documents: for
    /// each connection its pairwise DID and its messages.
    ///
    /// A message that a connection can read is applied and released at once; the book has its result. Only a
    /// question that waits for the operator is pending. A message that no connection can read is quarantined before
    /// it is released, and is listed as reviewed, without content.
    func messages(_ name: Text?, _ uid: Text?, _ pendingOnly: Bool) async throws(ControlRefusal) -> JSON {
        let only = if let name { try await card(name).id } else { nil as Text? }
        let cards = try await cards()
        let (book, kept) = (try await book(), try await quarantine())
        let unread = kept.map { message in
            // The DID of a deleted or unknown connection is not known.
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
                    kind: entry.kind, time: entry.at, result: entry.result))
        }
        let wanted = (unread + read).filter { found in
            (uid ?? found.entry.uid) == found.entry.uid && (only ?? found.connection) == found.connection
                && (!pendingOnly || found.entry.statusCode == Text(MessageEntry.Status.pending.rawValue))
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
        do { return try await store.messages() } catch { throw Self.refusal(error) }
    }

    private func quarantine() async throws(ControlRefusal) -> [QuarantinedMessage] {
        do { return try await store.quarantine() } catch { throw Self.refusal(error) }
    }

    /// Answers a question that waits for the operator, over the connection that it came over.
    func respond(_ uid: Text, _ response: Text, _ name: Text?) async throws(ControlRefusal) -> JSON {
        let only = if let name { try await card(name).id } else { nil as Text? }
        let found = try await book().filter { $0.uid == uid && (only ?? $0.connection) == $0.connection }
        guard let entry = found.last(where: { $0.status == .pending }) ?? found.last else {
            throw ControlRefusal("there is no message \(uid)", remedy: "see gatehouse agent messages")
        }
        guard entry.status == .pending, let question = try? Message(plaintext: entry.content) else {
            throw ControlRefusal(
                "the message \(uid) is not waiting for an answer: \(entry.result)",
                remedy: "see gatehouse agent messages --pending")
        }
        guard Question.permits(response, to: question) else {
            let choices = Question.choices(question).map { "\"\($0)\"" }.joined(separator: ", ")
            throw ControlRefusal("the question does not permit this answer", remedy: "answer one of: \(choices)")
        }
        let card = try await card(entry.connection)
        guard card.state == .connected, let link = await service.destination(card.destination)?.link(card.id) else {
            throw ControlRefusal(
                "the connection \(card.id) cannot carry the answer: it is \(card.state.rawValue)",
                remedy: "see gatehouse agent show \(card.id)")
        }
        await link.respond(to: question, with: response)
        do {
            _ = try await store.answered(uid, of: entry.connection, with: response)
        } catch {
            throw Self.refusal(error)
        }
        return ["id": .string(card.id), "uid": .string(uid), "response": .string(response)]
    }
}
