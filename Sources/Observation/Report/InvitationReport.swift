package import Encoding

/// The result of an invitation: the answer of `gatehouse agent connect`.
package struct InvitationReport: StatusObject {
    /// The way in which an invitation is carried out.
    package enum Way: String, CaseIterable, Sendable {
        /// A new connection is made.
        case new
        /// The invitation led to an existing connection before.
        case known
        /// The inviter is known. The gate asks it to continue over the existing connection.
        case reuse
        /// The gate answers the requests of the invitation over an existing connection.
        case answer
        /// The invitation offers no handshake. The gate answers its requests over a connection for these answers only.
        case once
    }

    /// The destination of the invitation.
    package var destination: Text?
    /// The way in which the invitation is carried out.
    package var way: Way?
    /// The id of the connection; nil if the invitation led to no connection.
    package var id: Text?
    /// Whether the work continues. Giving the same invitation again returns the result.
    package var isUnderWay: Bool?
    /// The reason why the connection failed.
    package var failure: String?

    /// Creates a report without members.
    package init() {}

    /// The members in the order of the JSON.
    package static let members: [StatusMember<InvitationReport>] = [
        .init("destination", \.destination, .text), .init("way", \.way, .word),
        .init("id", \.id, .text, isAlways: true), .init("underWay", \.isUnderWay, .flag),
        .init("failure", \.failure, .prose, isAlways: true),
    ]
}
