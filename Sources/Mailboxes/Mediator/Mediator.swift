package import Aries
package import DIDComm
package import Encoding

/// A mailbox at a mediator (RFC 0211), over its own connection, which needs no other transport than HTTP.
///
/// Messages arrive by pickup 2.0 (RFC 0685) if the mediator discloses it; each message is released once it is durable
/// at the gate. Any other mediator returns one waiting message for each post (RFC 0092): silent pings fetch the
/// messages, each after the previous one is durable. Such a mediator has no message for "received", so a message that
/// is lost on its way to the gate stays lost.
package struct Mediator: ~Copyable, Mailbox {
    /// The operator's settings.
    package struct Configuration: Sendable {
        /// The configuration of the connection to the mediator.
        package var connection: AgentConnection.Configuration
        /// Whether an address without TLS may be granted.
        package var allowsPlainHTTP: Bool
        /// Limits and times.
        package var limits = Limits()

        /// Creates a configuration of a mailbox whose connection has the configuration `connection`.
        package init(connection: AgentConnection.Configuration, allowsPlainHTTP: Bool) {
            (self.connection, self.allowsPlainHTTP) = (connection, allowsPlainHTTP)
        }

        /// The configuration of a connection whose handshake is never given up. Without its mailbox no connection
        /// works.
        var lasting: AgentConnection.Configuration {
            var lasting = connection
            lasting.limits.rounds = .max
            return lasting
        }
    }

    /// Limits and times.
    package struct Limits: Sendable {
        /// The time limit for a mediator's answer about keys, its protocols and waiting messages.
        package var answer = Duration.seconds(15)
        /// The wait for an answer before a silent ping fetches the next waiting message.
        package var nudge = Duration.seconds(2)
        /// The time between two fetches when no message waited.
        package var idle = Duration.seconds(20)
        /// The maximum number of messages in one request.
        package var batch = 16
        /// The number of messages that are fetched one right after another. Further ones follow at ``pace``,
        /// so that a flood does not keep the gate busy.
        package var burst = 64
        /// The time between two messages after those.
        package var pace = Duration.seconds(1)
        /// The time without any message from the mediator after which the gate pings it.
        package var life = Duration.seconds(30)
        /// The time without any message after that ping until the mediator counts as silent. Together with
        /// ``life`` it is less than a minute.
        package var silence = Duration.seconds(25)
        /// The maximum number of keys in total. Further connections are refused.
        package var keys = Coordination.maxKeys
        /// The maximum number of keys of one connection. Above it, the oldest key is removed.
        var keysOfOne = 4
        /// The time until a request that the mediator refused or did not answer is repeated.
        package var again = Duration.seconds(300)
        /// The time until a mediator that does not disclose pickup is asked about it again.
        var relearn = Duration.seconds(86_400)

        /// Creates the documented defaults.
        package init() {}
    }

    /// A key that messages are sent to.
    struct Entry: Sendable {
        let connection: Text
        let key: Verkey
        var state: State

        enum State: Sendable {
            /// The key is to be registered at the mediator, not before the given instant.
            case wanted(Instant)
            /// The key was registered at the mediator since this start.
            case registered
            /// The key is to be removed from the mediator, not before the given instant.
            case unwanted(Instant)
        }
    }

    /// A request that expects an answer. The mediator gets one such request at a time.
    struct Question: Sendable {
        enum Kind: Sendable {
            case features
            case update([Coordination.Update])
            case delivery
            case received([Text])
        }

        let id: Text
        let kind: Kind
        /// The time limit for the answer; set once the mediator's server accepted the request.
        var until: Instant?
        /// When to send a silent ping: other messages may be delivered before the answer.
        var nudgeAt: Instant?
    }

    /// The id of the mailbox. It is also the id of the mailbox's connection.
    package let id: Text
    /// The invitation by which the mailbox's connection was made.
    package let invitation: Invitation
    let configuration: Configuration
    var limits: Limits { configuration.limits }
    var connection: AgentConnection
    /// The address that the mediator granted.
    package internal(set) var address: MailboxAddress?
    var mediation: MediationQuestion
    var entries: [Entry] = []
    /// Whether a connection that uses the mailbox has ever been connected.
    package internal(set) var isUsed = false
    /// The request that is not answered yet.
    var question: Question?
    /// The id of the silent ping under way.
    var silentPing: Text?
    var inbox: MediatorInbox
    var life: MediatorLiveness
    /// Whether the mediator speaks pickup 2.0; nil before that is known.
    var hasPickup: Bool?
    /// When ``hasPickup`` is to be checked again.
    var pickupAt: Instant?
    /// The time before which no new question is asked.
    var askAt: Instant?
    /// Whether the last question had no answer. Messages are fetched before the next one, which may have none either.
    var isUnanswered = false
    /// The failure of the whole mailbox that was reported last.
    var trouble: MailboxFailure?

    /// Creates a mailbox at the agent that made `invitation`.
    package init(
        id: Text, invitation: Invitation, configuration: Configuration, random: consuming RandomStream
    ) throws(InvitationError) {
        guard !invitation.handshakes.isEmpty else { throw .noHandshake }
        let connection = try AgentConnection(
            id: id, invitation: invitation, reception: .leadsToMailbox, configuration: configuration.lasting,
            random: random)
        self.init(connection, configuration)
    }

    /// Creates a mailbox over an existing connection. `snapshot`: its state; `address`: the address that its
    /// peer granted over it.
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

    /// The ids of the connections that the mailbox knows.
    package var connections: Set<Text> { Set(entries.map(\.connection)) }

    /// Handles one event. The actions are to be carried out in order.
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

    /// When ``MailboxEvent/deadlineReached`` is due; nil if only other events have an effect.
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

    /// Forgets what an earlier run waited for. Every key is reported to the mediator again.
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
