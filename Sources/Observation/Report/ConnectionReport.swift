package import Encoding

/// One connection to an agent, as described to an operator: the answer of `gatehouse agent show`. The report contains
/// no keys and no content of messages.
package struct ConnectionReport: StatusObject {
    /// The state of a connection.
    package enum State: String, CaseIterable, Sendable {
        /// The handshake is not complete.
        case connecting
        /// The connection is the active connection of its destination, or may become active at once.
        case connected
        /// A newer connection is active. This connection is deleted when the destination has confirmed an entry over
        /// the newer connection.
        case replaced
        /// The peer has ended the connection.
        case ended
        /// The connection is marked for deletion. Its link ends first. Then, if requested, the service notifies its
        /// peer.
        case deleting
        /// The agent answered no connection request, and no more are sent.
        case failed
        /// The stored state of the connection cannot be read.
        case unreadable
    }

    /// The id of the connection.
    package var id: Text?
    /// The name of its destination.
    package var destination: Text?
    /// The state of the connection.
    package var state: State?
    /// The name that the agent gave itself.
    package var label: Text?
    /// The URL of the agent's picture.
    package var logo: Text?
    /// The purpose that the invitation stated.
    package var goal: Text?
    /// The same as a code.
    package var goalCode: Text?
    /// The id of the invitation.
    package var invitation: Text?
    /// The whole invitation. Only the answer about one connection contains it.
    package var wholeInvitation: JSON?
    /// The protocol of the handshake.
    package var handshake: Text?
    /// The gate's DID in the connection.
    package var ownDID: Text?
    /// The DID of the agent in the connection.
    package var theirDID: Text?
    /// The agent's endpoint.
    package var endpoint: Text?
    /// The endpoint of the mailbox; nil if messages arrive only as answers.
    package var mailbox: Text?
    /// The date at which the connection was made.
    package var made: Timestamp?
    /// Whether the connection is the active connection of its destination.
    package var isActive: Bool?
    /// The position up to which the destination has confirmed all entries.
    package var confirmed: Int?
    /// The number of entries that the destination has not confirmed.
    package var waiting: Int?
    /// The date of the agent's last message; nil without a message since ``answeredSince``.
    package var answered: Timestamp?
    /// The date since which messages are noted; nil if the connection is not running.
    package var answeredSince: Timestamp?
    /// Whether the agent may still grant a mailbox.
    package var asksForMailbox: Bool?
    /// The number of answers that wait to be sent; nil if the connection is not running.
    package var unsent: Int?
    /// The present problem.
    package var problem: Problem?
    /// The last ping that an operator requested.
    package var ping: Ping?
    /// The reason codes of the destination's faults.
    package var faults: [Text]?

    /// Creates a report without members.
    package init() {}

    /// The members in the order of the JSON.
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
        /// The problem in words.
        package var words: String?
        /// The operator's remedy.
        package var remedy: String?

        /// Creates a part without members.
        package init() {}

        /// Creates a problem from its words and its remedy.
        package init(_ words: String, remedy: String?) { (self.words, self.remedy) = (words, remedy) }

        /// The members in the order of the JSON.
        package static let members: [StatusMember<Problem>] = [
            .init("text", \.words, .prose), .init("remedy", \.remedy, .prose, isAlways: true),
        ]
    }

    /// A ping.
    package struct Ping: StatusObject {
        /// The number of the ping on its connection, from 1.
        package var number: Int?
        /// The milliseconds until the answer; nil before the answer.
        package var milliseconds: Int?

        /// Creates a part without members.
        package init() {}

        /// The members in the order of the JSON.
        package static let members: [StatusMember<Ping>] = [
            .init("number", \.number, .int), .init("milliseconds", \.milliseconds, .int, isAlways: true),
        ]
    }

    /// All connections: the answer of `gatehouse agent list`.
    package struct List: StatusObject {
        /// The connections, the oldest first.
        package var connections: [ConnectionReport]?

        /// Creates a list without members.
        package init() {}

        /// Creates a list of connections.
        package init(_ connections: [ConnectionReport]) { self.connections = connections }

        /// The members in the order of the JSON.
        package static let members: [StatusMember<List>] = [
            .init("connections", \.connections, .list(.part))
        ]
    }
}
