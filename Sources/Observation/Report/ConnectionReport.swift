package import Encoding

/// The description of one connection to an agent, as `gatehouse agent show` prints it. It contains no keys and no
/// messages.
package struct ConnectionReport: StatusObject {
    /// The state of a connection.
    package enum State: String, CaseIterable, Sendable {
        /// The handshake is not complete.
        case connecting
        /// The connection is active, or may become active at any time.
        case connected
        /// A newer connection of the destination is active. This connection is deleted as soon as the destination has
        /// confirmed an entry over the newer one.
        case replaced
        /// The agent has ended the connection.
        case ended
        /// The connection is being deleted. First its agent link ends; then the service notifies the agent, if that
        /// was requested.
        case deleting
        /// The agent answered no connection request, and the gate sends no more of them.
        case failed
        /// The stored state of the connection cannot be read.
        case unreadable
    }

    /// The id of the connection.
    package var id: Text?
    /// The name of the connection's destination.
    package var destination: Text?
    /// The state of the connection.
    package var state: State?
    /// The name that the agent gave itself.
    package var label: Text?
    /// The URL of the agent's picture.
    package var logo: Text?
    /// The purpose in the invitation, as a text for people.
    package var goal: Text?
    /// The purpose in the invitation, as a code.
    package var goalCode: Text?
    /// The id of the invitation.
    package var invitation: Text?
    /// The whole invitation. Only an answer about a single connection contains it.
    package var wholeInvitation: JSON?
    /// The name of the handshake's protocol.
    package var handshake: Text?
    /// The gate's DID for this connection.
    package var ownDID: Text?
    /// The agent's DID for this connection.
    package var theirDID: Text?
    /// The URL of the agent's endpoint.
    package var endpoint: Text?
    /// The URL of the mailbox's endpoint; nil: messages of the agent arrive only as answers to the gate's messages.
    package var mailbox: Text?
    /// The date at which the connection was created.
    package var made: Timestamp?
    /// Whether the connection is active.
    package var isActive: Bool?
    /// The ledger position up to which the destination has confirmed all entries.
    package var confirmed: Int?
    /// The number of entries that the destination has not confirmed.
    package var waiting: Int?
    /// The date of the agent's last message; nil: no message has arrived since ``answeredSince``.
    package var answered: Timestamp?
    /// The date since which ``answered`` is recorded; nil: no agent link drives the connection.
    package var answeredSince: Timestamp?
    /// Whether the gate wants a mailbox from this agent, and the agent may still grant it.
    package var asksForMailbox: Bool?
    /// The number of answers that wait to be sent to the agent; nil: no agent link drives the connection.
    package var unsent: Int?
    /// The present problem of the connection; nil: it has none.
    package var problem: Problem?
    /// The last ping that an operator requested; nil: none was requested.
    package var ping: Ping?
    /// The reason codes of the destination's faults.
    package var faults: [Text]?

    /// Creates a report in which all members are nil.
    package init() {}

    /// The members, in the order in which they are written as JSON.
    package static let members: [StatusMember<ConnectionReport>] = [
        .init("id", \.id, .text), .init("destination", \.destination, .text), .init("state", \.state, .word),
        .init("label", \.label, .text), .init("logo", \.logo, .text), .init("goal", \.goal, .text),
        .init("goalCode", \.goalCode, .text), .init("invitation", \.invitation, .text),
        .init("wholeInvitation", \.wholeInvitation, .json), .init("handshake", \.handshake, .text),
        .init("pwDid", \.ownDID, .text), .init("theirDid", \.theirDID, .text),
        .init("endpoint", \.endpoint, .text), .init("mailbox", \.mailbox, .text, isAlways: true),
        .init("made", \.made, .date), .init("present", \.isActive, .flag), .init("confirmed", \.confirmed, .int),
        .init("waiting", \.waiting, .int), .init("answered", \.answered, .date),
        .init("answeredSince", \.answeredSince, .date), .init("asksForMailbox", \.asksForMailbox, .flag),
        .init("unsent", \.unsent, .int), .init("problem", \.problem, .part), .init("ping", \.ping, .part),
        .init("faults", \.faults, .list(.text)),
    ]
}

extension ConnectionReport {
    /// A problem of a connection.
    package struct Problem: StatusObject {
        /// The problem, in plain words.
        package var words: String?
        /// The remedy for the operator; nil: there is none.
        package var remedy: String?

        /// Creates an object in which all members are nil.
        package init() {}

        /// Creates a problem with its text and its remedy.
        package init(_ words: String, remedy: String?) { (self.words, self.remedy) = (words, remedy) }

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<Problem>] = [
            .init("text", \.words, .prose), .init("remedy", \.remedy, .prose, isAlways: true),
        ]
    }

    /// A ping that was sent to an agent.
    package struct Ping: StatusObject {
        /// The number of the ping. The first ping on a connection has the number 1.
        package var number: Int?
        /// The time until the agent's answer in milliseconds; nil: no answer has arrived.
        package var milliseconds: Int?

        /// Creates an object in which all members are nil.
        package init() {}

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<Ping>] = [
            .init("number", \.number, .int), .init("milliseconds", \.milliseconds, .int, isAlways: true),
        ]
    }

    /// All connections to agents, as `gatehouse agent list` prints them.
    package struct List: StatusObject {
        /// The connections, oldest first.
        package var connections: [ConnectionReport]?

        /// Creates an object in which all members are nil.
        package init() {}

        /// Creates a list of the given connections.
        package init(_ connections: [ConnectionReport]) { self.connections = connections }

        /// The members, in the order in which they are written as JSON.
        package static let members: [StatusMember<List>] = [
            .init("connections", \.connections, .list(.part))
        ]
    }
}
