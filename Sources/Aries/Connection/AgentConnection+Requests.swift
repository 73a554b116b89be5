import DIDComm
import Encoding

/// What a connection does beside carrying messages: going on for another invitation of the same inviter, following a peer to
/// its new DID, and answering what the peer asks.
extension AgentConnection {
    /// Begins to ask the inviter of `invitation` whether this connection will do.
    mutating func beginReuse(of invitation: Invitation, at now: Instant) -> [Action] {
        guard peer != nil else { return [.reuseFailed(invitation: invitation.id)] }
        let before = abandonReuse()
        reuse = HandshakeReuse(invitation, id: Self.newID(&random))
        return before + continueReuse(at: now)
    }

    /// Asks once more, or gives up. A ping goes behind it: without a mailbox its answer is the only one that can arrive.
    mutating func continueReuse(at now: Instant) -> [Action] {
        guard var asked = reuse else { return [] }
        guard asked.begin(at: now) else { return abandonReuse() }
        reuse = asked
        heartbeatAt = now
        return []
    }

    /// Nobody says that this connection will do.
    mutating func abandonReuse() -> [Action] {
        guard let asked = reuse else { return [] }
        reuse = nil
        return [.reuseFailed(invitation: asked.invitation.id)]
    }

    /// The inviter goes on with this connection: its further requests are answered here.
    mutating func completeReuse() -> [Action] {
        guard let asked = reuse else { return [] }
        reuse = nil
        answerRequests(of: asked.invitation)
        return [.reused(invitation: asked.invitation.id)]
    }

    /// Answers or refuses each request that is attached to `invitation`, in its own thread.
    mutating func answerRequests(of invitation: Invitation) {
        let replies = AttachedRequest.replies(to: invitation, rules: configuration.rules, random: &random)
        for reply in replies.messages { answer(reply) }
    }

    /// The peer announces another DID: the state is stored first, then the old place gets the acknowledgement, and from then on
    /// the new one everything (RFC 0794).
    mutating func rotate(_ message: Message, _ established: Established) -> [Action] {
        do throws(DIDRotation.Failure) {
            var established = established
            let peer = try DIDRotation.peer(of: message)
            if peer == established.peer, established.next == nil {
                // It is there already, and nothing is to be stored for that.
                answer(DIDRotation.ack(message.type.prefix, id: Self.newID(&random), thread: message.thread))
                return []
            }
            established.next = NextPeer(peer: peer, thread: message.thread)
            phase = .connected(established)
            return [persist()]
        } catch {
            answer(
                DIDRotation.problem(
                    message.type.prefix, id: Self.newID(&random), thread: message.thread, error))
            return []
        }
    }

    /// The old place has our acknowledgement, or cannot be reached any more: from now on the peer is at the new one.
    mutating func completeRotation() -> [Action] {
        guard case .connected(var established) = phase, let next = established.next else { return [] }
        (established.former, established.next) = (established.peer.verkey, nil)
        established.peer = next.peer
        phase = .connected(established)
        return [persist(), .rotated(next.peer)]
    }
}
