package import Aries
package import Encoding
import HTTPTransport
import Ledger
import Mailboxes

/// Drives one ``AgentConnection``: carries out its actions, passes it the messages for its destination and
/// wakes it at its deadlines.
///
/// One task calls ``run()``, which returns soon after that task is cancelled.
package actor AgentLink {
    /// The id of the connection.
    package nonisolated let id: Text
    /// The invitation by which the connection was made.
    package nonisolated let invitation: Invitation
    /// Whether the peer had ended the connection before this link was made. Such a connection never carries a
    /// message again.
    nonisolated let wasEnded: Bool
    /// How messages that do not answer a post reach the gate.
    package nonisolated let reception: AgentConnection.Reception

    /// The information of the link in addition to its stored state.
    package nonisolated let notes = LinkStatus()

    let dependencies: Dependencies
    var connection: AgentConnection
    /// Events from actions and from outside that are not handled yet.
    var inbox: [AgentConnection.Event] = []
    private var isStoreBroken = false
    /// The delivery of reports to the destination; nil before this connection becomes the active one.
    private var delivery: ReportDelivery?
    /// Events that the delivery has not handled yet.
    private var events: [ReportDelivery.Event] = []
    /// The message that the delivery wants to send next.
    private var next: OutboundMessage?
    /// Confirmations that are not durable yet, in order.
    private var unkept: [(point: ReportPoint, isReceipt: Bool, passedOver: [Int])] = []
    /// The positions of entries that the peer refuses, until the cursor has passed them.
    private var passedOver: [Int] = []
    /// Whether the ledger may have grown.
    private var hasGrown = false
    private var isRetired = false
    /// The callers that wait for the inviter's answer whether this connection may be reused, by the id of the
    /// invitation.
    private var asked: [Text: CheckedContinuation<Bool?, Never>] = [:]
    /// The time before which the outbox is not used again after a failure.
    private var outboxRetryAt: Instant?
    let nap = Wakeup()
    /// Messages from the mailbox that are not read yet.
    var mail: [MailboxMessage] = []
    /// The message that could not be read and is not quarantined yet.
    private var unread: (message: MailboxMessage, reason: Discard)?
    /// The ids of messages that were read. They are released once their effects are durable.
    private var unreleased: [Text] = []
    /// Keys of messages that were seen and are not durable yet.
    private var unkeptKeys: [[UInt8]] = []
    /// The question whether the peer keeps messages for this gate; nil if it is not asked.
    var mediation: MediationQuestion?
    /// The mailbox that the peer has granted over this connection.
    var granted: MailboxAddress?

    /// Creates a link for `connection`. Nothing happens before ``run()``.
    package init(_ connection: consuming AgentConnection, _ dependencies: Dependencies) {
        id = connection.id
        invitation = connection.invitation
        wasEnded = connection.isEnded
        reception = connection.reception
        self.connection = connection
        var dependencies = dependencies
        dependencies.observe = { [notes, observe = dependencies.observe] notice in
            notes.take(notice)
            observe(notice)
        }
        self.dependencies = dependencies
    }

    /// Delivers until the task is cancelled, the peer ends the connection, another connection replaces it, or
    /// the peer grants a mailbox over it.
    @discardableResult
    package func run() async -> End {
        if reception == .returnRoute, dependencies.outbox != nil, mediation == nil,
            await dependencies.asksForMailbox(invitation), var random = try? AgentLinks.randomStream(),
            let question = try? AgentLinks.newID(&random)
        {
            mediation = MediationQuestion(
                id: question, allowsPlainHTTP: dependencies.allowsPlainHTTP, answerTime: dependencies.grant)
        }
        notes.note(asksForMailbox: mediation != nil)
        await loop()
        letGo()
        if let granted { return .granted(granted, state: connection.snapshot) }
        return connection.isEnded ? .ended : isRetired ? .retired : .cancelled
    }

    /// Whether the handshake is complete and neither side has ended the connection.
    package var isConnected: Bool { connection.isComplete && !connection.isEnded && !isRetired }

    /// Whether the address at which the connection receives messages is known.
    var hasAddress: Bool { connection.address != nil }

    /// Asks the inviter of `invitation`, as soon as the link runs, whether it accepts this connection in
    /// place of a new one. Returns true if the inviter agrees, and false if it does not agree within 45 s.
    /// Returns nil if the link ends before that, or if the link already asks about this invitation.
    package func reuse(_ invitation: Invitation) async -> Bool? {
        guard !isRetired, !connection.isEnded, asked[invitation.id] == nil else { return nil }
        inbox.append(.reuse(invitation))
        return await withCheckedContinuation { continuation in
            asked[invitation.id] = continuation
            wake()
        }
    }

    /// Resumes with nil the callers that still wait in ``reuse(_:)``.
    package func letGo() {
        for asked in asked.values { asked.resume(returning: nil) }
        asked = [:]
    }

    /// Answers the requests that are attached to `invitation`.
    package func answer(_ invitation: Invitation) {
        inbox.append(.answer(invitation))
        wake()
    }

    /// Stores the connection before the connection does anything.
    package func keep() async throws {
        try await dependencies.store.keepConnection(
            id, to: dependencies.destination, connection.snapshot.compactBytes, handled: [])
    }

    /// Wakes the link: an entry was recorded, or another connection became the active one.
    package func wake() {
        hasGrown = true
        nap.end()
    }

    /// Starts the next attempt at once: the network is up again, or an operator asks.
    package func retryNow() async {
        outboxRetryAt = nil
        inbox.append(.retryNow)
        events.append(.retryNow)
        wake()
    }

    /// Pings the peer once the connection's handshake is complete.
    package func ping() async {
        inbox.append(.ping)
        await retryNow()
    }

    /// Ends the link permanently: it sends and stores nothing any more.
    package func stop() {
        isRetired = true
        wake()
    }

    /// Reports a problem of the gate to the peer. Returns false if there is no connected peer, or if the
    /// queue of messages for it is full.
    package func tell(code: Text, explanation: Text) -> Bool {
        guard isConnected, inbox.count < connection.answerRoom else { return false }
        inbox.append(.tell(code: code, explanation: explanation))
        wake()
        return true
    }

    /// Handles one event at a time, in this order: pending events, deadlines, the next report, sleep.
    private func loop() async {
        inbox.insert(.start, at: 0)
        if reception == .mailbox, connection.address != nil {
            await dependencies.postbox?.open(self, key: connection.keyPair)
        }
        while !Task.isCancelled, !isRetired, granted == nil, !connection.isEnded {
            let now = dependencies.clock.now()
            if let due = outboxRetryAt, now >= due { outboxRetryAt = nil }
            if !inbox.isEmpty {
                await perform(connection.handle(inbox.removeFirst(), at: now))
            } else if let deadline = connection.deadline, deadline <= now {
                inbox.append(.deadlineReached)
            } else if await !read(at: now), !ask(at: now), await !release(), await !deliver(at: now), !isRetired {
                await nap.sleep(
                    until: [connection.deadline, delivery?.deadline, askDeadline, outboxRetryAt]
                        .compactMap(\.self).min(), dependencies.clock)
            }
        }
        await dependencies.postbox?.leave(id)
        (mail, unread, unreleased) = ([], nil, [])
    }

    // MARK: - Actions

    private func perform(_ actions: [AgentConnection.Action]) async {
        let observe = dependencies.observe
        for action in actions {
            switch action {
            case .persist(let snapshot): await persist(snapshot)
            case .needsAddress: await dependencies.postbox?.open(self, key: connection.keyPair)
            case .fetch: await dependencies.postbox?.fetch()
            case .mailbox(let message): answered(message)
            case .post(let id, let url, let body): await post(id, url, body)
            case .connected(let peer): observe(.connected(did: peer.did))
            case .handshakeRefused(let reason): observe(.handshakeRefused(reason: reason))
            case .unanswered: observe(.unanswered)
            case .reachability(let failure): observe(failure.map { .unreachable($0) } ?? .reachable)
            case .alive(let ping):
                observe(.alive)
                events.append(.pong(ping))
            case .sent(let id) where id == mediation?.id: mediation?.sent(at: dependencies.clock.now())
            case .sent(let id): events.append(.sent(id))
            case .pinged(let id): events.append(.pinged(id))
            case .refused(let id, _) where id == mediation?.id: denied(mediation?.refused(at: dependencies.clock.now()))
            case .refused(let id, let status):
                observe(.refused(id, status: status))
                events.append(.failed(id, .refused(status: status)))
            case .answered(let answer): await take(answer)
            case .disclosed(let protocols): events.append(.disclosed(protocols))
            case .acknowledged(let ids):
                observe(.acknowledged(ids))
                events.append(.acknowledged(ids))
            case .message(let id, let content): observe(.message(id: id, bytes: content.utf8.count))
            case .problem(_, let thread) where thread == mediation?.id:
                denied(mediation?.refused(at: dependencies.clock.now()))
            case .problem(let code, let thread):
                observe(.problem(code: code))
                events.append(.problem(code: code, thread: thread))
            case .discarded(let reason): observe(.discarded(reason))
            case .reused(let invitation): asked.removeValue(forKey: invitation)?.resume(returning: true)
            case .reuseFailed(let invitation): asked.removeValue(forKey: invitation)?.resume(returning: false)
            case .rotated: observe(.rotated)
            case .ended: observe(.ended)
            }
        }
    }

    private func persist(_ snapshot: JSON) async {
        guard !isRetired else { return }
        do {
            let keys = seenKeys()
            try await dependencies.store.keepConnection(
                id, to: dependencies.destination, snapshot.compactBytes, handled: keys)
            unkeptKeys = []
            isStoreBroken = false
        } catch {
            isStoreBroken = true
            dependencies.observe(.storeFailed("\(error)"))
        }
    }

    private func post(_ id: AgentConnection.ExchangeID, _ url: Text, _ body: [UInt8]) async {
        guard !isStoreBroken else {
            inbox.append(.failed(id, .notStored))
            return
        }
        do throws(ExchangeError) {
            let answer = try await dependencies.exchange.post(body, to: url.string)
            inbox.append(.answered(id, body: answer))
        } catch {
            inbox.append(.failed(id, error.failure))
        }
    }

    // MARK: - Delivery

    /// Takes the peer's statement about the gate's ledger, and compares it with the ledger as it is now:
    /// another connection may have delivered more than this delivery knows of. If the ledger cannot be read
    /// now, the statement is dropped, and the peer is asked, or gets the entries, again.
    private func take(_ answer: VerificationReport.Answer) async {
        guard let outbox = dependencies.outbox, delivery != nil else { return }
        do { try await look(outbox) } catch { return outboxFailed(error) }
        guard let end = delivery?.end else { return }
        func signed(_ head: ReportPoint?) -> ReportPoint? {
            head.flatMap { $0.ledger == end.ledger && outbox.hasSigned($0) ? $0 : nil }
        }
        switch answer {
        // A receipt for a position that this ledger contains needs no signature.
        case .receipt(let point, let head):
            let beyond = head.flatMap { $0.position > end.position ? $0 : nil }
            events.append(.receipt(point, signed: signed(beyond)))
        case .head(let point, let head): events.append(.head(point, signed: signed(head)))
        }
    }

    /// Continues the delivery to the destination. Returns false if no delivery is due now.
    private func deliver(at now: Instant) async -> Bool {
        guard let outbox = dependencies.outbox, connection.isComplete, mediation?.isUnderWay != true,
            outboxRetryAt == nil
        else { return false }
        do {
            guard try await begin(outbox, at: now) else { return true }
            try await keepConfirmed(outbox)
            if hasGrown { try await look(outbox) }
            guard !isRetired, delivery != nil else { return true }
            if events.isEmpty, let deadline = delivery?.deadline, deadline <= now { events.append(.deadlineReached) }
            if !events.isEmpty {
                let event = events.removeFirst()
                for action in delivery?.handle(event, at: now) ?? [] { await perform(action, outbox) }
                return true
            }
        } catch {
            outboxFailed(error)
            return false
        }
        guard connection.wantsMessage, let message = next.take() else { return false }
        inbox.append(.deliver(message))
        return true
    }

    /// Reads the present end of the ledger. After a failure `hasGrown` stays set: no second notification
    /// follows.
    private func look(_ outbox: any Outbox) async throws {
        hasGrown = false
        do {
            let found = try await outbox.end(after: delivery?.end.position ?? 0, over: id)
            guard let (end, isUrgent) = found else { return retire() }
            if end.ledger == delivery?.end.ledger {
                events.append(.available(end: end, isUrgent: isUrgent))
            } else {
                // The peer has all of an earlier ledger. The next ledger needs a new delivery.
                (delivery, next) = (nil, nil)
            }
        } catch {
            hasGrown = true
            throw error
        }
    }

    /// Makes this connection the active one of its destination, unless a newer one is. Returns false if a
    /// newer one is.
    private func begin(_ outbox: any Outbox, at now: Instant) async throws -> Bool {
        guard delivery == nil else { return true }
        guard let state = try await outbox.takeOver(by: id) else {
            retire()
            return false
        }
        dependencies.observe(.tookOver(position: state.confirmed))
        delivery = ReportDelivery(
            dependencies.reports, end: state.end, confirmed: state.confirmed, receipt: state.receipt,
            isPast: state.isPast)
        events = [.connected]
        return true
    }

    /// Carries out an action of the delivery. A failure of the store is reported and the action is tried
    /// again.
    private func perform(_ action: ReportDelivery.Action, _ outbox: any Outbox) async {
        let observe = dependencies.observe
        switch action {
        case .read(let position, let limit, let bytes, let reports):
            guard let ledger = delivery?.end.ledger else { return }
            do {
                let entries = try await outbox.entries(
                    of: ledger, after: position, limit: limit, bytes: bytes, reports: reports, over: id)
                guard let entries else { return retire() }
                // The outbox has no entries: another ledger may have replaced this one.
                if entries.isEmpty { hasGrown = true }
                events.append(.entries(entries))
            } catch {
                outboxFailed(error)
                events.append(.entries([]))
            }
        case .look(let position):
            guard let ledger = delivery?.end.ledger else { return }
            do {
                events.append(.hash(try await outbox.hash(of: ledger, at: position), at: position))
            } catch {
                outboxFailed(error)
                events.append(.hash(nil, at: position))
            }
        case .send(let message): next = message
        case .ping: inbox.append(.ping)
        case .confirmed(let point, let proof):
            // Every receipt is kept as evidence. Of the other confirmations only the newest is kept.
            if proof != .receipt {
                passedOver = unkept.filter { !$0.isReceipt }.flatMap(\.passedOver) + passedOver
                unkept.removeAll { !$0.isReceipt }
            }
            unkept.append((point, proof == .receipt, passedOver))
            passedOver = []
            do {
                try await keepConfirmed(outbox)
            } catch {
                outboxFailed(error)
            }
        case .setAside(let position):
            passedOver.append(position)
            observe(.setAside(position: position))
        case .gone(let positions): observe(.gone(positions))
        case .refill(let position): observe(.refill(after: position))
        case .found(let way): observe(.found(way))
        case .silent: observe(.silent)
        case .heard: observe(.heard)
        case .held(let reason): observe(.held(reason))
        case .giveUp:
            guard let ledger = delivery?.end.ledger else { return }
            do {
                try await outbox.giveUp(ledger, over: id)
                hasGrown = true
            } catch {
                outboxFailed(error)
            }
        case .released: observe(.released)
        case .behind(let point): observe(.behind(point))
        case .claimed(let point): observe(.claimed(point))
        case .agreed: observe(.agreed)
        case .discarded(let error): observe(.refusedAnswer(error))
        }
    }

    private func keepConfirmed(_ outbox: any Outbox) async throws {
        while let (point, isReceipt, passedOver) = unkept.first {
            let replaced = try await outbox.confirm(
                point, isReceipt: isReceipt, passedOver: passedOver, over: id, handled: seenKeys())
            unkept.removeFirst()
            unkeptKeys = []
            if point.position == delivery?.end.position { hasGrown = true }
            dependencies.observe(.confirmed(position: point.position))
            if !replaced.isEmpty { dependencies.observe(.replaced(replaced)) }
        }
    }

    private func retire() {
        isRetired = true
        dependencies.observe(.retired)
    }

    private func outboxFailed(_ error: any Error) {
        dependencies.observe(.storeFailed("\(error)"))
        outboxRetryAt = dependencies.clock.now().advanced(by: dependencies.outboxRetry)
    }

    // MARK: - Mailbox

    /// Handles the next message from the mailbox. Carries out all its actions before the next message is
    /// read. Returns false if no message waits.
    private func read(at now: Instant) async -> Bool {
        guard outboxRetryAt == nil else { return false }
        if let (message, reason) = unread {
            do {
                try await dependencies.store.quarantine(message, reason: Text(reason.rawValue))
                dependencies.observe(.quarantined(reason))
                unread = nil
                unreleased.append(message.uid)
            } catch {
                outboxFailed(error)
            }
            return true
        }
        guard !mail.isEmpty else { return false }
        let message = mail.removeFirst()
        let actions = connection.handle(.received(message.envelope), at: now)
        let reason = actions.compactMap { if case .discarded(let reason) = $0 { reason } else { nil } }.first
        await perform(actions)
        if let reason, reason.isUnread { unread = (message, reason) } else { unreleased.append(message.uid) }
        return true
    }

    /// Releases, at the mailbox, the messages that were read, once all their effects are durable. Returns
    /// false if there is no message to release.
    private func release() async -> Bool {
        guard !unreleased.isEmpty, outboxRetryAt == nil, unkept.isEmpty, delivery == nil || events.isEmpty else {
            return false
        }
        await persist(connection.snapshot)
        guard !isStoreBroken else {
            outboxRetryAt = dependencies.clock.now().advanced(by: dependencies.outboxRetry)
            return false
        }
        let uids = unreleased
        unreleased = []
        await dependencies.postbox?.applied(uids)
        return true
    }

    private func seenKeys() -> [[UInt8]] {
        unkeptKeys = (unkeptKeys + connection.takeSeen()).suffix(1024)
        return unkeptKeys
    }
}
