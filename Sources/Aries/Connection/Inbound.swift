import DIDComm
import Encoding

extension AgentConnection {
    /// Decrypts one inbound message, checks its sender, drops a repetition, and handles the message.
    mutating func receive(_ bytes: [UInt8], at now: Instant) -> [Action] {
        let content: Envelope.Content
        do {
            content = try Envelope.unpack(bytes, with: [keys] + earlier.entries.map(\.keys))
        } catch {
            return [.discarded(.unreadable)]
        }
        guard let sender = content.sender else { return [.discarded(.anonymous)] }
        guard let message = try? Message(plaintext: content.plaintext) else { return [.discarded(.malformed)] }
        switch phase {
        case .handshaking(let attempt):
            guard content.recipient != keys.verkey else { return handshake(message, from: sender, attempt, at: now) }
            // The message may answer an earlier attempt, whose keys are still stored.
            guard let (keys, attempt) = earlier.attempt(of: content.recipient), isResponse(message, to: attempt) else {
                return [.discarded(.unexpected)]
            }
            return response(message, from: sender, attempt, keys, at: now)
        case .connected(let established):
            if established.confirmation != nil, let handshake = established.handshake {
                let attempt = Attempt(
                    handshake: handshake, thread: established.thread, address: established.address)
                if isResponse(message, to: attempt) {
                    // The inviter of a multi-use invitation answers a repeated request twice. The newest
                    // response is valid.
                    guard seen.insert(message.id, from: sender) else { return [.discarded(.duplicate)] }
                    return response(message, from: sender, attempt, keys, at: now)
                }
            }
            guard sender == established.peer.verkey || sender == established.former else {
                return [.discarded(.wrongSender)]
            }
            guard !seen.contains(message.id, from: sender) else { return [.discarded(.duplicate)] }
            if sender == established.peer.verkey, established.former != nil {
                var established = established
                established.former = nil
                phase = .connected(established)
            }
            let actions = dispatch(message, at: now)
            // A discarded message is not recorded as seen: the driver stores it in the quarantine, and must be able to
            // read it again if that fails.
            if !actions.contains(where: { if case .discarded = $0 { true } else { false } }) {
                _ = seen.insert(message.id, from: sender)
            }
            fetchMore(after: message)
            return actions
        case .ended, .failed: return [.discarded(.unexpected)]
        }
    }

    // MARK: Handshake

    private func isResponse(_ message: Message, to attempt: Attempt) -> Bool {
        message.type.isMessage(attempt.handshake.protocolName.family, 1, "response")
            && message.thread == attempt.thread
    }

    private mutating func handshake(
        _ message: Message, from sender: Verkey, _ attempt: Attempt, at now: Instant
    ) -> [Action] {
        if isResponse(message, to: attempt) { return response(message, from: sender, attempt, keys, at: now) }
        guard inviter.recipientKeys.contains(sender) else { return [.discarded(.wrongSender)] }
        guard Notice.isProblem(message.type), message.thread == attempt.thread else {
            return [.discarded(.unexpected)]
        }
        return [.handled(message, .understood), .handshakeRefused(reason: Notice.problemCode(message))]
            + nextAttempt(after: attempt, at: now)
    }

    /// Handles a response to the handshake's request. The response must be signed with the invitation's key. The sender
    /// of the envelope must be that key or the inviter's new key.
    private mutating func response(
        _ message: Message, from sender: Verkey, _ attempt: Attempt, _ keys: KeyPair, at now: Instant
    ) -> [Action] {
        guard let invitationKey = inviter.recipientKeys.first else { return [.discarded(.unexpected)] }
        let peer: Peer
        do {
            peer =
                switch attempt.handshake {
                case .didExchange11, .didExchange10:
                    try DIDExchange.verify(response: message.body, invitationKey: invitationKey)
                case .connections10:
                    try LegacyConnection.verify(response: message.body, invitationKey: invitationKey).peer
                }
        } catch {
            // Nothing proves that the inviter sent the message. Its sender must not be able to end the attempt, so the
            // connection continues to wait for a response.
            return [.handshakeRefused(reason: Text("\(error)"))]
        }
        guard sender == invitationKey || sender == peer.verkey else { return [.discarded(.wrongSender)] }
        _ = seen.insert(message.id, from: sender)
        let isOfEarlierKey = keys.verkey != self.keys.verkey
        self.keys = keys
        phase = .connected(
            Established(
                peer: peer, handshake: attempt.handshake, thread: attempt.thread, confirmation: Message.newID(&random),
                address: attempt.address ?? .queue))
        backoff.succeed()
        heartbeatAt = now  // this ping proves both directions, and completes the handshake of older inviters
        answerRequests(of: invitation)
        // The mailbox still treats the newer key as the connection's key, so report the earlier key to it.
        return [persist()] + (isOfEarlierKey ? [.needsAddress(keys.verkey)] : []) + [.connected(peer)]
    }

    // MARK: Connected

    private mutating func dispatch(_ message: Message, at now: Instant) -> [Action] {
        let type = message.type
        if type.isMessage("trust_ping", 1, "ping_response") {
            guard let index = openPings.firstIndex(of: message.thread) else { return [.discarded(.unexpected)] }
            openPings.removeFirst(index + 1)
            // Without a mailbox only the answer to the ping can arrive: an inviter that sends this answer accepts this
            // connection.
            return [.alive(ping: message.thread)] + (isDeaf && reuse?.ping == message.thread ? completeReuse() : [])
        }
        if Notice.isProblem(type) {
            let told = Action.problem(code: Notice.problemCode(message), thread: message.thread)
            return [.handled(message, .understood), told] + (message.thread == reuse?.id ? abandonReuse() : [])
        }
        if type.isMessage("notification", 1, "ack") { return [.acknowledged([message.thread])] }
        if let protocols = DiscoverFeatures.disclosed(message) {
            awaitsAnswerUntil = nil
            return [.disclosed(protocols)]
        }
        do throws(ReportError) {
            if let answer = try VerificationReport.answer(message) {
                awaitsAnswerUntil = nil
                return [.answered(answer)]
            }
        } catch {
            return [.discarded(.malformed)]
        }

        if let asked = reuse, asked.isAccepted(by: message) { return completeReuse() }
        if DIDRotation.isHangup(message) {
            phase = .ended
            return [.handled(message, .understood)] + dropOwed() + [persist(), .ended] + abandonReuse()
        }
        if DIDRotation.isRotate(message), case .connected(let established) = phase {
            return [.handled(message, .understood)] + rotate(message, established)
        }
        if MailboxProtocols.include(type) { return [.mailbox(message)] }
        return request(message, at: now)
    }

    /// Handles a message that the peer sends on its own initiative: answers or refuses it according to the configured
    /// rules.
    private mutating func request(_ message: Message, at now: Instant) -> [Action] {
        let type = message.type
        let result: HandledMessage
        switch configuration.rules.reply(to: message, id: Message.newID(&random)) {
        case .message(let reply):
            answer(reply)
            result = .answered
        case .refusal(let code, let explanation, let name):
            answer(problem(thread: message.thread, code, explanation, of: name, at: now))
            result = .refused(code: code)
        case .signed where reception == .leadsToMailbox, .undecided where reception == .leadsToMailbox:
            // The connection to a mailbox cannot answer such a question: no operator sees it, and the owner of the
            // connection cannot sign answers.
            answer(
                problem(
                    thread: message.thread, "request-not-accepted", "this connection carries a mailbox only",
                    of: Notice.name, at: now))
            result = .refused(code: "request-not-accepted")
        case .signed(let response): result = .matched(response: response)
        case .undecided: result = .undecided
        case .nothing: result = .understood
        }
        if type.isMessage("basicmessage", 1, "message") {
            if let ids = BasicMessage.acknowledgedReports(message) { return [.acknowledged(ids)] }
            return [
                .handled(message, result), .message(id: message.id, content: message.body["content"]?.string ?? ""),
            ]
        }
        // Pings and queries are not reported: they arrive so often that they would displace all other stored messages.
        return ["trust_ping", "discover-features"].contains(type.protocolName.family) ? [] : [.handled(message, result)]
    }

    /// Whether messages can arrive only in the responses to the gate's own posts.
    var isDeaf: Bool { address == .queue }

    mutating func answer(_ message: JSON?) {
        guard let message, waiting.count < configuration.limits.waitingAnswers else { return }
        waiting.append(message)
    }

    /// Returns a problem report; nil if the last one was sent less than ``Limits/problemReportInterval`` ago. Without
    /// this limit two agents could answer each other's problem reports without end.
    private mutating func problem(
        thread: Text, _ code: Text, _ explanation: Text, of name: ProtocolName, at now: Instant
    ) -> JSON? {
        if let last = problemReportedAt, last.duration(to: now) < configuration.limits.problemReportInterval {
            return nil
        }
        problemReportedAt = now
        return Notice.problem(
            invitation.prefix, id: Message.newID(&random), thread: thread, code: code, explanation: explanation,
            of: name)
    }

    /// Fetches more messages after one has arrived. A peer that had one message waiting may have more, and each post of
    /// the gate fetches one. If there is nothing to post, a ping that asks for no response is sent, at most 32 of them
    /// between two answers to ordinary pings. Does nothing if the connection has a mailbox, because messages arrive
    /// there, or if it leads to a mailbox, whose owner fetches the messages.
    private mutating func fetchMore(after message: Message) {
        guard isDeaf, reception != .leadsToMailbox else { return }
        if message.type.isMessage("trust_ping", 1, "ping_response") {
            drains = 0
        } else if waiting.isEmpty, drains < 32 {
            drains += 1
            answer(TrustPing.ping(invitation.prefix, id: Message.newID(&random), responseRequested: false))
        }
    }
}
