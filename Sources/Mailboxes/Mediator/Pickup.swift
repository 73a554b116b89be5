package import Aries
package import Encoding

/// messagepickup/2.0 (RFC 0685): an agent fetches its messages from a mediator. The gate has the role of the fetching
/// agent. It leaves out `recipient_key`, so the mediator answers for all keys of the gate.
package enum Pickup {
    /// The protocol's name and version.
    package static let name = MailboxProtocols.pickup
    /// The largest length of an attachment's id, in bytes.
    static let maxIDBytes = 256

    /// A waiting message, which the mediator stores until the gate confirms it.
    package struct Item: Hashable, Sendable {
        /// The mediator's id of the message.
        package let uid: Text
        /// The encrypted message.
        package let envelope: [UInt8]
    }

    /// An answer of a mediator.
    package enum Answer: Hashable, Sendable {
        /// The number of messages that wait at the mediator.
        case status(Int)
        /// Some of the waiting messages, in the mediator's order, without repeated ids.
        case delivery([Item])
    }

    /// Returns the request for at most `limit` waiting messages.
    package static func delivery(limit: Int, id: Text) -> OutboundMessage {
        OutboundMessage(id: id, name, "delivery-request", [.init("limit", .int(limit))])
    }

    /// Returns the confirmation that the messages with the ids `uids` are durable at the gate, so that the mediator may
    /// delete them.
    package static func received(_ uids: [Text], id: Text) -> OutboundMessage {
        OutboundMessage(id: id, name, "messages-received", [.init("message_id_list", .array(uids.map(JSON.string)))])
    }

    /// Reads a mediator's answer to a request for at most `limit` messages; nil if the message is of another type.
    /// Throws ``MailboxFailure/malformed`` if the answer violates the protocol.
    package static func answer(_ message: Message, limit: Int) throws(MailboxProblem) -> Answer? {
        guard message.type.protocolName.family == name.family, message.type.protocolName.major == name.major else {
            return nil
        }
        switch message.type.name {
        case "status":
            guard let count = message.body["message_count"]?.int, count >= 0 else { throw MailboxProblem(.malformed) }
            return .status(count)
        case "delivery":
            guard let entries = message.body["~attach"]?.array, entries.count <= limit else {
                throw MailboxProblem(.malformed)
            }
            var items: [Item] = []
            for entry in entries {
                guard let uid = entry["@id"]?.string, (1...maxIDBytes).contains(uid.utf8.count),
                    let envelope = entry["data"]?["base64"]?.string.flatMap({ Base64.decodeAny($0.string) })
                        ?? entry["data"]?["json"]?.compactBytes
                else { throw MailboxProblem(.malformed) }
                if !items.contains(where: { $0.uid == uid }) { items.append(Item(uid: uid, envelope: envelope)) }
            }
            return .delivery(items)
        default: return nil
        }
    }
}
