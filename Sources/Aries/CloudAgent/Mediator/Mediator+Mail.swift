import Crypto
import DIDComm
import Encoding

// What goes over the connection to the mediator, and what comes back.
extension Mediator {
    /// A post was answered. The body may be for any of our keys: the envelope says for which.
    mutating func answered(_ exchange: AgentConnection.ExchangeID, _ body: [UInt8], at now: Instant) -> [MailboxAction]
    {
        let recipients = body.isEmpty ? [] : Envelope.recipients(of: body)
        let isOwn = recipients.contains(connection.verkey)
        let isForeign = !body.isEmpty && !isOwn
        let ping = silentPing
        // A mailbox that was granted nothing has no messages for others.
        var actions: [MailboxAction] = []
        if isForeign, address != nil {
            let uid = Text(Hex.encode(SHA256.hash(data: body).prefix(16)))
            actions += hand([Pickup.Item(uid: uid, envelope: body)], recipients: recipients)
        }
        actions += carry(connection.handle(.answered(exchange, body: isForeign ? [] : body), at: now), at: now)
        if ping != nil, silentPing == nil, hasPickup != true {
            inbox.looked(found: body.isEmpty ? 0 : 1, patience: 2, at: now)
        } else if isForeign {
            inbox.wake(at: now)
        }
        return actions
    }

    mutating func failed(
        _ exchange: AgentConnection.ExchangeID, _ failure: ExchangeFailure, at now: Instant
    ) -> [MailboxAction] {
        let actions = carry(connection.handle(.failed(exchange, failure), at: now), at: now)
        // Perhaps there was too much in one answer: the next one is to be smaller.
        guard failure == .uncertain, case .delivery? = question?.kind, question?.until == nil else { return actions }
        inbox.deliveryFailed(at: now)
        giveUp(at: now, for: .zero)
        return actions + carry(connection.handle(.withdraw, at: now), at: now)
    }

    /// Hands messages to the connections that they are for; what has no owner goes to quarantine under no name.
    private mutating func hand(_ items: [Pickup.Item], recipients: [Verkey]? = nil) -> [MailboxAction] {
        var messages: [MailboxMessage] = []
        for item in inbox.take(items) {
            let keys = recipients ?? Envelope.recipients(of: item.envelope)
            let entry = entries.first { keys.contains($0.key) }
            messages.append(
                MailboxMessage(uid: item.uid, connection: entry?.connection ?? "", envelope: item.envelope))
        }
        return messages.isEmpty ? [] : [.messages(messages)]
    }

    /// What the connection wants, as what the mailbox wants.
    mutating func carry(_ actions: [AgentConnection.Action], at now: Instant) -> [MailboxAction] {
        var carried: [MailboxAction] = []
        for action in actions {
            switch action {
            case .persist: carried.append(persist())
            case .post(let exchange, let url, let body): carried.append(.post(exchange, url: url, body: body))
            case .reachability(let failure): carried.append(.reachability(failure))
            case .handshakeRefused(let reason): carried += failed(.problem(reason.prefix(bytes: 128)))
            case .pinged: carried += asked(at: now)
            case .alive: carried += heard(at: now)
            case .sent(let id): carried += sent(id, at: now)
            case .refused(let id, let status): carried += refused(id, status, at: now)
            case .mailbox(let message): carried += heard(at: now) + take(message, at: now)
            case .disclosed(let protocols):
                carried += heard(at: now)
                guard case .features? = question?.kind else { continue }
                (question, hasPickup) = (nil, protocols.contains { $0.family == Pickup.name.family && $0.major == 2 })
            case .problem(let code, let thread): carried += heard(at: now) + problem(code, thread, at: now)
            case .ended: carried += failed(.ended)
            case .connected, .unanswered, .needsAddress, .fetch, .acknowledged, .answered, .message, .discarded,
                .reused, .reuseFailed,
                .rotated:
                break
            }
        }
        return carried
    }

    // MARK: - What became of our messages

    private mutating func sent(_ id: Text, at now: Instant) -> [MailboxAction] {
        if id == silentPing { silentPing = nil }
        if id == mediation.id { mediation.sent(at: now) }
        guard id == question?.id else { return [] }
        let (until, nudgeAt) = (now.advanced(by: limits.answer), now.advanced(by: limits.nudge))
        question?.until = until
        question?.nudgeAt = nudgeAt
        return asked(at: now)
    }

    private mutating func refused(_ id: Text, _ status: Int, at now: Instant) -> [MailboxAction] {
        if id == silentPing {
            silentPing = nil
            if hasPickup != true { inbox.failed(at: now) }
        }
        if id == mediation.id, let failure = mediation.refused(at: now) { return failed(failure) }
        guard id == question?.id else { return [] }
        giveUp(at: now)
        return failed(.problem(Text("http-\(status)")))
    }

    private mutating func problem(_ code: Text, _ thread: Text, at now: Instant) -> [MailboxAction] {
        if thread == mediation.id, let failure = mediation.refused(at: now) { return failed(failure) }
        guard let question, thread == question.id else { return [] }
        switch question.kind {
        // It says that it speaks pickup and does not, or does not know the question: then without.
        case .features, .delivery: hasPickup = false
        case .received(let uids): inbox.toldOf(uids)
        case .update:
            giveUp(at: now)
            return failed(.problem(code))
        }
        self.question = nil
        inbox.wake(at: now)
        return []
    }

    private mutating func take(_ message: Message, at now: Instant) -> [MailboxAction] {
        do throws(MailboxProblem) {
            if let granted = try mediation.take(message, at: now) {
                if address == nil { address = granted }
                trouble = nil
                return [persist()]
            }
            if let answer = try Coordination.answer(message, allowsPlainHTTP: configuration.allowsPlainHTTP) {
                guard case .updated(let results) = answer, case .update(let asked)? = question?.kind else { return [] }
                question = nil
                return recovered() + updated(results, of: asked, at: now)
            }
            return try pickedUp(message, at: now)
        } catch {
            giveUp(at: now)
            inbox.failed(at: now)
            return failed(error.failure)
        }
    }

    private mutating func pickedUp(_ message: Message, at now: Instant) throws(MailboxProblem) -> [MailboxAction] {
        guard let answer = try Pickup.answer(message, limit: inbox.batch) else { return [] }
        switch (question?.kind, answer) {
        case (.delivery?, .delivery(let items)):
            question = nil
            inbox.looked(found: items.count, patience: 1, at: now)
            return hand(items)
        case (.delivery?, .status):
            question = nil
            inbox.looked(found: 0, patience: 1, at: now)
        case (.received(let uids)?, .status(let count)):
            question = nil
            inbox.toldOf(uids)
            if count > 0 { inbox.wake(at: now) }
        default: break  // nobody asked
        }
        return []
    }

    // MARK: - What is due

    /// What has no answer in its time.
    mutating func expire(at now: Instant) -> [MailboxAction] {
        var actions: [MailboxAction] = []
        if address == nil, let failure = mediation.expire(at: now) { actions += failed(failure) }
        if let until = question?.until, now >= until {
            if case .features? = question?.kind { hasPickup = false }
            if case .delivery? = question?.kind { inbox.deliveryFailed(at: now) }
            giveUp(at: now, for: limits.answer)
        }
        if connection.isComplete, !connection.isEnded, life.takeDue(at: now) {
            actions += carry(connection.handle(.ping, at: now), at: now)
        }
        return actions
    }

    /// Gives the connection its next message: what is asked once, then keys, then what waits.
    mutating func advance(at now: Instant) -> [MailboxAction] {
        guard connection.isComplete, connection.wantsMessage, let message = next(at: now) else { return [] }
        return carry(connection.handle(.deliver(message), at: now), at: now)
    }

    private mutating func next(at now: Instant) -> OutboundMessage? {
        guard address != nil else { return mediation.message(at: now) }
        if question == nil, askAt.map({ now >= $0 }) ?? true {
            askAt = nil
            if hasPickup == nil { return ask(.features) }
            let updates = updates(at: now)
            if !updates.isEmpty { return ask(.update(Array(updates.prefix(Coordination.maxKeys)))) }
            if hasPickup == true, !inbox.next.isEmpty { return ask(.received(inbox.next)) }
            if hasPickup == true, inbox.isDue(at: now) {
                inbox.began()
                return ask(.delivery)
            }
        }
        guard silentPing == nil else { return nil }
        let isLook = hasPickup != true && inbox.isDue(at: now)
        guard isLook || question?.nudgeAt.map({ now >= $0 }) ?? false else { return nil }
        if isLook {
            inbox.toldOf(inbox.safe)
            inbox.began()
        }
        let nudgeAt = now.advanced(by: limits.nudge)
        if question?.nudgeAt != nil { question?.nudgeAt = nudgeAt }
        let ping = OutboundMessage(
            id: AgentConnection.newID(&connection.random), TrustPing.name, "ping",
            [.init("response_requested", .bool(false))])
        silentPing = ping.id
        return ping
    }

    private mutating func ask(_ kind: Question.Kind) -> OutboundMessage {
        let id = AgentConnection.newID(&connection.random)
        question = Question(id: id, kind: kind)
        return switch kind {
        case .features: DiscoverFeatures.query(Pickup.name.family, id: id)
        case .update(let updates): Coordination.update(updates, id: id)
        case .delivery: Pickup.delivery(limit: inbox.batch, id: id)
        case .received(let uids): Pickup.received(uids, id: id)
        }
    }

    private mutating func giveUp(at now: Instant, for pause: Duration? = nil) {
        question = nil
        askAt = now.advanced(by: pause ?? limits.idle)
    }

    // MARK: - How it stands

    private mutating func asked(at now: Instant) -> [MailboxAction] {
        life.asked(at: now)
        return life.isSilent ? failed(.silent) : []
    }

    private mutating func heard(at now: Instant) -> [MailboxAction] {
        life.heard(at: now)
        return trouble == .silent ? recovered() : []
    }

    private mutating func failed(_ failure: MailboxFailure) -> [MailboxAction] {
        guard trouble != failure else { return [] }
        trouble = failure
        return [.failed(failure, for: nil)]
    }

    /// All is well again, which the connections' addresses say.
    private mutating func recovered() -> [MailboxAction] {
        guard trouble != nil, let address else { return [] }
        trouble = nil
        return registered.map { .address(address, for: $0) }
    }
}
