package import DIDComm
package import Encoding

/// A mailbox at a mediator (RFC 0211), over a connection of its own by plain HTTP.
///
/// Messages come by pickup 2.0 (RFC 0685) where the mediator discloses it, each released once it is durable here. Any other mediator
/// returns one waiting message for each post of ours (RFC 0092): then silent pings fetch them, each after the one before is durable.
/// Such a mediator has no word for "received": what gets lost on the way back stays lost.
package struct Mediator: ~Copyable, Mailbox {
    /// What an operator chooses.
    package struct Configuration: Sendable {
        /// Of the connection to the mediator.
        package var connection: AgentConnection.Configuration
        /// Whether an address without TLS may be granted.
        package var allowsPlainHTTP: Bool
        /// Bounds and times.
        package var limits = Limits()

        /// A mailbox over such a connection.
        package init(connection: AgentConnection.Configuration, allowsPlainHTTP: Bool) {
            (self.connection, self.allowsPlainHTTP) = (connection, allowsPlainHTTP)
        }
    }

    /// Bounds and times.
    package struct Limits: Sendable {
        /// How long a mediator may take to answer about keys, its protocols and what waits.
        package var answer = Duration.seconds(15)
        /// How long to wait for an answer before a silent ping asks for the next waiting message.
        package var nudge = Duration.seconds(2)
        /// Between two looks when nothing waited.
        package var idle = Duration.seconds(20)
        /// Messages asked for at once.
        package var batch = 16
        /// Messages one right after the other; those behind them come at ``pace``, so that a flood keeps nobody busy.
        package var burst = 64
        /// Between two messages after those.
        package var pace = Duration.seconds(1)
        /// After so long without a sign of life the mediator is asked for one.
        package var life = Duration.seconds(30)
        /// When nothing is heard for so long behind that it is called silent: together with ``life`` within a minute.
        package var silence = Duration.seconds(25)
        /// Keys in all; further connections are refused.
        package var keys = Coordination.maxKeys
        /// Keys of one connection; the oldest goes.
        package var keysOfOne = 4
        /// Before what the mediator refused or did not answer is asked again.
        package var again = Duration.seconds(300)
        /// Before a mediator that does not disclose pickup is asked for it again.
        package var relearn = Duration.seconds(86_400)

        /// The documented defaults.
        package init() {}
    }

    /// A key that messages come for.
    struct Entry: Sendable {
        let connection: Text
        let key: Verkey
        var state: State

        enum State: Sendable {
            /// To be added, not before that time.
            case wanted(Instant)
            /// Known to the mediator since this start.
            case registered
            /// To be removed, not before that time.
            case unwanted(Instant)
        }
    }

    /// A request that wants an answer; one at a time.
    struct Question: Sendable {
        enum Kind: Sendable {
            case features
            case update([Coordination.Update])
            case delivery
            case received([Text])
        }

        let id: Text
        let kind: Kind
        /// Set once the mediator's server took it.
        var until: Instant?
        /// When to send a silent ping: the answer may wait behind other messages.
        var nudgeAt: Instant?
    }

    /// Our own name for the mailbox: that of its connection.
    package let id: Text
    /// The invitation that its connection answers.
    package let invitation: Invitation
    let configuration: Configuration
    var limits: Limits { configuration.limits }
    var connection: AgentConnection
    /// What was granted.
    package internal(set) var address: MailboxAddress?
    var mediation: MediationQuestion
    var entries: [Entry] = []
    /// What was asked and not answered yet.
    var question: Question?
    /// The silent ping that is on its way.
    var silentPing: Text?
    var inbox: MediatorInbox
    var life: MediatorLife
    /// Whether pickup 2.0 is spoken; nil before that is known.
    var hasPickup: Bool?
    /// When that is to be known anew.
    var pickupAt: Instant?
    /// No new question before this.
    var askAt: Instant?
    /// What the driver was told is wrong with the whole mailbox.
    var trouble: MailboxFailure?

    /// A mailbox at whoever made `invitation`.
    package init(
        id: Text, invitation: Invitation, configuration: Configuration, random: consuming RandomStream
    ) throws(InvitationError) {
        let connection = try AgentConnection(
            id: id, invitation: invitation, reception: .leadsToMailbox, configuration: configuration.connection,
            random: random)
        self.init(connection, configuration)
    }

    /// A mailbox over a connection that stands: `snapshot` is its state, `address` what its peer granted over it.
    package init(
        over snapshot: JSON, address: MailboxAddress, configuration: Configuration, random: consuming RandomStream
    ) throws(SnapshotError) {
        let connection = try AgentConnection(
            restoring: snapshot, leadsToMailbox: true, configuration: configuration.connection, random: random)
        self.init(connection, configuration)
        self.address = address
    }

    init(_ connection: consuming AgentConnection, _ configuration: Configuration) {
        (id, invitation) = (connection.id, connection.invitation)
        self.configuration = configuration
        inbox = MediatorInbox(configuration.limits)
        life = MediatorLife(configuration.limits)
        mediation = MediationQuestion(
            id: AgentConnection.newID(&connection.random), allowsPlainHTTP: configuration.allowsPlainHTTP)
        self.connection = connection
    }

    /// The connections that it knows of.
    package var connections: Set<Text> { Set(entries.map(\.connection)) }

    /// Takes one event; the actions are to be done in order.
    package mutating func handle(_ event: MailboxEvent, at now: Instant) -> [MailboxAction] {
        var actions: [MailboxAction] = []
        switch event {
        case .start:
            restart(at: now)
            actions = carry(connection.handle(.start, at: now), at: now)
        case .open(let name, let key): actions = open(name, key.verkey, at: now)
        case .close(let name): actions = close(name, at: now)
        case .fetch: inbox.wake(at: now)
        case .applied(let uids): inbox.applied(uids, at: now)
        case .answered(let exchange, let body): actions = answered(exchange, body, at: now)
        case .failed(let exchange, let failure): actions = failed(exchange, failure, at: now)
        case .rejected(let exchange, let status, _):
            actions = failed(exchange, ExchangeFailure(status: status), at: now)
        case .token: break
        case .retryNow:
            mediation.askNow()
            askAt = nil
            if pickupAt != nil { (hasPickup, pickupAt) = (nil, nil) }
            inbox.wake(at: now)
            actions = carry(connection.handle(.retryNow, at: now), at: now)
        case .deadlineReached:
            if let due = connection.deadline, due <= now {
                actions = carry(connection.handle(.deadlineReached, at: now), at: now)
            }
        }
        return actions + expire(at: now) + advance(at: now)
    }

    /// When ``MailboxEvent/deadlineReached`` is due; nil while only other events can bring anything.
    package var deadline: Instant? {
        guard connection.isComplete else {
            return [connection.deadline, connection.isEnded ? nil : life.silenceDeadline].compactMap(\.self).min()
        }
        var times = [connection.deadline, question?.until, life.deadline, pickupAt]
        let isFree = connection.wantsMessage
        if address == nil, isFree || mediation.isOpen { times.append(mediation.deadline) }
        if isFree, address != nil {
            if question == nil { times += [askAt, updateDeadline.map { max($0, askAt ?? $0) }] }
            if silentPing == nil { times += [hasPickup == true ? nil : inbox.deadline, question?.nudgeAt] }
            if hasPickup == true, question == nil { times.append(inbox.deadline.map { max($0, askAt ?? $0) }) }
        }
        return times.compactMap(\.self).min()
    }

    /// Nothing that an earlier run waited for comes any more; every key is told once more.
    private mutating func restart(at now: Instant) {
        (question, silentPing, hasPickup, pickupAt, askAt, trouble) = (nil, nil, nil, nil, nil, nil)
        mediation.askNow()
        inbox = MediatorInbox(limits)
        life = MediatorLife(limits, at: now)
        for index in entries.indices {
            if case .registered = entries[index].state { entries[index].state = .wanted(.zero) }
        }
    }

    mutating func persist() -> MailboxAction { .persist(snapshot) }
}
