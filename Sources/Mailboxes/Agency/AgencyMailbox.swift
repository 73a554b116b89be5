import Aries
package import DIDComm
package import Encoding

/// A mailbox at an agency. The agency has one agent for the gate, and one agent for each key of each
/// connection. The agents of a connection keep its messages.
///
/// The content of every answer is stored before the next request, and every key of the gate is stored before
/// the request that names the key. After a crash the mailbox continues with the missing step; only a lost
/// answer leaves an unused agent at the agency. One request is under way at a time. Not copyable: a copy
/// would repeat the random stream.
package struct AgencyMailbox: Mailbox, ~Copyable {
    /// The operator's settings for the agency.
    package let settings: AgencySettings
    /// The gate's key towards the agency and towards the gate's agent.
    var owner: KeyPair
    var stage: Stage
    var slots: [AgencySlot]
    /// The webhook that is registered at the agency.
    var registered: AgencySettings.Webhook?
    /// The signature of the last token that was refused.
    var spentToken: Text?
    var random: RandomStream

    // A restart forgets the following state.

    var storage = Storage.stored
    var backoff = Backoff()
    var exchange: Exchange?
    var lastExchange: AgentConnection.ExchangeID = 0
    /// Whether the server has stated the pinned key, or need not state it.
    var isChecked: Bool
    /// The time before which no request is sent.
    var hold = Instant.distantPast
    /// The times before which the webhook is not registered (`webhookHold`), and before which no message is
    /// released (`releaseHold`).
    var (webhookHold, releaseHold) = (Instant.distantPast, Instant.distantPast)
    /// The time of the next request for the messages of all connections.
    var askAt = Instant.distantPast
    /// The names of the last messages that were handed over. An answer that only repeats them leads to no
    /// further request at once.
    var recent = RecentSet<Text>(capacity: 1024)
    var contact = Reachability()
    var told: MailboxFailure?

    /// The progress of provisioning at the agency.
    enum Stage: Sendable {
        /// The next request is CONNECT.
        case connect
        /// The next request is SIGNUP, to the agency's given party.
        case signUp(AgencyParty)
        /// The next request is CREATE_AGENT, to the agency's given party.
        case createAgent(AgencyParty)
        /// The next request is CREATE_AGENT with the given token; nil: the gate needs a token first.
        case token(ProvisionToken?)
        /// The gate has the given agent.
        case ready(AgencyParty)
    }

    /// The purpose of a request.
    enum Operation: Sendable {
        case check, connect, signUp, createAgent, readAll, release, webhook
        case token(thread: Text)
        /// This operation and the following ones are for the slot with the given pairwise DID.
        case createKey(Text)
        case read(Text)
        case delete(Text)
        case leftovers(Text)
        case releaseLeftovers(Text)

        /// The gate's pairwise DID in the one connection that the operation is for; nil if it is for all.
        var did: Text? {
            switch self {
            case .createKey(let did), .read(let did), .delete(let did), .leftovers(let did), .releaseLeftovers(let did):
                did
            case .check, .connect, .signUp, .createAgent, .token, .readAll, .release, .webhook: nil
            }
        }
    }

    /// A request under way.
    struct Exchange: Sendable {
        let id: AgentConnection.ExchangeID
        let operation: Operation
        /// The request and the party that answers it; nil for the question of the agency's key.
        let asked: (request: AgencyRequest, party: AgencyParty)?
        let until: Instant
        /// When a missing answer is reported; nil once that was reported.
        var silentAt: Instant?
        /// Whether messages were asked for since the request began. If so, the answer to the request may be
        /// older than the message that is expected.
        var isOvertaken = false
    }

    /// Whether the state that must survive is stored.
    enum Storage: Sendable { case stored, changed, refused }

    /// Creates a mailbox that is not known at the agency yet. Nothing happens before ``MailboxEvent/start``.
    /// Returns nil if the stream yields no key.
    package init?(_ settings: AgencySettings, random: consuming RandomStream) {
        guard let owner = KeyPair(seed: random.drawSecret(32)) else { return nil }
        self.init(
            settings, owner: owner, stage: settings.needsToken ? .token(nil) : .connect, slots: [], registered: nil,
            spentToken: nil, random: random)
        storage = .changed
    }

    init(
        _ settings: AgencySettings, owner: KeyPair, stage: Stage, slots: [AgencySlot],
        registered: AgencySettings.Webhook?, spentToken: Text?, random: consuming RandomStream
    ) {
        (self.settings, self.owner, self.stage, self.slots) = (settings, owner, stage, slots)
        (self.registered, self.spentToken) = (registered, spentToken)
        isChecked = !settings.checksAgency
        self.random = random
    }

    /// The media type that the operator configured for the agency.
    package var mediaType: Text { settings.mediaType }

    /// The gate's agent at the agency; nil before the agency has created it.
    package var agent: AgencyParty? { if case .ready(let party) = stage { party } else { nil } }

    /// The ids of the connections that the mailbox knows.
    package var connections: Set<Text> { Set(slots.map(\.connection)) }

    /// How the server reports new messages while the gate waits; nil if it cannot.
    package var longPoll: AgencyLongPoll? {
        guard settings.dialect.hasLongPoll, let agent else { return nil }
        return AgencyLongPoll(base: settings.url, agent: agent.did)
    }

    /// Handles one event. The actions are to be carried out in order.
    package mutating func handle(_ event: MailboxEvent, at now: Instant) -> [MailboxAction] {
        var actions = take(event, at: now)
        expire(at: now)
        actions += missed(at: now) + settle()
        let posts = advance(at: now)
        let stores = storage == .changed || (storage == .refused && !(actions.isEmpty && posts.isEmpty))
        if stores { storage = .stored }
        return (stores ? [.persist(snapshot)] : []) + actions + posts
    }

    private mutating func take(_ event: MailboxEvent, at now: Instant) -> [MailboxAction] {
        switch event {
        case .start: return start(at: now)
        case .open(let connection, let key): return open(connection, key, at: now)
        case .connected: break
        case .close(let connection): return close(connection)
        case .fetch: ask(at: now)
        case .applied(let uids): applied(Set(uids))
        case .answered(let id, let body): return answered(id, body, at: now)
        case .rejected(let id, let status, let body):
            return rejected(id, AgencyProblem(status: status, body: body), at: now)
        case .failed(let id, .refused(let status)):
            return rejected(id, AgencyProblem(status: status, body: []), at: now)
        case .failed(let id, let failure): return failed(id, failure, at: now)
        case .token(let json): return use(json)
        case .retryNow: retry(at: now)
        case .deadlineReached:
            if let exchange, now >= exchange.until { return failed(exchange.id, .uncertain, at: now) }
        }
        return []
    }

    private mutating func start(at now: Instant) -> [MailboxAction] {
        exchange = nil  // whatever was under way when an earlier run was cut off
        told = nil
        for index in slots.indices {
            (slots[index].handed, slots[index].applied, slots[index].told) = ([:], [], nil)
            if slots[index].earlierUntil != nil {
                slots[index].earlierUntil = now.advanced(by: settings.limits.earlierKeys)
            }
        }
        ask(at: now)
        if isChecked, case .token(nil) = stage { return tell(.needsToken) }
        return []
    }

    /// Makes all delayed operations due now.
    private mutating func retry(at now: Instant) {
        backoff.permitNow()
        (hold, webhookHold, releaseHold) = (.distantPast, .distantPast, .distantPast)
        for index in slots.indices { slots[index].hold = .distantPast }
        ask(at: now)
    }

    // MARK: Messages

    /// Makes the requests for messages due now, for all connections. If a request is under way, they are
    /// repeated after it.
    mutating func ask(at now: Instant) {
        exchange?.isOvertaken = true
        askAt = now
        for index in slots.indices { (slots[index].askAt, slots[index].rereads) = (now, 0) }
    }

    private mutating func applied(_ uids: Set<Text>) {
        for index in slots.indices where slots[index].closing == nil {
            let known = slots[index].handed.keys.filter { uids.contains($0) }.sorted()
            for uid in known { slots[index].handed[uid] = nil }
            slots[index].applied += known
        }
    }

    // MARK: Failures

    /// Reports why the mailbox does not work, once for each failure.
    mutating func tell(_ failure: MailboxFailure) -> [MailboxAction] {
        guard told != failure else { return [] }
        told = failure
        return [.failed(failure, for: nil)]
    }

    /// Reports why the mailbox accepts no messages for a connection, once for each failure.
    mutating func tell(_ failure: MailboxFailure, for did: Text) -> [MailboxAction] {
        guard let index = slots.firstIndex(where: { $0.ours.did == did }), slots[index].told != failure else {
            return []
        }
        slots[index].told = failure
        return [.failed(failure, for: slots[index].connection)]
    }
}
