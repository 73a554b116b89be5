package import DIDComm
package import Encoding

/// One connection to a cloud agent, from the invitation to delivered reports, over HTTP with return-route.
///
/// A state machine without clock, network or storage: events and the time go in, actions come out. At most one post is
/// under way. Every post that depends on new state follows the ``Action/persist(_:)`` of that state, so a crash at any
/// point repeats a message and never forgets a key. Not copyable: a copy would repeat the random stream.
package struct AgentConnection: ~Copyable, Sendable {
    /// Our own name for the connection.
    package let id: Text
    /// The invitation that it answers.
    package let invitation: Invitation
    /// Where the handshake is sent.
    let inviter: Service
    let configuration: Configuration
    var keys: KeyPair
    var phase: Phase
    var random: RandomStream
    var backoff = Backoff()
    var exchange: Exchange?
    /// Answers and pings waiting to be sent, oldest first.
    var waiting: [JSON] = []
    var allowance: AnswerAllowance
    /// What is to be delivered next.
    var message: OutboundMessage?
    var seen: SeenMessages
    /// Asking whether this connection will do for another invitation.
    var reuse: HandshakeReuse?
    var lastExchange: ExchangeID = 0
    var heartbeatAt: Instant?
    /// Ids of our pings that want an answer, newest last.
    var openPings: [Text] = []
    /// Pings sent in a row only to fetch queued messages.
    var drains = 0
    var problemReportedAt: Instant?
    var isReachable: Bool?
    /// Whether the present state was handed out for storing, as far as we know with success.
    var isStored: Bool

    /// Where a connection stands.
    enum Phase: Sendable {
        case handshaking(Attempt)
        case connected(Established)
        case ended
    }

    /// One try of one handshake with keys of its own.
    struct Attempt: Sendable {
        /// Which handshake.
        var handshake: Invitation.Handshake
        /// The request's id.
        var thread: Text
        /// How often the request may have arrived.
        var sendings = 0
        /// Set once the request was taken: when to give up waiting for the response.
        var answerBy: Instant?
    }

    /// A connection whose response was verified.
    struct Established: Sendable {
        var peer: Peer
        var handshake: Invitation.Handshake
        /// The request's id.
        var thread: Text
        /// The id of the closing message (`complete` or `ack`) until that was sent.
        var confirmation: Text?
        /// Where the peer is from the moment on that its old place has our acknowledgement.
        var next: NextPeer?
        /// The key that the peer had before, until the first message under its new one.
        var former: Verkey?
    }

    /// A peer that has announced another DID.
    struct NextPeer: Sendable {
        /// Who it will be.
        var peer: Peer
        /// The thread of its announcement.
        var thread: Text
    }

    /// What a post carries.
    enum Purpose: Sendable {
        case request, confirmation, rotation, answer
        case ping(Text)
        case delivery(Text)
    }

    /// A post under way.
    struct Exchange: Sendable {
        var id: ExchangeID
        var purpose: Purpose
        var until: Instant
    }

    /// A new connection for `invitation`; nothing happens before ``Event/start``.
    package init(
        id: Text, invitation: Invitation, configuration: Configuration, random: consuming RandomStream
    ) throws(InvitationError) {
        guard let handshake = invitation.handshakes.first else { throw .noHandshake }
        let inviter = try invitation.service()
        guard let keys = KeyPair(seed: random.drawSecret(32)) else { throw .badKey }
        let attempt = Attempt(handshake: handshake, thread: Self.newID(&random))
        self.init(
            id: id, invitation: invitation, inviter: inviter, configuration: configuration, keys: keys,
            phase: .handshaking(attempt), seen: [], isStored: false, random: random)
    }

    init(
        id: Text, invitation: Invitation, inviter: Service, configuration: Configuration, keys: KeyPair, phase: Phase,
        seen: [[UInt8]], isStored: Bool, random: consuming RandomStream
    ) {
        (self.id, self.invitation, self.inviter, self.configuration) = (id, invitation, inviter, configuration)
        (self.keys, self.phase, self.isStored) = (keys, phase, isStored)
        self.seen = SeenMessages(capacity: configuration.limits.rememberedIDs, seen)
        allowance = AnswerAllowance(
            burst: configuration.limits.answerBurst, interval: configuration.limits.answerInterval)
        self.random = random
    }

    static func newID(_ random: inout RandomStream) -> Text { Text(RandomUUID.text(random.draw(16)) ?? "") }

    /// The peer once the handshake is done.
    package var peer: Peer? { if case .connected(let established) = phase { established.peer } else { nil } }

    /// Whether the handshake is done and its closing message was sent.
    package var isComplete: Bool {
        if case .connected(let established) = phase { established.confirmation == nil } else { false }
    }

    /// Our key in this connection.
    package var verkey: Verkey { keys.verkey }

    /// Whether the peer ended the connection.
    package var isEnded: Bool { if case .ended = phase { true } else { false } }

    /// Whether a message would be taken by ``Event/deliver(_:)``.
    package var wantsMessage: Bool { peer != nil && message == nil }

    /// The keys of the messages seen since this was called last: to be remembered with the next commit.
    package mutating func takeSeen() -> [[UInt8]] { seen.takeFresh() }

    /// Takes one event; the actions are to be done in order.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .start:
            exchange = nil  // whatever was under way when an earlier run was cut off
            if peer != nil { heartbeatAt = now }
        case .deliver(let next):
            if message == nil { message = next }
        case .tell(let code, let explanation):
            let id = Self.newID(&random)
            if peer != nil {
                answer(Notice.problem(invitation.prefix, id: id, thread: id, code: code, explanation: explanation))
            }
        case .answered(let id, let body): actions = answered(id, body, at: now)
        case .failed(let id, let failure): actions = failed(id, failure, at: now)
        case .received(let bytes): actions = receive(bytes, at: now)
        case .reuse(let invitation): actions = beginReuse(of: invitation, at: now)
        case .answer(let invitation): if peer != nil { answerRequests(of: invitation) }
        case .ping:
            if peer != nil { heartbeatAt = now }
        case .retryNow: backoff.permitNow()
        case .deadlineReached:
            if let exchange, now >= exchange.until { actions = failed(exchange.id, .uncertain, at: now) }
            if let until = reuse?.until, now >= until { actions += continueReuse(at: now) }
        }
        return actions + advance(at: now)
    }

    /// When ``Event/deadlineReached`` is due; nil while only other events can bring anything.
    package var deadline: Instant? {
        [exchangeDeadline, reuse?.until].compactMap(\.self).min()
    }

    private var exchangeDeadline: Instant? {
        if let exchange { return exchange.until }
        switch phase {
        case .handshaking(let attempt): return attempt.answerBy ?? backoff.until
        case .connected(let established):
            if established.confirmation != nil || established.next != nil || message != nil { return backoff.until }
            let due = [heartbeatAt, waiting.isEmpty ? nil : allowance.next].compactMap { $0 }.min()
            return due.map { max($0, backoff.until ?? $0) }
        case .ended: return nil
        }
    }

    mutating func persist() -> Action {
        isStored = true
        return .persist(snapshot)
    }
}
