package import Aries
import Clocks
package import DIDComm
package import Encoding
import HTTPTransport
import Ledger
package import Mailboxes
import Store

/// Runs one connection: carries out the actions of its ``LinkCore`` one after another, and receives the messages for
/// the connection from the mailbox.
///
/// One task calls ``run()``, which returns soon after that task is cancelled.
package actor AgentLink {
    /// The id of the connection.
    package nonisolated let id: Text
    /// The invitation by which the connection was made.
    package nonisolated let invitation: Invitation
    /// Whether the connection only answers the requests of its invitation.
    package nonisolated let isOneTime: Bool

    /// The notes about the running link, which are not stored.
    package nonisolated let notes: LinkStatus

    private let dependencies: Dependencies
    private var core: LinkCore
    /// The callers that wait for the inviter's answer whether it accepts this connection for an invitation, by the id
    /// of that invitation.
    private var asked: [Text: CheckedContinuation<Bool?, Never>] = [:]
    private let nap = Wakeup()

    private var clock: Clock { dependencies.clock }

    /// Creates a link for `connection`. It does nothing before ``run()``.
    package init(_ connection: consuming AgentConnection, _ dependencies: Dependencies) {
        id = connection.id
        invitation = connection.invitation
        isOneTime = connection.isOneTime
        notes = LinkStatus(dependencies.clock)
        self.dependencies = dependencies
        core = LinkCore(connection, dependencies.policy)
    }

    /// Runs until the task is cancelled, the peer ends the connection, another connection replaces it, or the peer
    /// grants a mailbox over it. Returns the reason.
    @discardableResult
    package func run() async -> End {
        let question = await question()
        core.take(.start(question: question), at: clock.now())
        while !Task.isCancelled {
            let actions = core.decide(at: clock.now(), date: clock.utc())
            for action in actions {
                if let result = await carryOut(action) { core.take(result, at: clock.now()) }
            }
            guard actions.isEmpty else { continue }
            if core.end != nil { break }
            await nap.sleep(until: core.deadline, clock)
        }
        // If the task was cancelled, do not release the messages that were not applied: the mailbox delivers them
        // again at the next start.
        if core.end != nil { await dependencies.mailbox?.leave(id) }
        letGo()
        return switch core.end {
        case .granted(let address): .granted(address, state: core.connection.snapshot)
        case .ended: .ended
        case .retired: .retired
        case nil: .cancelled
        }
    }

    /// Returns the id of the question whether the peer keeps messages for this gate; nil if it is not to be asked.
    private func question() async -> Text? {
        guard dependencies.outbox != nil, core.connection.reception == .returnRoute,
            await dependencies.asksForMailbox(invitation), var random = try? AgentLinks.randomStream()
        else { return nil }
        return try? AgentLinks.newID(&random)
    }

    // MARK: - The state

    /// Whether the handshake is complete and the connection has not ended.
    package var isConnected: Bool { core.isConnected }

    /// The connection, as its destination knows it.
    var route: DestinationCore.Route {
        DestinationCore.Route(
            id: id, invitation: invitation, reception: core.connection.reception,
            end: core.connection.isEnded ? .ended : core.connection.hasFailed ? .failed : nil,
            isConnected: core.isConnected, hasAddress: core.connection.address != nil)
    }

    /// The present state of the connection that the destination needs.
    var routeState: DestinationCore.RouteState {
        DestinationCore.RouteState(
            id: id, isConnected: core.isConnected, hasAddress: core.connection.address != nil)
    }

    // MARK: - Requests

    /// Asks the inviter of `invitation`, as soon as the link runs, whether it accepts this connection in place of a
    /// new one. Returns true if the inviter accepts it, and false if it does not within 45 s. Returns nil if the link
    /// ends before that, or if the same question is still open.
    package func reuse(_ invitation: Invitation) async -> Bool? {
        // If the task was cancelled, ``letGo()`` may have run already, and the caller would wait for ever.
        guard core.end == nil, asked[invitation.id] == nil, !Task.isCancelled else { return nil }
        return await withCheckedContinuation { continuation in
            asked[invitation.id] = continuation
            note(.ask(.reuse(invitation)))
        }
    }

    /// Ends the waiting of all callers of ``reuse(_:)``, which then return nil.
    package func letGo() {
        for asked in asked.values { asked.resume(returning: nil) }
        asked = [:]
    }

    /// Queues the answers to the requests in `invitation`. Returns false if they are not queued: the connection is
    /// not connected, it becomes the connection to a mailbox, or too many answers wait.
    func answer(_ invitation: Invitation) -> Bool {
        defer { nap.end() }
        return core.answer(invitation)
    }

    /// Queues an answer to a question of the peer. `response`: one of the responses that the question permits. `uid`:
    /// the question's id in the message book, which later contains the result. Returns false if the answer is not
    /// queued: the question was answered before, too many answers wait, or the connection is not connected.
    package func respond(to question: Message, _ uid: Text, with response: Text) -> Bool {
        defer { nap.end() }
        return core.answer(question, uid, response, date: clock.utc())
    }

    /// Stores a new connection. Call this function before ``run()``.
    package func keep() async throws {
        try await dependencies.store.keepConnection(
            id, to: dependencies.destination, core.connection.snapshot.compactBytes, handled: [])
    }

    /// Wakes the link: an entry was recorded, or another connection may have become the active one.
    package func wake() { note(.wake) }

    /// Makes the next attempt now: the network works again, or an operator asks for it.
    package func retryNow() { note(.retryNow) }

    /// Pings the peer as soon as the handshake is complete.
    package func ping() {
        note(.ask(.ping))
        retryNow()
    }

    /// Ends the link permanently: it sends and stores nothing more.
    package func stop() {
        core.stop()
        nap.end()
    }

    /// Ends the link like ``stop()``, unless the connection is connected. Returns whether it was ended.
    func stopUnlessConnected() -> Bool {
        guard !core.isConnected else { return false }
        stop()
        return true
    }

    /// Queues a problem report about the gate for the peer. Returns false if it is not queued: the connection is not
    /// connected, it becomes the connection to a mailbox, or the queue is full.
    package func tell(code: Text, explanation: Text) -> Bool {
        guard core.isOpen, core.inbox.count < core.connection.answerRoom else { return false }
        note(.ask(.tell(code: code, explanation: explanation)))
        return true
    }

    // MARK: - Events

    private func note(_ event: LinkCore.Event) {
        core.take(event, at: clock.now())
        nap.end()
    }

    /// Carries out an action and returns its result; nil if the action has no result.
    private func carryOut(_ action: LinkCore.Action) async -> LinkCore.Event? {
        switch action {
        case .open: await dependencies.mailbox?.open(self, key: core.connection.keyPair)
        case .connected: await dependencies.mailbox?.connected(id)
        case .fetch: await dependencies.mailbox?.fetch()
        case .applied(let uids): await dependencies.mailbox?.applied(uids)
        case .reused(let invitation, let isTaken):
            asked.removeValue(forKey: invitation)?.resume(returning: isTaken)
        case .notice(let notice):
            notes.take(notice)
            dependencies.observe(notice)
        case .asksForMailbox(let asks): notes.note(asksForMailbox: asks)
        case .unsent(let count): notes.note(unsent: count)
        case .post(let id, let url, let body): return await post(id, url, body)
        case .keep(let snapshot, let handled, let messages, let answers):
            // The connection may have been deleted since the core decided. Then store nothing.
            guard !core.isRetired else { return .kept(nil) }
            return .kept(
                await failure {
                    try await self.dependencies.store.keepConnection(
                        self.id, to: self.dependencies.destination, snapshot.compactBytes, handled: handled,
                        messages: messages, answers: answers)
                })
        case .quarantine(let message, let reason):
            return .quarantined(
                await failure {
                    try await self.dependencies.store.quarantine(message, reason: Text(reason.rawValue))
                })
        default:
            guard let outbox = dependencies.outbox else { return nil }
            return await deliver(action, outbox)
        }
        return nil
    }

    private func post(
        _ id: AgentConnection.ExchangeID, _ url: Text, _ body: [UInt8]
    ) async -> LinkCore.Event {
        // The link may have been stopped since the core decided.
        guard !core.isRetired else { return .failed(id, .unreachable) }
        do throws(ExchangeError) {
            return .answered(id, body: try await dependencies.exchange.post(body, to: url.string))
        } catch {
            return .failed(id, error.failure)
        }
    }

    /// Carries out an action of the delivery.
    private func deliver(_ action: LinkCore.Action, _ outbox: any Outbox) async -> LinkCore.Event? {
        switch action {
        case .takeOver: return .tookOver(await result { try await outbox.takeOver(by: self.id) })
        case .lookAtEnd(let position): return .end(await end(after: position, outbox))
        case .examine(let answer, let position):
            let head: ReportPoint? =
                switch answer {
                case .receipt(_, let head), .head(_, let head): head
                }
            let isSigned = head.map(outbox.hasSigned) ?? false
            return .examined(answer, await end(after: position, outbox).map { $0.map { ($0, isSigned) } })
        case .read(let ledger, let position, let limit, let bytes, let reports):
            return .entries(
                await result {
                    try await outbox.entries(
                        of: ledger, after: position, limit: limit, bytes: bytes, reports: reports, over: self.id)
                })
        case .readHash(let ledger, let position):
            return .hash(await result { try await outbox.hash(of: ledger, at: position) }, at: position)
        case .confirm(let confirmation, let handled):
            return .confirmed(
                await result {
                    try await outbox.confirm(
                        confirmation.point, isReceipt: confirmation.isReceipt, passedOver: confirmation.passedOver,
                        over: self.id, handled: handled)
                })
        case .giveUp(let ledger): return .gaveUp(await failure { try await outbox.giveUp(ledger, over: self.id) })
        default: return nil
        }
    }

    private func end(after position: Int, _ outbox: any Outbox) async -> Result<
        LinkCore.LedgerEnd?, LinkCore.StoreFailure
    > {
        await result {
            try await outbox.end(after: position, over: self.id).map {
                LinkCore.LedgerEnd(point: $0.end, isUrgent: $0.isUrgent)
            }
        }
    }

    private func result<Value>(_ work: () async throws -> Value) async -> Result<Value, LinkCore.StoreFailure> {
        do {
            return .success(try await work())
        } catch {
            return .failure(LinkCore.StoreFailure(error))
        }
    }

    private func failure(_ work: () async throws -> Void) async -> LinkCore.StoreFailure? {
        do {
            try await work()
            return nil
        } catch {
            return LinkCore.StoreFailure(error)
        }
    }
}

extension AgentLink: MailReceiver {
    /// Handles the report of the mailbox that it accepts messages for `key` at `address`.
    package func take(_ address: MailboxAddress, for key: Verkey) { note(.ask(.address(address, for: key))) }

    /// Handles the report of the mailbox that it will never accept messages for `key`.
    package func refuse(_ key: Verkey) { note(.ask(.keyRefused(key))) }

    /// Handles a message from the mailbox. The mailbox releases the message when its effects are durable.
    package func take(_ message: MailboxMessage) { note(.mail(message)) }
}
