import Encoding

/// The protocols between a mailbox and the agent that uses it. Their messages are sent over an ordinary connection.
package enum MailboxProtocols {
    /// coordinate-mediation/1.0 (RFC 0211).
    package static let coordination = ProtocolName("coordinate-mediation", 1, 0)
    /// messagepickup/2.0 (RFC 0685).
    package static let pickup = ProtocolName("messagepickup", 2, 0)

    /// Returns whether a mailbox sends messages of type `type` to its user. The messages in the other direction are not
    /// included: the gate is no mailbox and refuses them.
    static func include(_ type: MessageType) -> Bool {
        ["mediate-grant", "mediate-deny", "keylist-update-response"].contains {
            type.isMessage(coordination.family, coordination.major, $0)
        } || ["status", "delivery"].contains { type.isMessage(pickup.family, pickup.major, $0) }
    }
}
