import Encoding

/// The protocols between a mailbox and its owner, over an ordinary connection.
enum MailboxProtocols {
    /// Returns whether a message is one that a mailbox sends to its owner. A message that an owner sends is
    /// refused like any other request.
    static func include(_ type: MessageType) -> Bool {
        let (coordination, pickup) = (Coordination.name, Pickup.name)
        return ["mediate-grant", "mediate-deny", "keylist-update-response"].contains {
            type.isMessage(coordination.family, coordination.major, $0)
        } || ["status", "delivery"].contains { type.isMessage(pickup.family, pickup.major, $0) }
    }
}
