package import DIDComm
package import Encoding

/// One connection to a cloud agent: the handshake of its invitation, and the messages in both directions, over HTTP
/// with return-route or through a mailbox. The connection carries reports; ``ReportDelivery`` determines which.
///
/// The connection is a state machine without clock, network or storage. Its input is events and the time, its output is
/// actions. At most one HTTP post is under way. If a post depends on new state, ``Action/persist(_:)`` stores that
/// state before the post. So after a crash the connection still has every key that it has sent to the peer; it may send
/// a message twice.
///
/// The type is not copyable, because a copy would draw the same random bytes again.
package struct AgentConnection: ~Copyable, Sendable {
    /// The gate's id for the connection.
    package let id: Text
    /// The invitation that started the connection.
    package let invitation: Invitation
    /// How messages that are not the response to a post reach the gate.
    package internal(set) var reception: Reception
    /// The service to which the gate sends the messages of the handshake.
    let inviter: Service
    let configuration: Configuration
    var keys: KeyPair
    var phase: Phase
    var random: RandomStream
    var backoff = Backoff()
    var exchange: Exchange?
    /// Answers, and pings that ask for no response, oldest first. Each is removed when the peer's server accepts or
    /// refuses it.
    var waiting: [JSON] = []
    /// The answers to questions that an operator decided or that need a signature, oldest first.
    package internal(set) var owed: [OwedAnswer] = []
    var allowance: AnswerAllowance
    /// The message to deliver next; nil if there is none.
    var message: OutboundMessage?
    /// Whether the last post was a delivery that failed. If so, another message is sent before it is repeated.
    var isPutBack = false
    var seen: SeenMessages
    /// The open question whether the inviter accepts this connection for another invitation; nil if none is open.
    var reuse: HandshakeReuse?
    var lastExchange: ExchangeID = 0
    var heartbeatAt: Instant?
    /// The ids of the gate's pings that expect an answer, newest last.
    var openPings: [Text] = []
    /// The number of pings in a row that only fetched messages queued by the peer.
    var drains = 0
    var problemReportedAt: Instant?
    var contact = Reachability()
    /// Whether a ``Action/persist(_:)`` with the present state was returned. Storing counts as successful until a post
    /// fails with ``ExchangeFailure/notStored``.
    var isStored: Bool
    /// The keys of earlier attempts. They remain usable, because answers to these attempts may still be in the mailbox.
    var earlier = EarlierKeys()
    /// When the connection asks again for a mailbox address for its present key; nil before it has asked.
    var askAddressAt: Instant?
    /// How often every form of the handshake's request was tried without an answer.
    var rounds = 0
    /// When the connection next looks in the mailbox for an awaited answer; nil if it awaits none.
    var lookAt: Instant?
    /// The time until which the connection awaits the peer's answer to the last delivered message; nil if it awaits
    /// none.
    var awaitsAnswerUntil: Instant?
    var lookPause = Duration.zero
    /// The time of the last event.
    var now = Instant.zero

    /// How messages that are not the response to a post reach a connection.
    package enum Reception: Hashable, Sendable {
        /// The gate cannot be reached. Messages arrive only in the responses to its own posts (RFC 0092).
        case returnRoute
        /// Messages arrive through a mailbox, whose address ``Event/address(_:for:)`` reports.
        case mailbox
        /// The peer of the connection is itself a mailbox. The owner of the connection fetches the messages that wait
        /// there.
        case leadsToMailbox
    }

    /// The state of a connection.
    enum Phase: Sendable {
        case handshaking(Attempt)
        case connected(Established)
        /// The peer ended the connection.
        case ended
        /// The connection was given up (``hasFailed``). Nothing more is sent.
        case failed
    }

    /// One attempt at a handshake, with its own keys.
    struct Attempt: Sendable {
        /// The handshake of this attempt.
        var handshake: Invitation.Handshake
        /// The id of the handshake's request, which is also the thread id of the handshake.
        var thread: Text
        /// The number of posts of the request that may have reached the inviter.
        var sendings = 0
        /// The time limit for the inviter's response; nil before the inviter's server has accepted the request.
        var answerBy: Instant?
        /// The address at which the mailbox accepts messages for this attempt's key; nil until the mailbox has reported
        /// the address.
        var address: MailboxAddress?
    }

    /// The state of a connection after the inviter's response was verified.
    struct Established: Sendable {
        var peer: Peer
        /// The completed handshake; nil if the invitation offers no handshake.
        var handshake: Invitation.Handshake?
        /// The id of the handshake's request, which is also the thread id of the handshake.
        var thread: Text
        /// The id of the handshake's closing message (`complete` or `ack`); nil once that message was sent.
        var confirmation: Text?
        /// The address for messages to the gate, as the peer knows it.
        var address: MailboxAddress
        /// The peer under the new DID that it has announced; nil without an announcement. The gate uses its address
        /// once the old address has accepted the gate's acknowledgement.
        var next: NextPeer?
        /// The peer's previous key; nil if there is none. Messages from this key are accepted until the first message
        /// from the new key arrives.
        var former: Verkey?
    }

    /// A peer that has announced another DID.
    struct NextPeer: Sendable {
        /// The peer under its new DID.
        var peer: Peer
        /// The thread id of the peer's announcement of its new DID.
        var thread: Text
    }

    /// The purpose of a post.
    enum Purpose: Sendable {
        case request, confirmation, rotation, reuse, answer, owed
        case ping(Text)
        case delivery(Text)
    }

    /// A post whose result is awaited.
    struct Exchange: Sendable {
        var id: ExchangeID
        var purpose: Purpose
        var until: Instant
    }

    /// Creates a connection for `invitation`. The connection does nothing before ``Event/start``. If it has a mailbox,
    /// it sends nothing before ``Event/address(_:for:)``. If the invitation offers no handshake, the connection is
    /// complete from the start: it sends the answers to the attached requests to the service in the invitation.
    package init(
        id: Text, invitation: Invitation, reception: Reception = .returnRoute, configuration: Configuration,
        random: consuming RandomStream
    ) throws(InvitationError) {
        let inviter = try invitation.service()
        guard let keys = KeyPair(seed: random.drawSecret(32)) else { throw .badKey }
        let thread = Message.newID(&random)
        let handshake = invitation.handshakes.first
        let phase: Phase =
            if let handshake {
                .handshaking(
                    Attempt(handshake: handshake, thread: thread, address: reception == .mailbox ? nil : .queue))
            } else {
                // Without a handshake the inviter learns only the gate's key and no address, so the inviter's messages
                // cannot reach a mailbox.
                .connected(
                    Established(peer: Peer(did: "", service: inviter), handshake: nil, thread: thread, address: .queue))
            }
        self.init(
            id: id, invitation: invitation, reception: handshake == nil ? .returnRoute : reception, inviter: inviter,
            configuration: configuration, keys: keys, phase: phase, seen: [], isStored: false, random: random)
        if handshake == nil { answerRequests(of: invitation) }
    }

    init(
        id: Text, invitation: Invitation, reception: Reception, inviter: Service, configuration: Configuration,
        keys: KeyPair, phase: Phase, seen: [[UInt8]], isStored: Bool, random: consuming RandomStream
    ) {
        (self.id, self.invitation, self.inviter, self.configuration) = (id, invitation, inviter, configuration)
        self.reception = reception
        (self.keys, self.phase, self.isStored) = (keys, phase, isStored)
        self.seen = SeenMessages(capacity: configuration.limits.rememberedIDs, seen)
        allowance = AnswerAllowance(
            burst: configuration.limits.answerBurst, interval: configuration.limits.answerInterval)
        self.random = random
    }

    /// Whether the last post reached the peer; true before the first post.
    package var isReachable: Bool { !contact.isBroken }

    /// Returns a new message id, for a message that the caller wants to deliver over the connection.
    package mutating func newMessageID() -> Text { Message.newID(&random) }

    /// The peer; nil while the handshake is not complete, and after the connection has ended or failed.
    package var peer: Peer? { if case .connected(let established) = phase { established.peer } else { nil } }

    /// Whether the handshake is complete and its closing message was sent.
    package var isComplete: Bool {
        if case .connected(let established) = phase { established.confirmation == nil } else { false }
    }

    /// The gate's public key in this connection.
    package var verkey: Verkey { keys.verkey }

    /// The gate's key pair. A mailbox may require a proof that the gate owns the key.
    package var keyPair: KeyPair { keys }

    /// The address to which the peer sends messages for the gate; nil before the mailbox has reported the address, and
    /// after the connection has ended or failed.
    package var address: MailboxAddress? {
        switch phase {
        case .handshaking(let attempt): attempt.address
        case .connected(let established): established.address
        case .ended, .failed: nil
        }
    }

    /// Whether the peer ended the connection.
    package var isEnded: Bool { if case .ended = phase { true } else { false } }

    /// Whether the connection was given up: no request of the handshake was answered in ``Limits/rounds`` rounds, or
    /// the answers of a one-time connection could not be sent.
    package var hasFailed: Bool { if case .failed = phase { true } else { false } }

    /// Whether the connection only answers the requests of an invitation that offers no handshake. The inviter does not
    /// know this gate, so the gate sends nothing but these answers.
    package var isOneTime: Bool { invitation.handshakes.isEmpty }

    /// The number of answers that wait to be sent.
    package var unsent: Int { waiting.count + owed.count }

    /// Whether the connection accepts a message by ``Event/deliver(_:)`` now.
    package var wantsMessage: Bool { peer != nil && message == nil }

    /// How many more answers and ``Event/tell(code:explanation:)`` events the connection accepts now. The number grows
    /// when the peer's server accepts waiting answers. 0 while there is no peer.
    package var answerRoom: Int { peer == nil ? 0 : max(0, configuration.limits.waitingAnswers - waiting.count) }

    /// How many more answers to questions the connection accepts now; 0 while there is no peer.
    package var owedRoom: Int { peer == nil ? 0 : max(0, configuration.limits.waitingAnswers - owed.count) }

    /// Returns the 8-byte keys of the messages that arrived since the last call. The caller must store them with its
    /// next commit.
    package mutating func takeSeen() -> [[UInt8]] { seen.takeFresh() }

    /// Handles one event and returns actions, which the driver must carry out in order.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        var actions: [Action] = []
        self.now = now
        earlier.expire(at: now)
        switch event {
        case .start:
            exchange = nil  // the result of an earlier run's post is unknown
            askAddressAt = nil
            if peer != nil, !isOneTime { heartbeatAt = now }
        case .deliver(let next):
            if message == nil { message = next }
        case .withdraw(let id): if message?.id == id { message = nil }
        case .tell(let code, let explanation):
            let id = Message.newID(&random)
            if peer != nil {
                answer(Notice.problem(invitation.prefix, id: id, thread: id, code: code, explanation: explanation))
            }
        case .answered(let id, let body): actions = answered(id, body, at: now)
        case .failed(let id, let failure): actions = failed(id, failure, at: now)
        case .received(let bytes): actions = receive(bytes, at: now)
        case .reuse(let invitation): actions = beginReuse(of: invitation, at: now)
        case .answer(let invitation):
            guard peer != nil else { break }
            answerRequests(of: invitation)
            // An invitation's requests arrive only once, so their answers are stored.
            if storesAnswers, !waiting.isEmpty { actions = [persist()] }
        case .respond(let question, let name, let response, let date):
            actions = respond(to: question, name, response, at: date)
        case .dropOwed: if !owed.isEmpty { actions = dropOwed() + [persist()] }
        case .address(let address, let key): actions = take(address, for: key, at: now)
        case .keyRefused(let key):
            if key == keys.verkey, case .handshaking(let attempt) = phase {
                actions = nextAttempt(after: attempt, at: now)
            }
        case .ping:
            if peer != nil { heartbeatAt = now }
        case .retryNow: backoff.permitNow()
        case .deadlineReached:
            if let exchange, now >= exchange.until { actions = failed(exchange.id, .uncertain, at: now) }
            if let until = reuse?.until, now >= until { actions += continueReuse(at: now) }
        }
        return actions + advance(at: now) + look(at: now)
    }

    /// When the driver must send ``Event/deadlineReached``; nil if only other events have an effect.
    package var deadline: Instant? {
        [exchangeDeadline, reuse?.until].compactMap(\.self).min()
    }

    private var exchangeDeadline: Instant? {
        if let exchange { return exchange.until }
        return [lookAt, sendingDeadline].compactMap(\.self).min()
    }

    private var sendingDeadline: Instant? {
        switch phase {
        case .handshaking(let attempt):
            return attempt.answerBy ?? [askAddressAt, backoff.until].compactMap(\.self).max()
        case .connected(let established):
            if established.confirmation != nil || message != nil { return backoff.until }
            let hasAnswer = established.next != nil || unsent > 0
            let due = [heartbeatAt, hasAnswer ? allowance.next : nil].compactMap { $0 }.min()
            return due.map { max($0, backoff.until ?? $0) }
        case .ended, .failed: return nil
        }
    }

    /// Handles the address at which the mailbox accepts messages for `key`. If the attempt already has a different
    /// address, a new attempt with new keys begins, because no peer knows those keys yet.
    private mutating func take(_ address: MailboxAddress, for key: Verkey, at now: Instant) -> [Action] {
        guard reception == .mailbox, key == keys.verkey, case .handshaking(var attempt) = phase,
            attempt.address != address
        else { return [] }
        if attempt.address != nil { return nextAttempt(after: attempt, at: now) }
        attempt.address = address
        phase = .handshaking(attempt)
        (isStored, askAddressAt) = (false, nil)
        return []
    }

    /// Lets a restored connection whose handshake is under way without a mailbox use the gate's mailbox. The inviter
    /// may have stored that the present key has no address, so the handshake starts again with a new key. Call this
    /// method before ``Event/start``: the new state is stored before anything is sent.
    package mutating func useMailbox() {
        guard reception == .returnRoute, case .handshaking(let attempt) = phase,
            let fresh = KeyPair(seed: random.drawSecret(32))
        else { return }
        (reception, keys, isStored) = (.mailbox, fresh, false)
        phase = .handshaking(
            Attempt(
                handshake: invitation.handshakes.first ?? attempt.handshake, thread: Message.newID(&random),
                address: nil))
    }

    /// Whether the connection awaits an answer of the peer that may arrive in the mailbox: the answer to the
    /// handshake's request, to a ping, to the reuse question, or to a delivered message.
    private var isAwaited: Bool {
        switch phase {
        case .handshaking(let attempt): attempt.answerBy != nil
        case .connected: !openPings.isEmpty || reuse != nil || awaitsAnswerUntil != nil
        case .ended, .failed: false
        }
    }

    /// Looks in the mailbox at growing intervals while an answer is awaited.
    private mutating func look(at now: Instant) -> [Action] {
        if let until = awaitsAnswerUntil, now >= until { awaitsAnswerUntil = nil }
        guard !isDeaf, isAwaited, exchange == nil else {
            if !isAwaited { (lookAt, lookPause) = (nil, .zero) }
            return []
        }
        if let due = lookAt, now < due { return [] }
        let isFirst = lookAt == nil
        lookPause = min(max(lookPause * 2, configuration.limits.firstLook), configuration.limits.longestLook)
        lookAt = now.advanced(by: lookPause)
        return isFirst ? [] : [.fetch]
    }

    mutating func persist() -> Action {
        isStored = true
        return .persist(snapshot)
    }
}
