package import Encoding

/// The question to the inviter of an existing connection whether this connection may also be used for another of its
/// invitations (out-of-band 1.x, RFC 0434 "reuse").
package struct HandshakeReuse: Sendable {
    /// The invitation that the question is about.
    package let invitation: Invitation
    /// The id of the reuse message. It is the same each time the message is sent.
    package let id: Text
    /// How often the reuse message was sent.
    private(set) var sendings = 0
    /// Whether the reuse message must be sent now and was not sent yet.
    package private(set) var isDue = false
    /// The id of the ping that followed the last reuse message; nil if no ping was sent yet.
    package private(set) var ping: Text?
    /// The time limit for the inviter's answer; nil before the first sending. After it the reuse message is sent again,
    /// or the question has failed.
    package private(set) var until: Instant?

    /// The number of times that the reuse message is sent. After that the question has failed.
    static let maxSendings = 3
    /// How long each reuse message waits for an answer.
    package static let patience = Duration.seconds(15)

    /// Creates a question about `invitation` for an existing connection.
    package init(_ invitation: Invitation, id: Text) {
        (self.invitation, self.id) = (invitation, id)
    }

    /// The reuse message, in the minor version of its invitation. Nil for an invitation of connections/1.0: that
    /// protocol has no reuse message, and the answer to a ping takes its place.
    package var message: JSON? {
        guard case .outOfBand(let minor) = invitation.kind else { return nil }
        return Message.make(
            MessageType(invitation.prefix, ProtocolName("out-of-band", 1, minor), "handshake-reuse"), id: id,
            thread: id, parentThread: invitation.id)
    }

    /// Requests another sending of the reuse message at `now`. Returns false if it was sent ``maxSendings`` times
    /// already.
    package mutating func begin(at now: Instant) -> Bool {
        guard sendings < Self.maxSendings else { return false }
        sendings += 1
        (isDue, ping, until) = (true, nil, now.advanced(by: Self.patience))
        return true
    }

    /// Records that the reuse message was sent.
    package mutating func sent() { isDue = false }

    /// Records that the ping with the id `ping` was sent after the reuse message.
    package mutating func followed(by ping: Text) { if !isDue { self.ping = ping } }

    /// Returns whether `message` accepts the reuse. Its parent thread must be the invitation's id. If it has a thread,
    /// the thread must be that of this reuse message.
    package func isAccepted(by message: Message) -> Bool {
        guard message.type.isMessage("out-of-band", 1, "handshake-reuse-accepted") else { return false }
        let thread = message.body["~thread"]?["thid"]?.string
        return message.parentThread == invitation.id && (thread == nil || thread == id)
    }
}
