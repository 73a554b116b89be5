import DIDComm
import Encoding

extension AgentConnection {
    /// Starts the next post if there is something to send and no post is under way.
    mutating func advance(at now: Instant) -> [Action] {
        guard exchange == nil, backoff.permits(now) else { return [] }
        switch phase {
        case .handshaking(let attempt):
            guard let answerBy = attempt.answerBy else {
                guard let address = attempt.address else { return needAddress(at: now) }
                return post(.request, requestMessage(attempt, address), to: inviter, at: now)
            }
            guard now >= answerBy else { return [] }
            let isLast = attempt.handshake == invitation.handshakes.last
            return (isLast ? [.unanswered] : []) + nextAttempt(after: attempt, at: now) + advance(at: now)
        case .connected(let established):
            guard let (purpose, message) = nextMessage(established, at: now) else { return [] }
            return post(purpose, message, to: established.peer.service, at: now)
        case .ended, .failed: return []
        }
    }

    /// Requests an address for the connection's key, which is already durable. Durable, because the mailbox
    /// must not know a key that the gate forgets in a crash. If the mailbox had no room for the key, the
    /// request is repeated.
    private mutating func needAddress(at now: Instant) -> [Action] {
        if let due = askAddressAt, now < due { return [] }
        askAddressAt = now.advanced(by: configuration.limits.address)
        return (isStored ? [] : [persist()]) + [.needsAddress(keys.verkey)]
    }

    /// Returns the next message: first the one that completes the handshake, then the delivery, then the
    /// heartbeat, and then answers, whose number the peer determines. After a failed delivery something
    /// else has its turn: a server may fail on that message for a long time.
    private mutating func nextMessage(_ established: Established, at now: Instant) -> (Purpose, JSON)? {
        if let id = established.confirmation { return (.confirmation, confirmationMessage(established, id)) }
        // Limit the rate of rotations like the rate of answers: otherwise a peer that rotates in each answer
        // would keep the gate busy without end. Use the peer's old address until a rotation is allowed.
        if let next = established.next, allowance.take(at: now) {
            let ack = DIDRotation.ack(invitation.prefix, id: Message.newID(&random), thread: next.thread)
            return (.rotation, ack)
        }
        if reuse?.isDue == true {
            reuse?.sent()
            if let message = reuse?.message { return (.reuse, message) }
        }
        let isPutBack = isPutBack
        self.isPutBack = false
        let prefix = invitation.prefix
        let delivery = message.map { (Purpose.delivery($0.id), $0.json(prefix)) }
        // A caller waits for the answer to the reuse question, so it is not delayed by deliveries.
        if let delivery, reuse == nil, !isPutBack { return delivery }
        if let due = heartbeatAt, now >= due {
            heartbeatAt = now.advanced(by: configuration.limits.heartbeat)
            let id = Message.newID(&random)
            openPings = openPings.suffix(7) + [id]
            reuse?.followed(by: id)
            return (.ping(id), TrustPing.ping(invitation.prefix, id: id, responseRequested: true))
        }
        if let delivery, !isPutBack { return delivery }
        // An operator's answer is sent before answers to requests, which the peer can send at any time.
        if let first = owed.first, allowance.take(at: now) { return (.owed, first.message) }
        if let first = waiting.first, allowance.take(at: now) { return (.answer, first) }
        return delivery
    }

    private func requestMessage(_ attempt: Attempt, _ address: MailboxAddress) -> JSON {
        let (prefix, name) = (invitation.prefix, attempt.handshake.protocolName)
        switch attempt.handshake {
        case .didExchange11, .didExchange10:
            return DIDExchange.request(
                prefix, minor: name.minor, id: attempt.thread, invitation: invitation.id, label: configuration.label,
                did: DIDExchange.did(for: keys.verkey, at: address))
        case .connections10:
            return LegacyConnection.request(
                prefix, id: attempt.thread, invitation: invitation.id, label: configuration.label, key: keys.verkey,
                at: address)
        }
    }

    private func confirmationMessage(_ established: Established, _ id: Text) -> JSON {
        switch established.handshake {
        case .didExchange11?, .didExchange10?:
            DIDExchange.complete(
                invitation.prefix, minor: established.handshake?.protocolName.minor ?? 0, id: id,
                thread: established.thread, invitation: invitation.id)
        case .connections10?, nil: Notice.ack(invitation.prefix, id: id, thread: established.thread)
        }
    }

    private mutating func post(_ purpose: Purpose, _ message: JSON, to service: Service, at now: Instant) -> [Action] {
        lastExchange += 1
        exchange = Exchange(
            id: lastExchange, purpose: purpose, until: now.advanced(by: configuration.limits.exchange))
        let body: [UInt8]
        do throws(Envelope.Failure) {
            body = try service.pack(message, from: keys, invitation.prefix, random: &random)
        } catch {
            // A message that is too large for every server is not sent. It is handled as if the server had
            // refused it.
            exchange = nil
            backoff.fail(at: now, configuration.limits, random: &random)
            return giveUp(purpose, status: 413)
        }
        let post = Action.post(lastExchange, url: service.endpoint, body: body)
        return isStored ? [post] : [persist(), post]
    }

    /// Begins a new attempt with new keys and the next handshake that the invitation offers. After the last
    /// handshake a pause follows, then the first handshake again. After the last round the handshake has failed.
    mutating func nextAttempt(after attempt: Attempt, at now: Instant) -> [Action] {
        let offered = invitation.handshakes
        let next = (offered.firstIndex(of: attempt.handshake) ?? -1) + 1
        if next >= offered.count {
            rounds += 1
            guard rounds < configuration.limits.rounds else {
                phase = .failed
                return [persist(), .gaveUp]
            }
            backoff.fail(at: now, configuration.limits, random: &random)
        }
        if reception == .mailbox { earlier.keep(keys, of: attempt, at: now) }
        if let fresh = KeyPair(seed: random.drawSecret(32)) { keys = fresh }
        askAddressAt = nil
        phase = .handshaking(
            Attempt(
                handshake: next < offered.count ? offered[next] : offered.first ?? attempt.handshake,
                thread: Message.newID(&random), address: reception == .mailbox ? nil : .queue))
        return [persist()]
    }

    /// Handles a post that the peer's server accepted.
    mutating func answered(_ id: ExchangeID, _ body: [UInt8], at now: Instant) -> [Action] {
        var actions: [Action] = []
        if let exchange, exchange.id == id {
            self.exchange = nil
            actions += reachability(nil)
            switch (exchange.purpose, phase) {
            case (.request, .handshaking(var attempt)):
                // Failures of earlier rounds keep counting until the handshake is done.
                backoff.permitNow()
                attempt.sendings += 1
                let limits = configuration.limits
                attempt.answerBy = now.advanced(by: isDeaf ? limits.answer : limits.lateAnswer)
                phase = .handshaking(attempt)
            case (.confirmation, .connected(var established)):
                backoff.succeed()
                established.confirmation = nil
                phase = .connected(established)
                actions.append(persist())
            case (.rotation, _):
                backoff.succeed()
                actions += completeRotation()
            case (.delivery(let id), _):
                backoff.succeed()
                if let message, message.id == id {
                    if message.asksForAnswer { awaitsAnswerUntil = now.advanced(by: configuration.limits.lateAnswer) }
                    self.message = nil
                }
                actions.append(.sent(id))
            case (.ping(let id), _):
                backoff.succeed()
                actions.append(.pinged(id))
            case (.answer, _):
                backoff.succeed()
                actions += removeAnswer()
            case (.owed, _):
                backoff.succeed()
                actions += settle(.sent)
            default: backoff.succeed()
            }
        }
        return body.isEmpty ? actions : actions + receive(body, at: now)
    }

    /// Handles a failed post. Everything except pings is sent again later, unless the peer's server refused
    /// this message in particular.
    mutating func failed(_ id: ExchangeID, _ failure: ExchangeFailure, at now: Instant) -> [Action] {
        guard let exchange, exchange.id == id else { return [] }
        self.exchange = nil
        var actions = reachability(failure)
        if failure == .notStored { isStored = false }
        backoff.fail(at: now, configuration.limits, random: &random)
        if case .delivery = exchange.purpose { isPutBack = true }
        if case .ping = exchange.purpose {
            _ = openPings.popLast()
            heartbeatAt = now  // so the pause decides when the peer is tried again
        }
        if case .rotation = exchange.purpose, backoff.failures >= Self.rotationAttempts {
            actions += completeRotation()
        }
        if case .refused(let status) = failure, failure.isOfMessage {
            actions += giveUp(exchange.purpose, status: status)
        }
        if isOneTime, backoff.failures >= Self.oneTimeAttempts {
            waiting = []
            phase = .failed
            actions += dropOwed() + [persist(), .gaveUp]
        }
        if case (.request, .handshaking(var attempt)) = (exchange.purpose, phase) {
            if failure == .uncertain || failure == .tooLarge { attempt.sendings += 1 }
            phase = .handshaking(attempt)
            // A request that may have arrived several times without an answer: its answer is lost, try with
            // new keys.
            if attempt.sendings > configuration.limits.resends {
                actions += nextAttempt(after: attempt, at: now)
            }
        }
        return actions
    }

    /// Gives up a message that the peer's server would refuse again. If the message is a delivery, the
    /// refusal is reported, so that smaller deliveries can be tried. If it is an answer, it is dropped;
    /// an owed one is reported as refused.
    private mutating func giveUp(_ purpose: Purpose, status: Int) -> [Action] {
        switch purpose {
        case .delivery(let id) where message?.id == id:
            message = nil
            return [.refused(id, status: status)]
        case .answer: return removeAnswer()
        case .owed: return settle(.refused(status: status))
        default: return []
        }
    }

    /// Removes the first waiting answer. The removal is stored if the answer was.
    private mutating func removeAnswer() -> [Action] {
        if !waiting.isEmpty { waiting.removeFirst() }
        return storesAnswers ? [persist()] : []
    }

    /// Whether answers that wait are stored. With a mailbox they are, because a request that was released in the
    /// mailbox is not repeated; and so are the answers to the requests of an invitation, which came once.
    var storesAnswers: Bool { !isDeaf || isOneTime }

    /// The number of failures at the old address after which the new one is used without an acknowledgement.
    private static let rotationAttempts = 3

    /// The number of failed posts in a row, about two hours, after which the answers to the requests of an
    /// invitation without handshake are given up.
    private static let oneTimeAttempts = 16

    private mutating func reachability(_ failure: ExchangeFailure?) -> [Action] {
        contact.changes(to: failure) ? [.reachability(failure)] : []
    }
}
