package import Encoding

/// Asking an inviter that is known to go on with the connection that exists (out-of-band 1.x, RFC 0434 "reuse").
package struct HandshakeReuse: Sendable {
    /// The invitation that is answered.
    package let invitation: Invitation
    /// The id of the reuse message, the same in each sending.
    package let id: Text
    /// How often it was sent.
    package private(set) var sendings = 0
    /// Whether a sending is due and not yet on its way.
    package private(set) var isDue = false
    /// The ping behind the last sending.
    package private(set) var ping: Text?
    /// No answer by then: sent again, or given up.
    package private(set) var until: Instant?

    /// At most so many sendings.
    package static let maxSendings = 3
    /// How long one sending may stay without answer.
    package static let patience = Duration.seconds(15)

    /// A request to answer `invitation` on an existing connection.
    package init(_ invitation: Invitation, id: Text) {
        (self.invitation, self.id) = (invitation, id)
    }

    /// The message, in the minor version of its invitation; nil for an invitation of connections/1.0, which knows no reuse:
    /// there a ping that is answered has to do.
    package var message: JSON? {
        guard case .outOfBand(let minor) = invitation.kind else { return nil }
        return Message.make(
            MessageType(invitation.prefix, ProtocolName("out-of-band", 1, minor), "handshake-reuse"), id: id,
            thread: id, parentThread: invitation.id)
    }

    /// It is to go out once more; false when it did often enough.
    package mutating func begin(at now: Instant) -> Bool {
        guard sendings < Self.maxSendings else { return false }
        sendings += 1
        (isDue, ping, until) = (true, nil, now.advanced(by: Self.patience))
        return true
    }

    /// It is on its way.
    package mutating func sent() { isDue = false }

    /// A ping of that id follows it.
    package mutating func followed(by ping: Text) { if !isDue { self.ping = ping } }

    /// Whether `message` accepts it: the parent thread must be the invitation's, and the thread ours where there is one.
    package func isAccepted(by message: Message) -> Bool {
        guard message.type.isMessage("out-of-band", 1, "handshake-reuse-accepted") else { return false }
        let thread = message.body["~thread"]?["thid"]?.string
        return message.parentThread == invitation.id && (thread == nil || thread == id)
    }
}
