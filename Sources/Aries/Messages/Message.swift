package import DIDComm
package import Encoding

/// A decrypted Aries message (RFC 0020) with its thread (RFC 0008).
package struct Message: Equatable, Sendable {
    /// Why a plaintext is no Aries message.
    package enum Failure: Error, Hashable, Sendable {
        /// The bytes are no JSON object, are nested too deep, or have a thread id longer than 256 bytes.
        case malformed
        /// `@type` is absent or of another form.
        case noType
        /// `@id` is absent, empty or longer than 256 bytes.
        case noID
    }

    /// The parsed `@type`.
    package let type: MessageType
    /// `@id`, at most ``nameBytes``.
    package let id: Text
    /// `~thread.thid`, at most ``nameBytes``; the message's own id if that is absent.
    package let thread: Text
    /// `~thread.pthid`, at most ``nameBytes``.
    package let parentThread: Text?
    /// All members of the message.
    package let body: JSON

    /// The longest id of a message or thread, in bytes: ids are stored and echoed.
    static let nameBytes = 256

    /// Reads a plaintext, nested at most 32 deep.
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

    /// Whether the sender asks for an acknowledgement of receipt (RFC 0317). The old empty object means that,
    /// too.
    var asksForAck: Bool {
        guard let decorator = body["~please_ack"]?.object else { return false }
        guard let on = decorator["on"]?.array, !on.isEmpty else { return true }
        return on.contains { $0.string == "RECEIPT" }
    }

    /// Returns a message with its members in their usual order. Every message has return-route (RFC 0092),
    /// because an answer over HTTP has no other way back to a gate.
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

    /// Returns the id of another message: a UUID.
    package static func newID(_ random: inout RandomStream) -> Text { Text(RandomUUID.text(random.draw(16)) ?? "") }
}
