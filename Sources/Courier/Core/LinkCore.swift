import Aries
import DIDComm
import Encoding
import Ledger
import Mailboxes
import Store

/// The decisions of one agent link: the order in which it handles the connection's events, the messages from the
/// mailbox and the reports; what it stores before it sends something; and when its connection becomes the active one.
///
/// A value without clock, I/O, randomness or task. Its driver, ``AgentLink``, carries out the actions one after
/// another and returns their results as events. While the result of one action is awaited, no other action with a
/// result begins. Events that arrive meanwhile are queued here, and are handled before the next report. The type is
/// not copyable, because its connection is not.
struct LinkCore: ~Copyable, Sendable {
    /// The settings of the link.
    struct Policy: Sendable {
        /// The settings of the delivery of reports.
        var reports = ReportSettings()
        /// Whether this connection delivers reports.
        var delivers = true
        /// Whether the peer may grant a mailbox whose address has no TLS.
        var allowsPlainHTTP = false
        /// The time limit for an agent's answer to the question whether it keeps messages.
        var grant = MediationQuestion.answerTime
        /// The time after which a failed access to the ledger or the database is repeated.
        var retry = Duration.seconds(5)
    }

    /// An action of the connection or of the delivery that is not carried out yet.
    enum Step: Sendable {
        /// An action of the connection. `uid`: the mailbox's id of the message that caused it; nil if no such message
        /// did.
        case connection(AgentConnection.Action, uid: Text?)
        case delivery(ReportDelivery.Action)
    }

    /// A kind of access to store and ledger. The success of one kind does not show that another kind works.
    enum Access: Sendable { case state, quarantine, ledger, confirmation }

    /// The maximum number of entries for the message book that wait while the store fails. Beyond it the oldest are
    /// dropped.
    static let messagesLimit = 64

    let policy: Policy
    var connection: AgentConnection
    /// Events that the connection is still to handle.
    var inbox: [AgentConnection.Event] = []
    var steps: [Step] = []
    /// The actions that ``decide(at:date:)`` returns next.
    var actions: [Action] = []
    /// Whether the link waits for the result of an action.
    var isBusy = false
    private var hasStarted = false
    /// The kinds of access to store and ledger whose last attempt failed.
    private var failed: Set<Access> = []
    /// The delivery of reports; nil until this connection is the active one of its destination.
    var delivery: ReportDelivery?
    /// Events that the delivery is still to handle.
    var events: [ReportDelivery.Event] = []
    /// The next message of the delivery; nil if it has none to send.
    var next: OutboundMessage?
    /// Confirmations of the destination that are still to be stored, in order.
    var unkept: [Confirmation] = []
    /// The positions of entries that the peer refuses and that are not part of a confirmation yet.
    var passedOver: [Int] = []
    /// Whether the ledger may have grown.
    var hasGrown = false
    var isRetired = false
    /// The time until which ledger and database are not used, because an access failed; nil if they may be used now.
    var retryAt: Instant?
    /// Messages from the mailbox that are still to be read.
    var mail: [MailboxMessage] = []
    /// A message that could not be read and is still to be quarantined.
    var unread: (message: MailboxMessage, reason: Discard)?
    /// The mailbox's ids of messages that were read. The mailbox gets them when the effects of these messages are
    /// durable.
    var unreleased: [Text] = []
    /// Whether the messages that were read are released after the store operation that is in progress.
    var isReleasing = false
    /// The keys of inbound messages that are still to be stored.
    var unkeptKeys: [[UInt8]] = []
    /// Entries for the message book that are still to be stored, at most ``messagesLimit``.
    var unkeptMessages: [MessageEntry] = []
    /// Results of answers to questions that are still to be stored, at most ``messagesLimit``.
    var unkeptAnswers: [AnswerChange] = []
    /// The ids of the questions that an operator has answered in this run, newest last, at most ``messagesLimit``.
    private var decided: [Text] = []
    /// Whether this run has reported to the mailbox that the handshake is complete.
    var reportsConnection = false
    /// The question whether the peer keeps messages for this gate; nil if it is not asked.
    var mediation: MediationQuestion?
    /// The mailbox that the peer has granted over this connection, and the time until which the link still sends
    /// answers; nil if none was granted.
    var granted: (address: MailboxAddress, until: Instant)?
    private var unsent: Int?
    /// The monotonic time and the date of the present call.
    var now = Instant.zero
    var date = Timestamp(seconds: 0)

    /// Creates a link for `connection`. It does nothing before ``Event/start(question:)``.
    init(_ connection: consuming AgentConnection, _ policy: Policy) {
        self.connection = connection
        self.policy = policy
    }

    /// The reason why the link has ended; nil while it runs. Before it ends, it handles all received messages and
    /// stores their entries in the message book. If the connection becomes the connection to a mailbox, the link
    /// first sends the waiting answers to questions, within a time limit, because a connection to a mailbox sends
    /// none.
    var end: End? {
        guard !isBusy, steps.isEmpty || isRetired else { return nil }
        if isRetired { return .retired }
        guard inbox.isEmpty, unkeptMessages.isEmpty, unkeptAnswers.isEmpty else { return nil }
        if isOver { return .ended }
        guard let granted, connection.unsent == 0 || connection.owed.isEmpty && now >= granted.until else { return nil }
        return .granted(granted.address)
    }

    /// Whether the last attempt to store the connection's state failed.
    var isStoreBroken: Bool { failed.contains(.state) }

    /// Whether the peer has ended the connection, or no connection request was ever answered.
    var isOver: Bool { connection.isEnded || connection.hasFailed }

    /// Whether reports can go over the connection.
    var carriesReports: Bool { connection.isComplete && granted == nil }

    /// Whether the handshake is complete and the connection has not ended.
    var isConnected: Bool { connection.isComplete && !isRetired }

    /// Whether further messages can be queued for the peer: the connection is connected and does not become the
    /// connection to a mailbox.
    var isOpen: Bool { isConnected && granted == nil && end == nil }

    /// Queues an operator's answer to a question of the message book. `uid`: the question's id there. Returns false
    /// if the answer is not queued: the question was answered before, too many answers wait, or the connection is not
    /// connected.
    mutating func answer(_ question: Message, _ uid: Text, _ response: Text, date: Timestamp) -> Bool {
        guard isOpen, inbox.count < connection.owedRoom, !decided.contains(uid),
            !connection.owed.contains(where: { $0.question == uid })
        else { return false }
        decided = decided.suffix(Self.messagesLimit - 1) + [uid]
        inbox.append(.respond(question, name: uid, response: response, at: date))
        return true
    }

    /// Queues the answers to the requests of an invitation. Returns false if they are not queued: the connection is
    /// not connected, or too many answers wait.
    mutating func answer(_ invitation: Invitation) -> Bool {
        guard isOpen, inbox.count < connection.answerRoom else { return false }
        inbox.append(.answer(invitation))
        return true
    }

    /// The time at which ``decide(at:date:)`` has something to do even without a further event; nil if there is none.
    var deadline: Instant? {
        guard hasStarted, !isBusy, end == nil else { return nil }
        let delivers = carriesReports && retryAt == nil && mediation?.isUnderWay != true
        // After this time limit, the link waits only for a result of the store or of a post, which are events.
        let limit = granted.flatMap { $0.until > now ? $0.until : nil }
        return [connection.deadline, delivers ? delivery?.deadline : nil, askDeadline, retryAt, limit]
            .compactMap(\.self).min()
    }

    /// Handles an event, also while the result of an action is awaited. The caller then calls ``decide(at:date:)``
    /// for the actions. After the end of the link, an event changes nothing.
    mutating func take(_ event: Event, at now: Instant) {
        self.now = now
        if end == nil { take(event) }
    }

    /// Returns the actions that are due, to be carried out in order. `date`: the machine's date. If there is no
    /// action, nothing is due before ``deadline``.
    mutating func decide(at now: Instant, date: Timestamp) -> [Action] {
        (self.now, self.date) = (now, date)
        while hasStarted, !isBusy, end == nil, advance() {}
        if connection.unsent != unsent {
            unsent = connection.unsent
            actions.append(.unsent(connection.unsent))
        }
        defer { actions = [] }
        return actions
    }

    /// Ends the link permanently: it sends and stores nothing more.
    mutating func stop() { (isRetired, steps) = (true, []) }

    private mutating func take(_ event: Event) {
        switch event {
        case .start(let question): start(question)
        case .wake: hasGrown = true
        case .retryNow:
            (retryAt, hasGrown) = (nil, true)
            inbox.append(.retryNow)
            pass(.retryNow)
        case .ask(let event): inbox.append(event)
        case .mail(let message): mail.append(message)
        default:
            isBusy = false
            takeResult(event)
        }
    }

    private mutating func takeResult(_ event: Event) {
        switch event {
        case .kept(let failure): kept(failure)
        case .answered(let id, let body): inbox.append(.answered(id, body: body))
        case .failed(let id, let failure):
            if failure != .unreachable, failure != .notStored { mediation?.failed(at: now) }
            inbox.append(.failed(id, failure))
        case .quarantined(let failure): quarantined(failure)
        case .tookOver(let result): tookOver(result)
        case .end(let result): looked(result)
        case .examined(let answer, let result): examined(answer, result)
        case .entries(let result): read(result)
        case .hash(let result, let position):
            note(.ledger, result)
            events.append(.hash((try? result.get()) ?? nil, at: position))
        case .confirmed(let result): confirmed(result)
        case .gaveUp(let failure):
            note(.ledger, failure)
            if failure == nil { hasGrown = true }
        default: break
        }
    }

    private mutating func start(_ question: Text?) {
        hasStarted = true
        inbox.insert(.start, at: 0)
        if let question, connection.reception == .returnRoute, policy.delivers, mediation == nil {
            mediation = MediationQuestion(
                id: question, allowsPlainHTTP: policy.allowsPlainHTTP, answerTime: policy.grant)
        }
        actions.append(.asksForMailbox(mediation != nil))
        guard connection.reception == .mailbox else { return }
        if connection.address != nil { actions.append(.open) }
        reportsConnection = false
        reportConnection()
    }

    /// Does one step. The order of precedence is: the remaining actions of the last event, waiting events, deadlines,
    /// messages from the mailbox, the next report. Returns false if there is nothing to do now.
    private mutating func advance() -> Bool {
        if let due = retryAt, now >= due { retryAt = nil }
        if !steps.isEmpty {
            switch steps.removeFirst() {
            case .connection(let action, let uid): perform(action, uid)
            case .delivery(let action): perform(action)
            }
            return true
        }
        if !inbox.isEmpty {
            steps = connection.handle(inbox.removeFirst(), at: now).map { .connection($0, uid: nil) }
            return true
        }
        if let deadline = connection.deadline, deadline <= now {
            inbox.append(.deadlineReached)
            return true
        }
        if let granted, granted.until <= now, !connection.owed.isEmpty {
            inbox.append(.dropOwed)
            return true
        }
        return read() || ask() || release() || deliver()
    }

    // MARK: - Actions

    /// Adds an action, and waits for its result before any other action with a result.
    mutating func begin(_ action: Action) {
        actions.append(action)
        isBusy = true
    }

    mutating func notice(_ notice: AgentNotice) { actions.append(.notice(notice)) }

    mutating func retire() {
        stop()
        notice(.retired)
    }

    /// Notes the result of an access to store or ledger: the failure, or success (nil). After a failure, neither is
    /// used for a while, unless `pauses` is false.
    mutating func note(_ access: Access, _ failure: StoreFailure?, pauses: Bool = true) {
        if let failure {
            failed.insert(access)
            notice(.storeFailed(failure.text))
            if pauses { retryAt = now.advanced(by: policy.retry) }
        } else if failed.remove(access) != nil, failed.isEmpty {
            notice(.stored)
        }
    }

    /// Notes the result of an access to store or ledger, like ``note(_:_:pauses:)``.
    mutating func note<Value>(_ access: Access, _ result: Result<Value, StoreFailure>) {
        if case .failure(let failure) = result { note(access, failure) } else { note(access, nil) }
    }

    /// Returns the keys of the inbound messages that are still to be stored, at most 1024.
    mutating func seenKeys() -> [[UInt8]] {
        unkeptKeys = (unkeptKeys + connection.takeSeen()).suffix(1024)
        return unkeptKeys
    }
}
