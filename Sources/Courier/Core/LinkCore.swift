import Aries
import DIDComm
import Encoding
import Ledger
import Mailboxes
import Store

/// The decisions of one link: in which order a connection's events, the messages from its mailbox and the reports to
/// its destination are handled, what is stored before what is sent, and when the connection is the active one.
///
/// A value without clock, I/O, randomness or task. Its driver, ``AgentLink``, carries out one action after the other
/// and returns the results as events. While the result of an action is awaited, no other such action is given out.
/// Here is the only queue: whatever arrives meanwhile is taken at once, and then has its turn before the next report.
/// Not copyable: its connection is not.
struct LinkCore: ~Copyable, Sendable {
    /// The settings of the link.
    struct Policy: Sendable {
        /// How the destination gets its reports.
        var reports = ReportSettings()
        /// Whether reports are delivered over this connection.
        var delivers = true
        /// Whether a mailbox without TLS may be granted.
        var allowsPlainHTTP = false
        /// How long an agent may take to say whether it keeps messages.
        var grant = MediationQuestion.answerTime
        /// The time until a ledger or database that failed is tried again.
        var retry = Duration.seconds(5)
    }

    /// An action of the connection or of the delivery that is not carried out yet.
    enum Step: Sendable {
        /// `uid`: the mailbox's id of the message that caused it.
        case connection(AgentConnection.Action, uid: Text?)
        case delivery(ReportDelivery.Action)
    }

    /// The number of messages for the message book that wait while the store fails. The newest are kept.
    static let messagesLimit = 64

    let policy: Policy
    var connection: AgentConnection
    /// Events that the connection has not handled yet.
    var inbox: [AgentConnection.Event] = []
    var steps: [Step] = []
    /// The actions that ``decide(at:date:)`` returns next.
    var actions: [Action] = []
    /// Whether the result of an action is awaited.
    var isBusy = false
    private var hasStarted = false
    var isStoreBroken = false
    /// The delivery of reports to the destination; nil before this connection becomes the active one.
    var delivery: ReportDelivery?
    /// Events that the delivery has not handled yet.
    var events: [ReportDelivery.Event] = []
    /// The message that the delivery wants to send next.
    var next: OutboundMessage?
    /// Confirmations that are not durable yet, in order.
    var unkept: [Confirmation] = []
    /// The positions of entries that the peer refuses, until the cursor has passed them.
    var passedOver: [Int] = []
    /// Whether the ledger may have grown.
    var hasGrown = false
    var isRetired = false
    /// The time before which store and ledger are not used again after a failure.
    var retryAt: Instant?
    /// Messages from the mailbox that are not read yet.
    var mail: [MailboxMessage] = []
    /// The message that could not be read and is not quarantined yet.
    var unread: (message: MailboxMessage, reason: Discard)?
    /// The ids of messages that were read. They are released once their effects are durable.
    var unreleased: [Text] = []
    /// Whether the state that is being stored releases messages.
    var isReleasing = false
    /// Keys of messages that were seen and are not durable yet.
    var unkeptKeys: [[UInt8]] = []
    /// Messages for the message book that are not durable yet, at most ``messagesLimit``.
    var unkeptMessages: [MessageEntry] = []
    /// Results of answers to questions that are not durable yet, at most ``messagesLimit``.
    var unkeptAnswers: [AnswerChange] = []
    /// The questions that an operator has answered in this run, newest last, at most ``messagesLimit``.
    private var decided: [Text] = []
    /// Whether this run has reported to the mailbox that the connection is connected.
    var reportsConnection = false
    /// The question whether the peer keeps messages for this gate; nil if it is not asked.
    var mediation: MediationQuestion?
    /// The mailbox that the peer has granted over this connection, and the time until which answers are still sent.
    var granted: (address: MailboxAddress, until: Instant)?
    private var unsent: Int?
    /// The time of the present call, and the date.
    var now = Instant.zero
    var date = Timestamp(seconds: 0)

    /// Creates a link for `connection`. Nothing happens before ``Event/start(question:)``.
    init(_ connection: consuming AgentConnection, _ policy: Policy) {
        self.connection = connection
        self.policy = policy
    }

    /// Why the link has ended; nil while it runs. Before the end, all received messages are handled, and their entries
    /// in the message book are durable. If the connection is to lead to a mailbox from then on, its answers to
    /// questions are sent before the end, within a time limit, because a mailbox's own connection sends none.
    var end: End? {
        guard !isBusy, steps.isEmpty || isRetired else { return nil }
        if isRetired { return .retired }
        guard inbox.isEmpty, unkeptMessages.isEmpty, unkeptAnswers.isEmpty else { return nil }
        if isOver { return .ended }
        guard let granted, connection.unsent == 0 || connection.owed.isEmpty && now >= granted.until else { return nil }
        return .granted(granted.address)
    }

    /// Whether the peer has ended the connection, or never answered the connection request.
    var isOver: Bool { connection.isEnded || connection.hasFailed }

    /// Whether reports can go over the connection.
    var carriesReports: Bool { connection.isComplete && granted == nil }

    /// Whether the handshake is complete and neither side has ended the connection.
    var isConnected: Bool { connection.isComplete && !isRetired }

    /// Whether the link takes more to send: the connection is connected and will not lead to a mailbox.
    var isOpen: Bool { isConnected && granted == nil && end == nil }

    /// Takes an operator's answer to the question that the message book has as `uid`, unless it was answered before,
    /// too many answers wait, or there is no connected peer. Returns whether the answer was taken.
    mutating func answer(_ question: Message, _ uid: Text, _ response: Text, date: Timestamp) -> Bool {
        guard isOpen, inbox.count < connection.owedRoom, !decided.contains(uid),
            !connection.owed.contains(where: { $0.question == uid })
        else { return false }
        decided = decided.suffix(Self.messagesLimit - 1) + [uid]
        inbox.append(.respond(question, name: uid, response: response, at: date))
        return true
    }

    /// Takes the requests of an invitation, unless there is no connected peer or too many answers wait. Returns whether
    /// they were taken.
    mutating func answer(_ invitation: Invitation) -> Bool {
        guard isOpen, inbox.count < connection.answerRoom else { return false }
        inbox.append(.answer(invitation))
        return true
    }

    /// When ``decide(at:date:)`` has something to do without a further event; nil: never.
    var deadline: Instant? {
        guard hasStarted, !isBusy, end == nil else { return nil }
        let delivers = carriesReports && retryAt == nil && mediation?.isUnderWay != true
        // After its time limit a grant waits for other things only: the store, or the end of a post.
        let limit = granted.flatMap { $0.until > now ? $0.until : nil }
        return [connection.deadline, delivers ? delivery?.deadline : nil, askDeadline, retryAt, limit]
            .compactMap(\.self).min()
    }

    /// Takes an event, also while the result of an action is awaited. ``decide(at:date:)`` returns what follows. An end
    /// is final: later events change nothing.
    mutating func take(_ event: Event, at now: Instant) {
        self.now = now
        if end == nil { take(event) }
    }

    /// Does what is due. `date`: the machine's date. The actions are to be carried out in order; if there is none,
    /// nothing is due before ``deadline``.
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

    /// Ends the link permanently: it sends and stores nothing any more.
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
        case .hash(.success(let hash), let position): events.append(.hash(hash, at: position))
        case .hash(.failure(let failure), let position):
            storeFailed(failure)
            events.append(.hash(nil, at: position))
        case .confirmed(let result): confirmed(result)
        case .gaveUp(nil): hasGrown = true
        case .gaveUp(let failure?): storeFailed(failure)
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

    /// Does the next thing, in this order: the rest of a list of actions, pending events, deadlines, messages from the
    /// mailbox, and the next report. Returns false if there is nothing to do now.
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

    /// Gives out an action whose result is awaited.
    mutating func begin(_ action: Action) {
        actions.append(action)
        isBusy = true
    }

    mutating func notice(_ notice: AgentNotice) { actions.append(.notice(notice)) }

    mutating func retire() {
        stop()
        notice(.retired)
    }

    mutating func storeFailed(_ failure: StoreFailure) {
        notice(.storeFailed(failure.text))
        retryAt = now.advanced(by: policy.retry)
    }

    /// Returns the keys of the messages that were seen and are not durable yet.
    mutating func seenKeys() -> [[UInt8]] {
        unkeptKeys = (unkeptKeys + connection.takeSeen()).suffix(1024)
        return unkeptKeys
    }
}
