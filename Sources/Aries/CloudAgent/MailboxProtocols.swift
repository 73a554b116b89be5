import Encoding

/// The protocols between a mailbox and its owner, over an ordinary connection.
enum MailboxProtocols {
    /// Whether a message belongs to one of them.
    static func include(_ type: MessageType) -> Bool {
        [Coordination.name.family, Pickup.name.family].contains(type.protocolName.family)
    }
}
