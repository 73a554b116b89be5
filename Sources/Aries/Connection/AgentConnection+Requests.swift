import DIDComm
import Encoding

/// The tasks of a connection other than sending and receiving messages: reuse for another invitation of the same
/// inviter, rotation to a peer's new DID, and answers to the peer's requests.
extension AgentConnection {
    /// Begins to ask the inviter of `invitation` whether the existing connection may be used in place of a new one.
    /// Returns `reuseFailed` if the handshake of this connection is not complete.
    mutating func beginReuse(of invitation: Invitation, at now: Instant) -> [Action] {
        guard peer != nil else { return [.reuseFailed(invitation: invitation.id)] }
        let before = abandonReuse()
        reuse = HandshakeReuse(invitation, id: Message.newID(&random))
        return before + continueReuse(at: now)
    }

    /// Sends the reuse question again, or ends it as failed after ``HandshakeReuse/maxSendings`` sendings. A ping
    /// follows each question: if the connection has no mailbox, only the answer to this ping can arrive.
    mutating func continueReuse(at now: Instant) -> [Action] {
        guard var asked = reuse else { return [] }
        guard asked.begin(at: now) else { return abandonReuse() }
        reuse = asked
        heartbeatAt = now
        return []
    }

    /// Ends the reuse question without success: the inviter did not accept this connection for the other invitation.
    mutating func abandonReuse() -> [Action] {
        guard let asked = reuse else { return [] }
        reuse = nil
        return [.reuseFailed(invitation: asked.invitation.id)]
    }

    /// Ends the reuse question with success: the inviter accepts this connection for the other invitation. Answers the
    /// requests attached to that invitation.
    mutating func completeReuse() -> [Action] {
        guard let asked = reuse else { return [] }
        reuse = nil
        answerRequests(of: asked.invitation)
        return [.reused(invitation: asked.invitation.id)]
    }

    /// Answers or refuses each request that is attached to `invitation`. Each reply is in the thread of its request.
    mutating func answerRequests(of invitation: Invitation) {
        for reply in AttachedRequest.replies(to: invitation, rules: configuration.rules, random: &random) {
            answer(reply)
        }
    }

    /// Answers the peer's question `question` with `response`. The answer is signed with the connection's key if the
    /// question requires a signature. `name`: the name under which the owner of the connection stores the question; a
    /// second answer to the same name is ignored.
    mutating func respond(to question: Message, _ name: Text, _ response: Text, at date: Timestamp) -> [Action] {
        guard !owed.contains(where: { $0.question == name }) else { return [] }
        guard owedRoom > 0 else { return [.answer(to: name, response: response, .dropped)] }
        let id = Message.newID(&random)
        let message =
            Question.wantsSignature(question)
            ? Question.answer(to: question, id: id, response: response, signedBy: keys, at: date)
            : Question.answer(to: question, id: id, response: response)
        owed.append(OwedAnswer(name, response: response, message: message))
        return [.answer(to: name, response: response, .owed), persist()]
    }

    /// Removes the oldest owed answer, reports `fate` as its result, and stores the new state.
    mutating func settle(_ fate: OwedAnswer.Fate) -> [Action] {
        guard !owed.isEmpty else { return [] }
        let answer = owed.removeFirst()
        return [.answer(to: answer.question, response: answer.response, fate), persist()]
    }

    /// Drops all owed answers. The caller must store the new state.
    mutating func dropOwed() -> [Action] {
        defer { owed = [] }
        return owed.map { .answer(to: $0.question, response: $0.response, .dropped) }
    }

    /// Handles the peer's announcement of a new DID. First the new state is stored, then the acknowledgement is sent to
    /// the old address; after that all messages are sent to the new address (RFC 0794).
    mutating func rotate(_ message: Message, _ established: Established) -> [Action] {
        do throws(DIDRotation.Failure) {
            var established = established
            let peer = try DIDRotation.peer(of: message)
            if peer == established.peer, established.next == nil {
                // The connection already has the peer under this DID, so nothing needs to be stored.
                answer(DIDRotation.ack(message.type.prefix, id: Message.newID(&random), thread: message.thread))
                return []
            }
            established.next = NextPeer(peer: peer, thread: message.thread)
            phase = .connected(established)
            return [persist()]
        } catch {
            answer(
                DIDRotation.problem(
                    message.type.prefix, id: Message.newID(&random), thread: message.thread, error))
            return []
        }
    }

    /// Switches to the peer's new address. The caller does so when the old address has received the acknowledgement or
    /// cannot be reached any more.
    mutating func completeRotation() -> [Action] {
        guard case .connected(var established) = phase, let next = established.next else { return [] }
        (established.former, established.next) = (established.peer.verkey, nil)
        established.peer = next.peer
        phase = .connected(established)
        return [persist(), .rotated(next.peer)]
    }
}
