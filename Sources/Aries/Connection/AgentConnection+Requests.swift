import DIDComm
import Encoding

/// The tasks of a connection in addition to carrying messages: reuse for another invitation of the same
/// inviter, rotation to a peer's new DID, and answers to the peer's requests.
extension AgentConnection {
    /// Begins to ask the inviter of `invitation` whether it accepts this connection in place of a new
    /// connection.
    mutating func beginReuse(of invitation: Invitation, at now: Instant) -> [Action] {
        guard peer != nil else { return [.reuseFailed(invitation: invitation.id)] }
        let before = abandonReuse()
        reuse = HandshakeReuse(invitation, id: Message.newID(&random))
        return before + continueReuse(at: now)
    }

    /// Asks again, or gives up. A ping follows the question: without a mailbox its answer is the only one
    /// that can arrive.
    mutating func continueReuse(at now: Instant) -> [Action] {
        guard var asked = reuse else { return [] }
        guard asked.begin(at: now) else { return abandonReuse() }
        reuse = asked
        heartbeatAt = now
        return []
    }

    /// Ends the question: the inviter did not accept this connection.
    mutating func abandonReuse() -> [Action] {
        guard let asked = reuse else { return [] }
        reuse = nil
        return [.reuseFailed(invitation: asked.invitation.id)]
    }

    /// Ends the question: the inviter accepts this connection, so its further requests are answered here.
    mutating func completeReuse() -> [Action] {
        guard let asked = reuse else { return [] }
        reuse = nil
        answerRequests(of: asked.invitation)
        return [.reused(invitation: asked.invitation.id)]
    }

    /// Answers or refuses each request that is attached to `invitation`, in its own thread.
    mutating func answerRequests(of invitation: Invitation) {
        for reply in AttachedRequest.replies(to: invitation, rules: configuration.rules, random: &random) {
            answer(reply)
        }
    }

    /// Answers a question of the peer, which its owner keeps as `name`, with `response`, signed with the connection's
    /// key if the question requires a signature. A question is answered once.
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

    /// Removes the oldest owed answer, whose result is `fate`, and stores the new state.
    mutating func settle(_ fate: OwedAnswer.Fate) -> [Action] {
        guard !owed.isEmpty else { return [] }
        let answer = owed.removeFirst()
        return [.answer(to: answer.question, response: answer.response, fate), persist()]
    }

    /// Drops all owed answers. The caller stores that.
    mutating func dropOwed() -> [Action] {
        defer { owed = [] }
        return owed.map { .answer(to: $0.question, response: $0.response, .dropped) }
    }

    /// Handles the announcement of another DID. The state is stored first, then the acknowledgement is sent
    /// to the old address, and from then on everything is sent to the new one (RFC 0794).
    mutating func rotate(_ message: Message, _ established: Established) -> [Action] {
        do throws(DIDRotation.Failure) {
            var established = established
            let peer = try DIDRotation.peer(of: message)
            if peer == established.peer, established.next == nil {
                // The peer has this DID already, so nothing needs to be stored.
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

    /// Switches to the peer's new address, because the old one has the acknowledgement or cannot be reached
    /// any more.
    mutating func completeRotation() -> [Action] {
        guard case .connected(var established) = phase, let next = established.next else { return [] }
        (established.former, established.next) = (established.peer.verkey, nil)
        established.peer = next.peer
        phase = .connected(established)
        return [persist(), .rotated(next.peer)]
    }
}
