package import Aries
package import DIDComm
package import Encoding

/// A mailbox at a mediator (RFC 0211). The gate reaches the mediator over a connection of the mailbox's own, by HTTP
/// posts.
///
/// If the mediator discloses pickup 2.0 (RFC 0685), messages are read with it, and each is released once it is durable
/// at the gate. Any other mediator returns one waiting message in the answer to each post (RFC 0092). From such a
/// mediator silent pings, which ask for no response, fetch the messages; the next ping is sent once the previous
/// message is durable. Such a mediator receives no confirmations, so a message that is lost on its way to the gate
/// stays lost.
package struct Mediator: ~Copyable, Mailbox {
    /// The operator's settings for a mailbox at a mediator.
    package struct Configuration: Sendable {
        /// The configuration of the mailbox's own connection to the mediator.
        package var connection: AgentConnection.Configuration
        /// Whether the mediator may grant an address without TLS.
        package var allowsPlainHTTP: Bool
        /// The limits and times of the mailbox.
        package var limits = Limits()

        /// Creates a configuration with default limits. `connection`: the configuration of the mailbox's own
        /// connection.
        package init(connection: AgentConnection.Configuration, allowsPlainHTTP: Bool) {
            (self.connection, self.allowsPlainHTTP) = (connection, allowsPlainHTTP)
        }

        /// The configuration of the mailbox's own connection, changed so that its handshake is never given up: without
        /// it, no connection can use the mailbox.
        var lasting: AgentConnection.Configuration {
            var lasting = connection
            lasting.limits.rounds = .max
            return lasting
        }
    }

    /// The limits and times of the mailbox.
    package struct Limits: Sendable {
        /// The time limit for the mediator's answer to a request about keys, protocols or waiting messages.
        package var answer = Duration.seconds(15)
        /// How long an answer is awaited before a silent ping is sent, because another message may have to be fetched
        /// before the answer.
        package var nudge = Duration.seconds(2)
        /// The time between two fetches if no message is waiting.
        package var idle = Duration.seconds(20)
        /// The largest number of messages that a single request asks for.
        package var batch = 16
        /// The number of messages that are fetched without a pause. Further messages are fetched one in each ``pace``,
        /// so that a large number of messages does not keep the gate busy.
        package var burst = 64
        /// The time between two messages once ``burst`` messages were fetched.
        package var pace = Duration.seconds(1)
        /// The time without a message from the mediator after which the gate pings it.
        package var life = Duration.seconds(30)
        /// The time without a message after this ping until the mediator counts as silent. ``life`` and this time
        /// together are less than a minute.
        package var silence = Duration.seconds(25)
        /// The largest number of keys of all connections. Opening a further connection fails.
        package var keys = Coordination.maxKeys
        /// The largest number of keys of one connection. Beyond it, the oldest key is removed.
        var keysOfOne = 4
        /// The time after which a request is repeated that the mediator refused or did not answer.
        package var again = Duration.seconds(300)
        /// The time after which a mediator without pickup is asked for its protocols again.
        var relearn = Duration.seconds(86_400)

        /// Creates a value whose properties have their defaults.
        package init() {}
    }

    /// A key of a connection, for which the mediator accepts messages.
    struct Entry: Sendable {
        let connection: Text
        let key: Verkey
        var state: State

        enum State: Sendable {
            /// The mediator must be asked to add the key, but not before the given instant.
            case wanted(Instant)
            /// The mediator has added the key since this start of the program.
            case registered
            /// The mediator must be asked to remove the key, but not before the given instant.
            case unwanted(Instant)
        }
    }

    /// A request that the mediator answers. Only one such request is open at a time.
    struct Question: Sendable {
        enum Kind: Sendable {
            case features
            case update([Coordination.Update])
            case delivery
            case received([Text])
        }

        let id: Text
        let kind: Kind
        /// The time limit for the answer; nil before the mediator's server has accepted the request.
        var until: Instant?
        /// When to send a silent ping, because other messages may have to be fetched before the answer; nil if no ping
        /// is planned.
        var nudgeAt: Instant?
    }

    /// The id of the mailbox. It is also the id of the mailbox's connection.
    package let id: Text
    /// The invitation that started the mailbox's own connection.
    package let invitation: Invitation
    let configuration: Configuration
    var limits: Limits { configuration.limits }
    var connection: AgentConnection
    /// The address that the mediator granted; nil before the grant.
    package internal(set) var address: MailboxAddress?
    var mediation: MediationQuestion
    var entries: [Entry] = []
    /// Whether the handshake of any connection through this mailbox was ever complete.
    package internal(set) var isUsed = false
    /// The request whose answer is awaited; nil if there is none.
    var question: Question?
    /// The id of the silent ping that the mediator's server has not accepted yet; nil if there is none.
    var silentPing: Text?
    var inbox: MediatorInbox
    var life: MediatorLiveness
    /// Whether the mediator supports pickup 2.0; nil if that is not known.
    var hasPickup: Bool?
    /// When the mediator is asked again whether it supports pickup 2.0; nil if that is not planned.
    var pickupAt: Instant?
    /// The time before which no request is sent; nil if a request may be sent at once.
    var askAt: Instant?
    /// Whether the last request was not answered. If so, messages are fetched before the next request, which may not be
    /// answered either.
    var isUnanswered = false
    /// The failure of the mailbox that was reported last; nil if the mailbox works.
    var trouble: MailboxFailure?

    /// Creates a mailbox at the mediator that made `invitation`. `id`: the id of the mailbox and of its own connection.
    package init(
        id: Text, invitation: Invitation, configuration: Configuration, random: consuming RandomStream
    ) throws(InvitationError) {
        guard !invitation.handshakes.isEmpty else { throw .noHandshake }
        let connection = try AgentConnection(
            id: id, invitation: invitation, reception: .leadsToMailbox, configuration: configuration.lasting,
            random: random)
        self.init(connection, configuration)
    }

    /// Creates a mailbox that uses an existing connection as its own. `snapshot`: the stored state of the connection;
    /// `address`: the address that the peer granted over the connection.
    package init(
        over snapshot: JSON, address: MailboxAddress, configuration: Configuration, random: consuming RandomStream
    ) throws(SnapshotError) {
        let connection = try AgentConnection(
            restoring: snapshot, leadsToMailbox: true, configuration: configuration.lasting, random: random)
        self.init(connection, configuration)
        self.address = address
    }

    init(_ connection: consuming AgentConnection, _ configuration: Configuration) {
        (id, invitation) = (connection.id, connection.invitation)
        self.configuration = configuration
        inbox = MediatorInbox(configuration.limits)
        life = MediatorLiveness(configuration.limits)
        mediation = MediationQuestion(
            id: connection.newMessageID(), allowsPlainHTTP: configuration.allowsPlainHTTP)
        self.connection = connection
    }

    /// The ids of the connections that have a key in this mailbox.
    package var connections: Set<Text> { Set(entries.map(\.connection)) }

    /// Handles one event and returns actions, which the driver must carry out in order.
    package mutating func handle(_ event: MailboxEvent, at now: Instant) -> [MailboxAction] {
        var actions: [MailboxAction] = []
        switch event {
        case .start:
            restart(at: now)
            actions = carry(connection.handle(.start, at: now), at: now)
        case .open(let name, let key): actions = open(name, key.verkey, at: now)
        case .connected:
            if !isUsed {
                isUsed = true
                actions = [persist()]
            }
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

    /// When the driver must send ``MailboxEvent/deadlineReached``; nil if only other events have an effect.
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

    /// Starts without open requests after a restart of the program. Every key is registered at the mediator again.
    private mutating func restart(at now: Instant) {
        (question, silentPing, hasPickup, pickupAt, askAt, trouble) = (nil, nil, nil, nil, nil, nil)
        mediation.askNow()
        isUnanswered = false
        inbox = MediatorInbox(limits)
        life = MediatorLiveness(limits, at: now)
        for index in entries.indices {
            if case .registered = entries[index].state { entries[index].state = .wanted(.zero) }
        }
    }

    mutating func persist() -> MailboxAction { .persist(snapshot) }
}
