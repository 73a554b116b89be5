import Aries
import DIDComm
import Encoding
import Ledger
import Mailboxes
import Store

// How the link carries out the connection's actions, and how it uses the mailbox.
extension LinkCore {
    mutating func perform(_ action: AgentConnection.Action, _ uid: Text?) {
        switch action {
        case .persist(let snapshot): keep(snapshot)
        case .needsAddress: actions.append(.open)
        case .fetch: actions.append(.fetch)
        case .mailbox(let message): answered(message)
        case .post(let id, let url, let body):
            if isStoreBroken { inbox.append(.failed(id, .notStored)) } else { begin(.post(id, url: url, body: body)) }
        case .connected(let peer): notice(.connected(did: peer.did))
        case .handshakeRefused(let reason): notice(.handshakeRefused(reason: reason))
        case .unanswered: notice(.unanswered)
        case .gaveUp: notice(.gaveUp)
        case .handled(let message, let result): note(message, result, uid)
        case .answer(let name, let response, let fate):
            unkeptAnswers =
                unkeptAnswers.filter { $0.uid != name }.suffix(Self.messagesLimit - 1)
                + [AnswerChange(name, response: response, fate)]
        case .reachability(let failure): notice(failure.map { .unreachable($0) } ?? .reachable)
        case .alive(let ping):
            notice(.alive)
            pass(.pong(ping))
        case .sent(let id) where id == mediation?.id: mediation?.sent(at: now)
        case .sent(let id): pass(.sent(id))
        case .pinged(let id): pass(.pinged(id))
        case .refused(let id, _) where id == mediation?.id: denied(mediation?.refused(at: now))
        case .refused(let id, let status):
            notice(.refused(id, status: status))
            pass(.failed(id, .refused(status: status)))
        case .answered(let answer): examine(answer)
        case .disclosed(let protocols): pass(.disclosed(protocols))
        case .acknowledged(let ids):
            notice(.acknowledged(ids))
            pass(.acknowledged(ids))
        case .message(let id, let content): notice(.message(id: id, bytes: content.utf8.count))
        case .problem(_, let thread) where thread == mediation?.id: denied(mediation?.refused(at: now))
        case .problem(let code, let thread):
            notice(.problem(code: code))
            pass(.problem(code: code, thread: thread))
        case .discarded(let reason): notice(.discarded(reason))
        case .reused(let invitation): actions.append(.reused(invitation, true))
        case .reuseFailed(let invitation): actions.append(.reused(invitation, false))
        case .rotated: notice(.rotated)
        case .ended: notice(.ended)
        }
    }

    /// Passes an event to the delivery, if there is one. A delivery that begins later reads its state from the store
    /// instead.
    mutating func pass(_ event: ReportDelivery.Event) {
        if delivery != nil { events.append(event) }
    }

    private mutating func keep(_ snapshot: JSON) {
        guard !isRetired else { return }
        begin(.keep(snapshot, handled: seenKeys(), messages: unkeptMessages, answers: unkeptAnswers))
    }

    mutating func kept(_ failure: StoreFailure?) {
        let releases = isReleasing
        isReleasing = false
        note(.state, failure, pauses: releases)
        if failure != nil { return }
        (unkeptKeys, unkeptMessages, unkeptAnswers) = ([], [], [])
        reportConnection()
        guard releases, !unreleased.isEmpty else { return }
        actions.append(.applied(unreleased))
        unreleased = []
    }

    /// Reports to the mailbox, once in each run, that the handshake of the connection is complete. The connection's
    /// state is durable before the report: otherwise the mailbox could count as used although the next run has no
    /// such connection.
    mutating func reportConnection() {
        guard connection.reception == .mailbox, connection.isComplete, !reportsConnection else { return }
        reportsConnection = true
        actions.append(.connected)
    }

    /// Adds a message that the peer sent on its own initiative to the message book, with its result. If the
    /// configuration contains the response to the message, answers it with that response, signed.
    private mutating func note(_ message: Message, _ result: HandledMessage, _ uid: Text?) {
        let uid = uid ?? message.id
        let entry = MessageEntry(
            message, result, uid: uid, of: connection.id, did: connection.verkey.unqualifiedDID, at: date)
        unkeptMessages = unkeptMessages.suffix(Self.messagesLimit - 1) + [entry]
        if case .matched(let response) = result {
            inbox.append(.respond(message, name: uid, response: response, at: date))
        }
    }

    // MARK: - Messages from the mailbox

    /// Reads the next message from the mailbox. Returns false if no message waits or messages cannot be read now.
    mutating func read() -> Bool {
        guard retryAt == nil, !isOver else { return false }
        if let unread {
            begin(.quarantine(unread.message, unread.reason))
            return true
        }
        guard !mail.isEmpty else { return false }
        let message = mail.removeFirst()
        let handled = connection.handle(.received(message.envelope), at: now)
        let reason = handled.compactMap { if case .discarded(let reason) = $0 { reason } else { nil } }.first
        steps = handled.map { .connection($0, uid: message.uid) }
        if let reason, reason.isUnread { unread = (message, reason) } else { unreleased.append(message.uid) }
        return true
    }

    mutating func quarantined(_ failure: StoreFailure?) {
        note(.quarantine, failure)
        guard failure == nil, let (message, reason) = unread else { return }
        notice(.quarantined(reason))
        unread = nil
        unreleased.append(message.uid)
    }

    /// Stores the changes of the message book together with the connection's state, and then releases the messages
    /// that were read at the mailbox. All their effects must be durable first: if the connection carries reports,
    /// this includes confirmations of reports. Returns false if there is nothing to store or release now.
    mutating func release() -> Bool {
        guard !unreleased.isEmpty || !unkeptMessages.isEmpty || !unkeptAnswers.isEmpty, retryAt == nil,
            !carriesReports || unkept.isEmpty && (delivery == nil || events.isEmpty)
        else { return false }
        isReleasing = true
        keep(connection.snapshot)
        return true
    }

    // MARK: - The question for a mailbox

    /// Asks the peer, before any report is delivered, whether it keeps messages for this gate. Returns false if no
    /// question is to be sent now.
    mutating func ask() -> Bool {
        guard connection.isComplete, mediation != nil else { return false }
        if let failure = mediation?.expire(at: now) {
            denied(failure)
            return true
        }
        guard connection.wantsMessage, let question = mediation?.message(at: now) else { return false }
        actions.append(.asksForMailbox(true))
        inbox.append(.deliver(question))
        return true
    }

    /// The time at which ``ask()`` next sends a question or checks a time limit; nil if neither is to come.
    var askDeadline: Instant? {
        connection.isComplete && (connection.wantsMessage || mediation?.isOpen == true) ? mediation?.deadline : nil
    }

    /// Handles the peer's answer to the question whether it keeps messages.
    private mutating func answered(_ message: Message) {
        do throws(MailboxProblem) {
            guard let address = try mediation?.take(message, at: now) else { return }
            granted = (address, now.advanced(by: policy.grant))
        } catch {
            denied(error.failure)
        }
    }

    /// Reports that the peer grants no mailbox. Withdraws the question, because reports wait for it and the peer's
    /// server may not have accepted it yet. Does nothing if `failure` is nil.
    private mutating func denied(_ failure: MailboxFailure?) {
        guard let failure, let mediation else { return }
        inbox.append(.withdraw(mediation.id))
        actions.append(.asksForMailbox(false))
        notice(.mailboxDenied(failure))
    }
}
