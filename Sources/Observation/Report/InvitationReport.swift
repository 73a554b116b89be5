package import Encoding

/// What the gate does with an invitation, as `gatehouse agent connect` prints it.
package struct InvitationReport: StatusObject {
    /// How the gate follows an invitation.
    package enum Way: String, CaseIterable, Sendable {
        /// The gate creates a new connection.
        case new
        /// The gate has already followed this invitation. It led to a connection that exists.
        case known
        /// A connection to the inviter exists. The gate asks the inviter to continue over it.
        case reuse
        /// A connection to the inviter exists. The gate answers the requests in the invitation over it.
        case answer
        /// The invitation offers no handshake. The gate answers its requests over a one-time connection.
        case once
    }

    /// The name of the destination for which the invitation is.
    package var destination: Text?
    /// How the gate follows the invitation.
    package var way: Way?
    /// The id of the connection; nil: the invitation has led to no connection.
    package var id: Text?
    /// Whether the gate still follows the invitation. A request with the same invitation then returns its result.
    package var isUnderWay: Bool?
    /// The reason why the connection failed; nil: it did not fail.
    package var failure: String?

    /// Creates a report in which all members are nil.
    package init() {}

    /// The members, in the order in which they are written as JSON.
    package static let members: [StatusMember<InvitationReport>] = [
        .init("destination", \.destination, .text), .init("way", \.way, .word),
        .init("id", \.id, .text, isAlways: true), .init("underWay", \.isUnderWay, .flag),
        .init("failure", \.failure, .prose, isAlways: true),
    ]
}
