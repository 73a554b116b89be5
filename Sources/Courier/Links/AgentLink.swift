package import Aries
import Clocks
package import DIDComm
package import Encoding
import HTTPTransport
import Ledger
package import Mailboxes
import Store

/// Runs one connection: carries out what its ``LinkCore`` decides, one action after the other, and passes it the
/// messages for its destination.
///
/// One task calls ``run()``, which returns soon after that task is cancelled.
package actor AgentLink {
    /// The id of the connection.
    package nonisolated let id: Text
    /// The invitation by which the connection was made.
    package nonisolated let invitation: Invitation
    /// Whether the connection only answers the requests of its invitation.
    package nonisolated let isOneTime: Bool

    /// The information of the link in addition to its stored state.
    package nonisolated let notes: LinkStatus

    private let dependencies: Dependencies
    private var core: LinkCore
    /// The callers that wait for the inviter's answer whether this connection may be reused, by the id of the
    /// invitation.
    private var asked: [Text: CheckedContinuation<Bool?, Never>] = [:]
    private let nap = Wakeup()

    private var clock: Clock { dependencies.clock }

    /// Creates a link for `connection`. Nothing happens before ``run()``.
    package init(_ connection: consuming AgentConnection, _ dependencies: Dependencies) {
        id = connection.id
        invitation = connection.invitation
        isOneTime = connection.isOneTime
        notes = LinkStatus(dependencies.clock)
        self.dependencies = dependencies
        core = LinkCore(connection, dependencies.policy)
    }

    /// Delivers until the task is cancelled, the peer ends the connection, another connection replaces it, or
    /// the peer grants a mailbox over it.
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
        // The mailbox delivers the messages of a link that is cut off again at the next start.
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

    /// Whether the handshake is complete and neither side has ended the connection.
    package var isConnected: Bool { core.isConnected }

    /// The connection, as its destination knows it.
    var route: DestinationCore.Route {
        DestinationCore.Route(
            id: id, invitation: invitation, reception: core.connection.reception,
            end: core.connection.isEnded ? .ended : core.connection.hasFailed ? .failed : nil,
            isConnected: core.isConnected, hasAddress: core.connection.address != nil)
    }

    /// The present properties of the connection that the destination needs.
    var routeState: DestinationCore.RouteState {
        DestinationCore.RouteState(
            id: id, isConnected: core.isConnected, hasAddress: core.connection.address != nil)
    }

    // MARK: - Requests

    /// Asks the inviter of `invitation`, as soon as the link runs, whether it accepts this connection in
    /// place of a new one. Returns true if the inviter agrees, and false if it does not agree within 45 s.
    /// Returns nil if the link ends before that, or if the link already asks about this invitation.
    package func reuse(_ invitation: Invitation) async -> Bool? {
        // After the task was cancelled, ``letGo()`` may have been called already.
        guard core.end == nil, asked[invitation.id] == nil, !Task.isCancelled else { return nil }
        return await withCheckedContinuation { continuation in
            asked[invitation.id] = continuation
            note(.ask(.reuse(invitation)))
        }
    }

    /// Resumes with nil the callers that still wait in ``reuse(_:)``.
    package func letGo() {
        for asked in asked.values { asked.resume(returning: nil) }
        asked = [:]
    }

    /// Answers the requests that are attached to `invitation`. Returns false if they are not taken: there is no
    /// connected peer, the connection is about to lead to a mailbox, or too many answers wait.
    func answer(_ invitation: Invitation) -> Bool {
        defer { nap.end() }
        return core.answer(invitation)
    }

    /// Answers a question of the peer with `response`, which the question permits. `uid`: the question's id in the
    /// message book, where the result of the answer is stored later. Returns false if the answer is not accepted: the
    /// question was answered before, too many answers wait, or no peer is connected.
    package func respond(to question: Message, _ uid: Text, with response: Text) -> Bool {
        defer { nap.end() }
        return core.answer(question, uid, response, date: clock.utc())
    }

    /// Stores the connection before the connection does anything.
    package func keep() async throws {
        try await dependencies.store.keepConnection(
            id, to: dependencies.destination, core.connection.snapshot.compactBytes, handled: [])
    }

    /// Wakes the link: an entry was recorded, or another connection became the active one.
    package func wake() { note(.wake) }

    /// Starts the next attempt at once: the network is up again, or an operator asks.
    package func retryNow() { note(.retryNow) }

    /// Pings the peer once the connection's handshake is complete.
    package func ping() {
        note(.ask(.ping))
        retryNow()
    }

    /// Ends the link permanently: it sends and stores nothing any more.
    package func stop() {
        core.stop()
        nap.end()
    }

    /// Ends the link like ``stop()``, unless it is connected. Returns whether it was ended.
    func stopUnlessConnected() -> Bool {
        guard !core.isConnected else { return false }
        stop()
        return true
    }

    /// Reports a problem of the gate to the peer. Returns false if there is no connected peer, if the connection is
    /// about to lead to a mailbox, or if the queue of messages for it is full.
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

    /// Carries out an action. Returns its result; nil if it has none.
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
            // The connection may be deleted already.
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
    /// Handles the mailbox's grant: it accepts messages for `key` at `address`.
    package func take(_ address: MailboxAddress, for key: Verkey) { note(.ask(.address(address, for: key))) }

    /// Handles the mailbox's refusal: it will never accept messages for `key`.
    package func refuse(_ key: Verkey) { note(.ask(.keyRefused(key))) }

    /// Handles a message from the mailbox. The mailbox releases the message once its effects are durable.
    package func take(_ message: MailboxMessage) { note(.mail(message)) }
}
