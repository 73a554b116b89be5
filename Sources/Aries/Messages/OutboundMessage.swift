import Crypto
package import Encoding

/// A message that is sent again until the peer's server accepts it. All attempts have the same id and members, also
/// after a restart.
package struct OutboundMessage: Hashable, Sendable {
    /// The message's `@id`, a UUID.
    package let id: Text
    /// The protocol to which the message belongs.
    package let type: ProtocolName
    /// The name of the message in its protocol.
    package let name: Text
    /// The members that are specific to the message's type, in order.
    package let members: [JSONObject.Member]

    /// Creates a message from its id, protocol, name and members.
    package init(id: Text, _ type: ProtocolName, _ name: Text, _ members: [JSONObject.Member]) {
        (self.id, self.type, self.name, self.members) = (id, type, name, members)
    }

    /// Returns the message as JSON, with its type under `prefix`.
    package func json(_ prefix: TypePrefix) -> JSON {
        Message.make(MessageType(prefix, type, name), id: id, members)
    }

    /// Returns a UUID that is derived from `parts` by a hash. Equal parts result in the same UUID.
    static func id(of parts: Text...) -> Text {
        var hash = SHA256()
        for part in parts {
            hash.update(data: Array(part.utf8) + [0])
        }
        return Text(RandomUUID.text(Array(hash.finalize())) ?? "")
    }
}
