import DIDComm
import Encoding

extension AgentConnection {
    /// Starts the next post if there is a message to send and no post is under way.
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

    /// Requests a mailbox address for the connection's key. The key is stored before: otherwise the mailbox could know
    /// a key that the gate has lost in a crash. The request is repeated after ``Limits/address``, because the mailbox
    /// may have had no room for the key.
    private mutating func needAddress(at now: Instant) -> [Action] {
        if let due = askAddressAt, now < due { return [] }
        askAddressAt = now.advanced(by: configuration.limits.address)
        return (isStored ? [] : [persist()]) + [.needsAddress(keys.verkey)]
    }

    /// Returns the next message to send. The order is: the closing message of the handshake, the delivery, the
    /// heartbeat, the answers. Answers come last because the peer determines their number. After a failed delivery
    /// another message is sent first, because the server may refuse that delivery for a long time.
    private mutating func nextMessage(_ established: Established, at now: Instant) -> (Purpose, JSON)? {
        if let id = established.confirmation { return (.confirmation, confirmationMessage(established, id)) }
        // The acknowledgement of a rotation counts as an answer for the rate limit: a peer that rotates its DID after
        // every message could keep the gate busy without end. Until the limit permits the acknowledgement, the gate
        // uses the peer's old address.
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
        // While the reuse question is open, a caller waits for its answer, so the ping is sent before deliveries.
        if let delivery, reuse == nil, !isPutBack { return delivery }
        if let due = heartbeatAt, now >= due {
            heartbeatAt = now.advanced(by: configuration.limits.heartbeat)
            let id = Message.newID(&random)
            openPings = openPings.suffix(7) + [id]
            reuse?.followed(by: id)
            return (.ping(id), TrustPing.ping(invitation.prefix, id: id, responseRequested: true))
        }
        if let delivery, !isPutBack { return delivery }
        // An operator's answers are sent before automatic answers, whose number the peer determines.
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
            // The message is larger than any agent accepts, so it is not sent. Handle this as a refusal by the server.
            exchange = nil
            backoff.fail(at: now, configuration.limits, random: &random)
            return giveUp(purpose, status: 413)
        }
        let post = Action.post(lastExchange, url: service.endpoint, body: body)
        return isStored ? [post] : [persist(), post]
    }

    /// Begins a new attempt with new keys and the next handshake protocol that the invitation offers. After the last
    /// protocol comes a pause, and then the first protocol again. After ``Limits/rounds`` rounds the handshake has
    /// failed.
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

    /// Handles a post that the peer's server accepted. `body` is the response's body, which may be empty.
    mutating func answered(_ id: ExchangeID, _ body: [UInt8], at now: Instant) -> [Action] {
        var actions: [Action] = []
        if let exchange, exchange.id == id {
            self.exchange = nil
            actions += reachability(nil)
            switch (exchange.purpose, phase) {
            case (.request, .handshaking(var attempt)):
                // Permit the next post, but keep the number of failures of earlier rounds until the handshake is
                // complete.
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

    /// Handles a failed post. The message is sent again later, unless it is a ping or the peer's server refused this
    /// message in particular.
    mutating func failed(_ id: ExchangeID, _ failure: ExchangeFailure, at now: Instant) -> [Action] {
        guard let exchange, exchange.id == id else { return [] }
        self.exchange = nil
        var actions = reachability(failure)
        if failure == .notStored { isStored = false }
        backoff.fail(at: now, configuration.limits, random: &random)
        if case .delivery = exchange.purpose { isPutBack = true }
        if case .ping = exchange.purpose {
            _ = openPings.popLast()
            heartbeatAt = now  // the backoff determines when the next ping is sent
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
            // The request may have arrived several times, but no answer came, so the answer was lost. Try again with
            // new keys.
            if attempt.sendings > configuration.limits.resends {
                actions += nextAttempt(after: attempt, at: now)
            }
        }
        return actions
    }

    /// Gives up a message that the peer's server would refuse again. A refused delivery is reported, so that the driver
    /// can send smaller deliveries. A refused answer is dropped; an owed answer is also reported as refused.
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

    /// Removes the first waiting answer. Stores the new state if waiting answers are part of it (``storesAnswers``).
    private mutating func removeAnswer() -> [Action] {
        if !waiting.isEmpty { waiting.removeFirst() }
        return storesAnswers ? [persist()] : []
    }

    /// Whether waiting answers are part of the stored state. They are if the connection has a mailbox, because the
    /// mailbox does not repeat a request that it has delivered, and in a one-time connection, because the requests of
    /// an invitation arrive only once.
    var storesAnswers: Bool { !isDeaf || isOneTime }

    /// The number of failed posts in a row, from which on the gate uses the peer's new address although the old one did
    /// not accept the acknowledgement.
    private static let rotationAttempts = 3

    /// The number of failed posts in a row after which a one-time connection is given up with its answers. With the
    /// waits between the posts this takes about two hours.
    private static let oneTimeAttempts = 16

    private mutating func reachability(_ failure: ExchangeFailure?) -> [Action] {
        contact.changes(to: failure) ? [.reachability(failure)] : []
    }
}
