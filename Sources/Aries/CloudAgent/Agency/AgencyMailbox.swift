package import DIDComm
package import Encoding

/// A mailbox at an agency: one agent for us there, and one for each connection and key, which keeps the connection's messages.
///
/// Everything that an answer tells is stored before the next request, and every key of ours before the request that names it. So a
/// crash goes on at the step that is missing; only an answer that was lost leaves an agent behind that nobody uses. One request is
/// under way at a time. Not copyable: a copy would repeat the random stream.
package struct AgencyMailbox: Mailbox, ~Copyable {
    /// What the operator says of the agency.
    package let settings: AgencySettings
    /// Our key towards the agency and our agent.
    var owner: KeyPair
    var stage: Stage
    var slots: [AgencySlot]
    /// The webhook that the agency knows.
    var registered: AgencySettings.Webhook?
    /// The signature of the last token that was refused.
    var spentToken: Text?
    var random: RandomStream

    // What follows is forgotten by a restart.

    var storage = Storage.stored
    var backoff = Backoff()
    var exchange: Exchange?
    var lastExchange: AgentConnection.ExchangeID = 0
    /// Whether the server told the key that is pinned.
    var isChecked: Bool
    /// Nothing at all is asked before this time.
    var hold = Instant.distantPast
    /// The webhook is not registered, and nothing is released, before these times.
    var (webhookHold, releaseHold) = (Instant.distantPast, Instant.distantPast)
    /// When all connections are asked for messages together.
    var askAt = Instant.distantPast
    /// The names of the last messages that were handed over: who only repeats itself is not asked again at once.
    var recent = RecentSet<Text>(capacity: 1024)
    var contact = Reachability()
    var told: MailboxFailure?

    /// How far we are with the agency.
    enum Stage: Sendable {
        /// CONNECT comes next.
        case connect
        /// SIGNUP comes next.
        case signUp(AgencyParty)
        /// CREATE_AGENT comes next.
        case createAgent(AgencyParty)
        /// CREATE_AGENT by this token comes next; nil: a token is waited for.
        case token(ProvisionToken?)
        /// This is our agent.
        case ready(AgencyParty)
    }

    /// What a request is for.
    enum Operation: Sendable {
        case check, connect, signUp, createAgent, readAll, release, webhook
        case token(thread: Text)
        /// For the slot of that pairwise DID.
        case createKey(Text)
        case read(Text)
        case delete(Text)
        case leftovers(Text)
        case releaseLeftovers(Text)

        /// Our pairwise DID in the one connection that it is for; nil when it is for all.
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
        /// The request and who answers it; nil for the question of the agency's key.
        let asked: (request: AgencyRequest, party: AgencyParty)?
        let until: Instant
        /// When its answer is missed; nil once that was told.
        var silentAt: Instant?
        /// Whether somebody has asked for messages since: its answer may be older than what they know of.
        var isOvertaken = false
    }

    /// Whether what has to survive is stored.
    enum Storage: Sendable { case stored, changed, refused }

    /// A mailbox that is not known at the agency yet; nothing happens before ``MailboxEvent/start``. Nil when the stream yields no key.
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

    /// What the operator says that the agency takes.
    package var mediaType: Text { settings.mediaType }

    /// Our agent at the agency, once there is one.
    package var agent: AgencyParty? { if case .ready(let party) = stage { party } else { nil } }

    /// The connections that it knows of.
    package var connections: Set<Text> { Set(slots.map(\.connection)) }

    /// How the server wakes us while we wait, where it can.
    package var longPoll: AgencyLongPoll? {
        guard settings.dialect.hasLongPoll, let agent else { return nil }
        return AgencyLongPoll(base: settings.url, agent: agent.did)
    }

    /// Takes one event; the actions are to be done in order.
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

    /// What waits for a time that has no reason any more is due now.
    private mutating func retry(at now: Instant) {
        backoff.permitNow()
        (hold, webhookHold, releaseHold) = (.distantPast, .distantPast, .distantPast)
        for index in slots.indices { slots[index].hold = .distantPast }
        ask(at: now)
    }

    // MARK: Messages

    /// Everybody is asked for messages now; behind a request under way once more.
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

    // MARK: Telling

    /// Tells why the mailbox does not serve, once.
    mutating func tell(_ failure: MailboxFailure) -> [MailboxAction] {
        guard told != failure else { return [] }
        told = failure
        return [.failed(failure, for: nil)]
    }

    /// Tells why a connection is not served, once.
    mutating func tell(_ failure: MailboxFailure, for did: Text) -> [MailboxAction] {
        guard let index = slots.firstIndex(where: { $0.ours.did == did }), slots[index].told != failure else {
            return []
        }
        slots[index].told = failure
        return [.failed(failure, for: slots[index].connection)]
    }
}
