import Aries
package import DIDComm
package import Encoding

/// A mailbox at an agency. The agency has one agent for the gate itself, and one agent for each key of each connection.
/// A connection's agent stores the messages for its key.
///
/// One request is under way at a time. What an answer contains is stored before the next request, and a key of the gate
/// is stored before the request that contains it. So after a crash the mailbox continues with the next step; the only
/// loss is an unused agent at the agency, if an answer was lost.
///
/// The type is not copyable, because a copy would draw the same random bytes again.
package struct AgencyMailbox: Mailbox, ~Copyable {
    /// The operator's settings for the agency.
    package let settings: AgencySettings
    /// The gate's key pair for messages to the agency and to the gate's agent.
    var owner: KeyPair
    var stage: Stage
    var slots: [AgencySlot]
    /// The webhook that is registered at the agency; nil if there is none.
    var registered: AgencySettings.Webhook?
    /// The signature of the last token that the agency refused.
    var spentToken: Text?
    var random: RandomStream

    // The following properties are not stored.

    var storage = Storage.stored
    var backoff = Backoff()
    var exchange: Exchange?
    var lastExchange: AgentConnection.ExchangeID = 0
    /// Whether the server has stated the pinned key since the start, or is not asked for it.
    var isChecked: Bool
    /// The time before which no request is sent.
    var hold = Instant.distantPast
    /// The times before which the webhook is not registered (`webhookHold`) and no message is released (`releaseHold`).
    var (webhookHold, releaseHold) = (Instant.distantPast, Instant.distantPast)
    /// When the messages of all connections are read next.
    var askAt = Instant.distantPast
    /// The ids of the last messages that were passed to connections. If an answer contains only such messages, the next
    /// read is not started at once.
    var recent = RecentSet<Text>(capacity: 1024)
    var contact = Reachability()
    var told: MailboxFailure?

    /// The progress of provisioning at the agency.
    enum Stage: Sendable {
        /// The next request is CONNECT.
        case connect
        /// The next request is SIGNUP, sent to the given party of the agency.
        case signUp(AgencyParty)
        /// The next request is CREATE_AGENT, sent to the given party of the agency.
        case createAgent(AgencyParty)
        /// The next request is CREATE_AGENT with the given token. Nil: the gate waits for a token.
        case token(ProvisionToken?)
        /// Provisioning is complete: the given party is the gate's agent.
        case ready(AgencyParty)
    }

    /// The purpose of a request.
    enum Operation: Sendable {
        case check, connect, signUp, createAgent, readAll, release, webhook
        case token(thread: Text)
        /// This operation and the following ones are for one slot, in which the gate has the given DID.
        case createKey(Text)
        case read(Text)
        case delete(Text)
        case leftovers(Text)
        case releaseLeftovers(Text)

        /// The gate's DID in the connection that the operation is for; nil if it is not for one connection.
        var did: Text? {
            switch self {
            case .createKey(let did), .read(let did), .delete(let did), .leftovers(let did), .releaseLeftovers(let did):
                did
            case .check, .connect, .signUp, .createAgent, .token, .readAll, .release, .webhook: nil
            }
        }
    }

    /// A request whose answer is awaited.
    struct Exchange: Sendable {
        let id: AgentConnection.ExchangeID
        let operation: Operation
        /// The request and the party that answers it; nil for the query of the agency's key.
        let asked: (request: AgencyRequest, party: AgencyParty)?
        let until: Instant
        /// When a missing answer is reported as silence; nil once it was reported.
        var silentAt: Instant?
        /// Whether another read was requested since this request began. If so, the messages are read again after the
        /// answer, which may be older than the expected message.
        var isOvertaken = false
    }

    /// Whether the state is stored, has changed since, or could not be stored.
    enum Storage: Sendable { case stored, changed, refused }

    /// Creates a mailbox that the agency does not know yet. The mailbox does nothing before ``MailboxEvent/start``.
    /// Returns nil if no key can be made.
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

    /// The media type of posts, as the operator has configured it for the agency.
    package var mediaType: Text { settings.mediaType }

    /// The gate's agent at the agency; nil before provisioning is complete.
    package var agent: AgencyParty? { if case .ready(let party) = stage { party } else { nil } }

    /// The ids of the connections that have a slot in this mailbox.
    package var connections: Set<Text> { Set(slots.map(\.connection)) }

    /// The long poll by which the server reports new messages; nil if the server has none or provisioning is not
    /// complete.
    package var longPoll: AgencyLongPoll? {
        guard settings.dialect.hasLongPoll, let agent else { return nil }
        return AgencyLongPoll(base: settings.url, agent: agent.did)
    }

    /// Handles one event and returns actions, which the driver must carry out in order.
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
        exchange = nil  // the result of an earlier run's request is unknown
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

    /// Makes the reads for all connections due at `now`. If a request is under way, they follow after it.
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

    /// Reports why the mailbox does not work. A failure is reported once, until another failure follows or it is over.
    mutating func tell(_ failure: MailboxFailure) -> [MailboxAction] {
        guard told != failure else { return [] }
        told = failure
        return [.failed(failure, for: nil)]
    }

    /// Reports why a connection cannot receive messages. A failure is reported once, until another failure follows or
    /// it is over.
    mutating func tell(_ failure: MailboxFailure, for did: Text) -> [MailboxAction] {
        guard let index = slots.firstIndex(where: { $0.ours.did == did }), slots[index].told != failure else {
            return []
        }
        slots[index].told = failure
        return [.failed(failure, for: slots[index].connection)]
    }
}
