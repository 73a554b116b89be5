import Aries
import Crypto
import DIDComm
import Encoding

// Messages to the mediator and from it, over its connection.
extension Mediator {
    /// Handles the answer to a post. The body may be a message for any key of the gate; the envelope names the key.
    mutating func answered(_ exchange: AgentConnection.ExchangeID, _ body: [UInt8], at now: Instant) -> [MailboxAction]
    {
        let recipients = body.isEmpty ? [] : Envelope.recipients(of: body)
        let isOwn = recipients.contains(connection.verkey)
        let isForeign = !body.isEmpty && !isOwn
        let ping = silentPing
        // A mediator that has granted no address has messages only for the mailbox's own connection.
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
        guard failure != .unreachable, failure != .notStored, let asked = question, asked.until == nil else {
            return actions
        }
        guard failure == .uncertain, case .delivery = asked.kind else {
            // The mediator's server may fail because of this request, so the time limit for its answer begins now.
            let until = now.advanced(by: limits.answer)
            question?.until = until
            return actions
        }
        // The answer may have been too large, so the next request is for fewer messages.
        inbox.deliveryFailed(at: now)
        giveUp(at: now, for: .zero)
        return actions + carry(connection.handle(.withdraw(asked.id), at: now), at: now)
    }

    /// Returns the action that passes messages to their connections. If no connection has the key of a message, the
    /// action contains an empty connection id, and the driver stores the message in the quarantine.
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

    /// Converts the actions of the mailbox's own connection into actions of the mailbox.
    mutating func carry(_ actions: [AgentConnection.Action], at now: Instant) -> [MailboxAction] {
        var carried: [MailboxAction] = []
        for action in actions {
            switch action {
            case .persist: carried.append(persist())
            case .post(let exchange, let url, let body): carried.append(.post(exchange, url: url, body: body))
            case .reachability(let failure): carried.append(.reachability(failure))
            case .handshakeRefused(let reason): carried += failed(.problem(reason.prefix(bytes: 128)))
            case .pinged: life.asked(at: now)
            case .connected, .alive: carried += heard(at: now)
            case .sent(let id): sent(id, at: now)
            case .refused(let id, let status): carried += refused(id, status, at: now)
            case .mailbox(let message): carried += heard(at: now) + take(message, at: now)
            case .disclosed(let protocols):
                carried += heard(at: now)
                guard case .features? = question?.kind else { continue }
                question = nil
                if protocols.contains(where: { $0.family == Pickup.name.family && $0.major == Pickup.name.major }) {
                    hasPickup = true
                } else {
                    goWithoutPickup(for: limits.relearn, at: now)
                }
            case .problem(let code, let thread): carried += heard(at: now) + problem(code, thread, at: now)
            case .ended: carried += failed(.ended)
            case .unanswered, .gaveUp, .handled, .answer, .needsAddress, .fetch, .acknowledged, .answered, .message,
                .discarded, .reused, .reuseFailed, .rotated:
                break
            }
        }
        return carried
    }

    // MARK: - Results of messages

    private mutating func sent(_ id: Text, at now: Instant) {
        if id == silentPing { silentPing = nil }
        if id == mediation.id { mediation.sent(at: now) }
        guard id == question?.id else { return }
        let (until, nudgeAt) = (now.advanced(by: limits.answer), now.advanced(by: limits.nudge))
        question?.until = until
        question?.nudgeAt = nudgeAt
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
        // The mediator disclosed pickup but does not support it, or refuses this request, perhaps only for a while. Use
        // silent pings in place of pickup for a while.
        case .features, .delivery: goWithoutPickup(for: limits.again, at: now)
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
        guard isAwaited(message) else { return [] }
        do throws(MailboxProblem) {
            if let granted = try mediation.take(message, at: now) {
                if address == nil { address = granted }
                trouble = nil
                return [persist()]
            }
            guard case .update(let asked)? = question?.kind else { return try pickedUp(message, at: now) }
            if case .updated(let results)? = try Coordination.answer(
                message, allowsPlainHTTP: configuration.allowsPlainHTTP)
            {
                question = nil
                return recovered() + updated(results, of: asked, at: now)
            }
            return []
        } catch {
            giveUp(at: now)
            inbox.failed(at: now)
            return failed(error.failure)
        }
    }

    /// Returns whether `message` may be the answer to the open request. Any other message is ignored, even if it is
    /// malformed.
    private func isAwaited(_ message: Message) -> Bool {
        switch (message.type.name, question?.kind) {
        case ("mediate-grant", _), ("mediate-deny", _): mediation.isOpen
        case ("keylist-update-response", .update?), ("delivery", .delivery?), ("status", .delivery?),
            ("status", .received?):
            true
        default: false
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
        default: break  // the mailbox did not ask for this answer
        }
        return []
    }

    // MARK: - Deadlines

    /// Handles the requests whose time limit has passed, and the mediator's silence.
    mutating func expire(at now: Instant) -> [MailboxAction] {
        var actions: [MailboxAction] = []
        if let due = pickupAt, now >= due { (hasPickup, pickupAt) = (nil, nil) }
        if address == nil, let failure = mediation.expire(at: now) { actions += failed(failure) }
        if let asked = question, let until = asked.until, now >= until {
            if case .features = asked.kind { goWithoutPickup(for: limits.again, at: now) }
            if case .delivery = asked.kind { inbox.deliveryFailed(at: now) }
            isUnanswered = true
            giveUp(at: now, for: limits.answer)
            actions += carry(connection.handle(.withdraw(asked.id), at: now), at: now)
        }
        guard !connection.isEnded else { return actions }
        if life.pass(now, isReachable: connection.isReachable) { actions += failed(.silent) }
        if connection.isComplete, life.takeDue(at: now) {
            actions += carry(connection.handle(.ping, at: now), at: now)
        }
        return actions
    }

    /// Passes the next message to the mailbox's connection. The order is: the requests that are sent once, the keys to
    /// add or remove, the confirmations of messages, the requests for messages.
    mutating func advance(at now: Instant) -> [MailboxAction] {
        guard connection.isComplete, connection.wantsMessage, let message = next(at: now) else { return [] }
        return carry(connection.handle(.deliver(message), at: now), at: now)
    }

    private mutating func next(at now: Instant) -> OutboundMessage? {
        guard address != nil else { return mediation.message(at: now) }
        if question == nil, askAt.map({ now >= $0 }) ?? true {
            askAt = nil
            if hasPickup == nil { return ask(.features, at: now) }
            let updates = updates(at: now)
            let fetches = hasPickup == true && inbox.isDue(at: now)
            if !fetches || !isUnanswered {
                if !updates.isEmpty { return ask(.update(Array(updates.prefix(Coordination.maxKeys))), at: now) }
                if hasPickup == true, !inbox.next.isEmpty { return ask(.received(inbox.next), at: now) }
            }
            if fetches {
                inbox.began()
                isUnanswered = false
                return ask(.delivery, at: now)
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
            id: connection.newMessageID(), TrustPing.name, "ping",
            [.init("response_requested", .bool(false))])
        silentPing = ping.id
        return ping
    }

    private mutating func ask(_ kind: Question.Kind, at now: Instant) -> OutboundMessage {
        life.asked(at: now)
        let id = connection.newMessageID()
        question = Question(id: id, kind: kind)
        return switch kind {
        case .features: DiscoverFeatures.query(Pickup.name.family, id: id)
        case .update(let updates): Coordination.update(updates, id: id)
        case .delivery: Pickup.delivery(limit: inbox.batch, id: id)
        case .received(let uids): Pickup.received(uids, id: id)
        }
    }

    /// Uses silent pings in place of pickup for the duration `time`. After that the mediator is asked for its protocols
    /// again.
    private mutating func goWithoutPickup(for time: Duration, at now: Instant) {
        (hasPickup, pickupAt) = (false, now.advanced(by: time))
    }

    private mutating func giveUp(at now: Instant, for pause: Duration? = nil) {
        question = nil
        askAt = now.advanced(by: pause ?? limits.idle)
    }

    // MARK: - State

    private mutating func heard(at now: Instant) -> [MailboxAction] {
        life.heard(at: now)
        return trouble == .silent ? recovered() : []
    }

    private mutating func failed(_ failure: MailboxFailure) -> [MailboxAction] {
        guard trouble != failure else { return [] }
        trouble = failure
        return [.failed(failure, for: nil)]
    }

    /// Ends the failure that was reported. Reporting the addresses of the connections again announces the end.
    private mutating func recovered() -> [MailboxAction] {
        guard trouble != nil, let address else { return [] }
        trouble = nil
        return registered.map { .address(address, for: $0) }
    }
}
