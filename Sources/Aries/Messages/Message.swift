package import DIDComm
package import Encoding

/// A decrypted Aries message (RFC 0020) with its thread (RFC 0008).
package struct Message: Equatable, Sendable {
    /// Why a plaintext is not an Aries message.
    package enum Failure: Error, Hashable, Sendable {
        /// The bytes are no JSON object, are nested too deep, or contain a thread id longer than 256 bytes.
        case malformed
        /// `@type` is absent or does not have the form of a message type.
        case noType
        /// `@id` is absent, empty or longer than 256 bytes.
        case noID
    }

    /// The parsed `@type`.
    package let type: MessageType
    /// The message's `@id`, at most ``nameBytes`` bytes long.
    package let id: Text
    /// The thread id (`~thread.thid`), at most ``nameBytes`` bytes long; the message's own id if the thread id is
    /// absent or empty.
    package let thread: Text
    /// The id of the parent thread (`~thread.pthid`), at most ``nameBytes`` bytes long; nil if absent.
    package let parentThread: Text?
    /// All members of the message.
    package let body: JSON

    /// The largest length of the id of a message or thread, in bytes. There is a limit because the gate stores such ids
    /// and returns them in answers.
    static let nameBytes = 256

    /// Reads a decrypted message. Its JSON may be nested at most 32 levels deep.
    package init(plaintext: [UInt8]) throws(Failure) {
        var limits = JSON.Limits()
        limits.depth = 32
        do {
            body = try JSON.parse(plaintext, limits: limits)
        } catch {
            throw .malformed
        }
        guard body.object != nil else { throw .malformed }
        guard let type = body["@type"]?.string.flatMap({ MessageType($0) }) else { throw .noType }
        guard let id = body["@id"]?.string, (1...Self.nameBytes).contains(id.utf8.count) else { throw .noID }
        (self.type, self.id) = (type, id)
        let decorator = body["~thread"]
        thread = decorator?["thid"]?.string.flatMap { $0.isEmpty ? nil : $0 } ?? id
        parentThread = decorator?["pthid"]?.string
        guard max(thread.utf8.count, parentThread?.utf8.count ?? 0) <= Self.nameBytes else { throw .malformed }
    }

    /// Whether the sender asks for an acknowledgement of receipt (RFC 0317). A `~please_ack` without `on`, as older
    /// agents write it, asks for one, too.
    var asksForAck: Bool {
        guard let decorator = body["~please_ack"]?.object else { return false }
        guard let on = decorator["on"]?.array, !on.isEmpty else { return true }
        return on.contains { $0.string == "RECEIPT" }
    }

    /// Returns a message, with `members` after type, id and thread. Each message requests return-route (RFC 0092),
    /// because a gate without a mailbox receives answers only in HTTP responses.
    package static func make(
        _ type: MessageType, id: Text, thread: Text? = nil, parentThread: Text? = nil,
        _ members: [JSONObject.Member] = []
    ) -> JSON {
        var object = JSONObject()
        object["@type"] = .string(type.text)
        object["@id"] = .string(id)
        if thread != nil || parentThread != nil {
            var decorator = JSONObject()
            if let thread { decorator["thid"] = .string(thread) }
            if let parentThread { decorator["pthid"] = .string(parentThread) }
            object["~thread"] = .object(decorator)
        }
        for member in members { object[member.name] = member.value }
        object["~transport"] = ["return_route": "all"]
        return .object(object)
    }

    /// Returns a new message id: a random UUID.
    package static func newID(_ random: inout RandomStream) -> Text { Text(RandomUUID.text(random.draw(16)) ?? "") }
}
