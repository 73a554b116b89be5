import Crypto
package import Encoding

/// A message that is sent until the peer's server accepts it: the same id and members in every attempt, also
/// after a restart.
package struct OutboundMessage: Hashable, Sendable {
    /// The `@id`, a UUID.
    package let id: Text
    /// The protocol to which the message belongs.
    package let type: ProtocolName
    /// The name of the message in its protocol.
    package let name: Text
    /// The message's own members, in order.
    package let members: [JSONObject.Member]

    /// Creates a message from its id, protocol, name and members.
    package init(id: Text, _ type: ProtocolName, _ name: Text, _ members: [JSONObject.Member]) {
        (self.id, self.type, self.name, self.members) = (id, type, name, members)
    }

    /// Returns the message in the form that is packed.
    package func json(_ prefix: TypePrefix) -> JSON {
        Message.make(MessageType(prefix, type, name), id: id, members)
    }

    /// Returns an id that is derived from `parts`. Equal parts give the same UUID.
    static func id(of parts: Text...) -> Text {
        var hash = SHA256()
        for part in parts {
            hash.update(data: Array(part.utf8) + [0])
        }
        return Text(RandomUUID.text(Array(hash.finalize())) ?? "")
    }
}
