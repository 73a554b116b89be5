package import Encoding

/// The question to a known inviter whether it continues with the existing connection (out-of-band 1.x, RFC
/// 0434 "reuse").
package struct HandshakeReuse: Sendable {
    /// The invitation that the question is about.
    package let invitation: Invitation
    /// The id of the reuse message. It is the same each time the message is sent.
    package let id: Text
    /// How often the reuse message was sent.
    private(set) var sendings = 0
    /// Whether the message is due and was not passed to the connection yet.
    package private(set) var isDue = false
    /// The id of the ping after the last sending.
    package private(set) var ping: Text?
    /// The time limit for an answer. After that the message is sent again, or given up.
    package private(set) var until: Instant?

    /// The maximum number of times that the message is sent.
    static let maxSendings = 3
    /// The time limit for an answer each time the message is sent.
    package static let patience = Duration.seconds(15)

    /// Creates a question about `invitation` for an existing connection.
    package init(_ invitation: Invitation, id: Text) {
        (self.invitation, self.id) = (invitation, id)
    }

    /// The reuse message, in the minor version of its invitation; nil for an invitation of connections/1.0.
    /// That protocol has no reuse message, and an answered ping is enough.
    package var message: JSON? {
        guard case .outOfBand(let minor) = invitation.kind else { return nil }
        return Message.make(
            MessageType(invitation.prefix, ProtocolName("out-of-band", 1, minor), "handshake-reuse"), id: id,
            thread: id, parentThread: invitation.id)
    }

    /// Makes another sending due. Returns false after ``maxSendings``.
    package mutating func begin(at now: Instant) -> Bool {
        guard sendings < Self.maxSendings else { return false }
        sendings += 1
        (isDue, ping, until) = (true, nil, now.advanced(by: Self.patience))
        return true
    }

    /// Records that the message is on its way.
    package mutating func sent() { isDue = false }

    /// Records that the ping with the id `ping` follows the reuse message.
    package mutating func followed(by ping: Text) { if !isDue { self.ping = ping } }

    /// Returns whether `message` accepts the reuse. The message's parent thread must be the invitation's thread. If it
    /// has a thread, that must be the thread of this reuse message.
    package func isAccepted(by message: Message) -> Bool {
        guard message.type.isMessage("out-of-band", 1, "handshake-reuse-accepted") else { return false }
        let thread = message.body["~thread"]?["thid"]?.string
        return message.parentThread == invitation.id && (thread == nil || thread == id)
    }
}
