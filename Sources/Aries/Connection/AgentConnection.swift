package import DIDComm
package import Encoding

/// One connection to a cloud agent: the handshake by its invitation, and the messages of both directions, over HTTP
/// with return-route or through a mailbox. It carries reports; ``ReportDelivery`` chooses them.
///
/// It is a state machine without clock, network or storage. Its input is events and the time, and its output
/// is actions. At most one post is under way. Every post that depends on new state follows the
/// ``Action/persist(_:)`` of that state: after a crash the connection has every key that a post has named, and may
/// repeat a message.
/// Not copyable: a copy would repeat the random stream.
package struct AgentConnection: ~Copyable, Sendable {
    /// The gate's id for the connection.
    package let id: Text
    /// The invitation by which the connection is made.
    package let invitation: Invitation
    /// How messages that do not answer a post reach the gate.
    package internal(set) var reception: Reception
    /// The service that the handshake is sent to.
    let inviter: Service
    let configuration: Configuration
    var keys: KeyPair
    var phase: Phase
    var random: RandomStream
    var backoff = Backoff()
    var exchange: Exchange?
    /// Answers and silent pings, oldest first, until the peer's server accepts or refuses them.
    var waiting: [JSON] = []
    /// The answers to questions that were decided by an operator or need a signature, oldest first.
    package internal(set) var owed: [OwedAnswer] = []
    var allowance: AnswerAllowance
    /// The message that is delivered next.
    var message: OutboundMessage?
    /// Whether the last post was a delivery that failed.
    var isPutBack = false
    var seen: SeenMessages
    /// The question whether the inviter accepts this connection for another invitation.
    var reuse: HandshakeReuse?
    var lastExchange: ExchangeID = 0
    var heartbeatAt: Instant?
    /// The ids of the gate's pings that expect an answer, newest last.
    var openPings: [Text] = []
    /// The number of consecutive pings that were sent only to fetch queued messages.
    var drains = 0
    var problemReportedAt: Instant?
    var contact = Reachability()
    /// Whether the present state was handed out for storing. This is assumed to succeed until a failure is
    /// reported.
    var isStored: Bool
    /// Keys of earlier attempts. They stay usable, because late answers may wait in a mailbox.
    var earlier = EarlierKeys()
    /// When the address for the connection's present key is requested again; nil before the first request.
    var askAddressAt: Instant?
    /// How often every form of the request was tried without an answer.
    var rounds = 0
    /// When to look in the mailbox for an awaited answer, and the pause after that.
    var lookAt: Instant?
    /// Until when an answer to the last delivered message is awaited.
    var awaitsAnswerUntil: Instant?
    var lookPause = Duration.zero
    /// The time of the last event.
    var now = Instant.zero

    /// How messages that do not answer a post reach a connection.
    package enum Reception: Hashable, Sendable {
        /// The gate cannot be reached: only answers to its own posts arrive (RFC 0092).
        case returnRoute
        /// Messages arrive through a mailbox, whose address ``Event/address(_:for:)`` reports.
        case mailbox
        /// The connection leads to a mailbox: the owner of the connection fetches the waiting messages.
        case leadsToMailbox
    }

    /// The state of a connection.
    enum Phase: Sendable {
        case handshaking(Attempt)
        case connected(Established)
        /// The peer ended the connection.
        case ended
        /// No request was answered, and none is sent any more.
        case failed
    }

    /// One attempt of one handshake, with its own keys.
    struct Attempt: Sendable {
        /// The handshake of this attempt.
        var handshake: Invitation.Handshake
        /// The id of the request. It is the thread of the handshake.
        var thread: Text
        /// How often the request may have arrived.
        var sendings = 0
        /// The time limit for the response; set once the request was accepted.
        var answerBy: Instant?
        /// The address for messages to this attempt's key; nil until the mailbox reports it.
        var address: MailboxAddress?
    }

    /// A connection whose response was verified.
    struct Established: Sendable {
        var peer: Peer
        /// The handshake; nil for a connection of an invitation without one.
        var handshake: Invitation.Handshake?
        /// The id of the request. It is the thread of the handshake.
        var thread: Text
        /// The id of the closing message (`complete` or `ack`) until it was sent.
        var confirmation: Text?
        /// The address for messages that the peer was given.
        var address: MailboxAddress
        /// The peer under its next DID. Its address is used once the gate's acknowledgement has reached the
        /// old address.
        var next: NextPeer?
        /// The peer's previous key. It is accepted until the first message under the peer's new key.
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

    /// A post under way.
    struct Exchange: Sendable {
        var id: ExchangeID
        var purpose: Purpose
        var until: Instant
    }

    /// Creates a connection for `invitation`. Nothing happens before ``Event/start``, and with a mailbox
    /// nothing is sent before ``Event/address(_:for:)``. If the invitation offers no handshake, the connection is
    /// complete from the start: it leads to the service in the invitation, and answers the attached requests.
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
                // The inviter learns only the key, so its messages cannot reach a mailbox.
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

    /// Whether the last post reached the peer. The value is true before the first post.
    package var isReachable: Bool { !contact.isBroken }

    /// Returns the id of another message that the connection is to deliver.
    package mutating func newMessageID() -> Text { Message.newID(&random) }

    /// The peer; nil unless the handshake is complete and the connection has not ended.
    package var peer: Peer? { if case .connected(let established) = phase { established.peer } else { nil } }

    /// Whether the handshake is complete and its closing message was sent.
    package var isComplete: Bool {
        if case .connected(let established) = phase { established.confirmation == nil } else { false }
    }

    /// The gate's public key in this connection.
    package var verkey: Verkey { keys.verkey }

    /// The gate's key pair, for a mailbox that requires proof of ownership.
    package var keyPair: KeyPair { keys }

    /// The address at which the peer leaves messages for the gate; nil before a mailbox has reported it.
    package var address: MailboxAddress? {
        switch phase {
        case .handshaking(let attempt): attempt.address
        case .connected(let established): established.address
        case .ended, .failed: nil
        }
    }

    /// Whether the peer ended the connection.
    package var isEnded: Bool { if case .ended = phase { true } else { false } }

    /// Whether the handshake was given up, because no request was answered in ``Limits/rounds`` rounds.
    package var hasFailed: Bool { if case .failed = phase { true } else { false } }

    /// Whether the connection answers the requests of an invitation that offers no handshake. The inviter does not know
    /// this gate, so nothing else is sent over it.
    package var isOneTime: Bool { invitation.handshakes.isEmpty }

    /// The number of answers that wait to be sent.
    package var unsent: Int { waiting.count + owed.count }

    /// Whether ``Event/deliver(_:)`` accepts a message.
    package var wantsMessage: Bool { peer != nil && message == nil }

    /// How many more answers and ``Event/tell(code:explanation:)`` events are accepted before the peer's
    /// server accepts some of the waiting answers.
    package var answerRoom: Int { peer == nil ? 0 : max(0, configuration.limits.waitingAnswers - waiting.count) }

    /// How many more answers to questions are accepted now.
    package var owedRoom: Int { peer == nil ? 0 : max(0, configuration.limits.waitingAnswers - owed.count) }

    /// Returns the keys of the messages seen since the last call. The caller must store these keys with the next
    /// commit.
    package mutating func takeSeen() -> [[UInt8]] { seen.takeFresh() }

    /// Handles one event. The actions are to be carried out in order.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        var actions: [Action] = []
        self.now = now
        earlier.expire(at: now)
        switch event {
        case .start:
            exchange = nil  // whatever was under way when an earlier run was cut off
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
            // The requests come once.
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

    /// When ``Event/deadlineReached`` is due; nil if only other events have an effect.
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

    /// Handles the address at which the mailbox accepts messages for `key`. A different address requires a
    /// new attempt with new keys, because no peer knows such keys yet.
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

    /// Makes a restored connection use the gate's mailbox, if its handshake is under way without it. The inviter may
    /// know that the present key has no address, so a new request is sent for a new key. Call it before
    /// ``Event/start``: nothing is sent before the new state was stored.
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

    /// Whether an answer of the peer is awaited that may arrive in the mailbox: to the request of the handshake, to
    /// a ping, to the question about reuse, or to a delivered message.
    private var isAwaited: Bool {
        switch phase {
        case .handshaking(let attempt): attempt.answerBy != nil
        case .connected: !openPings.isEmpty || reuse != nil || awaitsAnswerUntil != nil
        case .ended, .failed: false
        }
    }

    /// Looks in the mailbox for an awaited answer, at growing intervals.
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
