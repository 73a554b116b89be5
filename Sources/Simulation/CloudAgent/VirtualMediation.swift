import Aries
package import DIDComm
package import Encoding
import Mailboxes

/// The mailboxes of a ``VirtualAgent``: coordinate-mediation 1.0, with pickup 2.0 or with one queued message per post,
/// as in real agents. The mailboxes can simulate faults of real agents.
package struct VirtualMediation: Sendable {
    /// The answer to a request for a mailbox.
    package enum Manner: Sendable {
        /// The agent grants the mailbox.
        case grants
        /// The agent denies the mailbox.
        case denies
        /// The agent sends no answer, for example because its controller must agree first.
        case keepsSilent
    }

    /// The reaction to a message.
    enum Outcome {
        case answer(JSON)
        case silence
        case unknown
    }

    /// A queued message.
    private struct Waiting {
        let uid: Text
        let envelope: [UInt8]
    }

    /// The answer to a request for a mailbox.
    package var manner = Manner.grants
    /// Whether the agent supports pickup 2.0.
    package var hasPickup: Bool
    /// The content of the grant in place of the true address; nil for the true address.
    package var grant: JSON?
    /// The result that the agent reports for each update of a key. Only `success` performs the update.
    package var result: Text = "success"
    /// Whether the answers to key updates omit the keys.
    package var omitsKeys = false
    /// Whether each delivery contains its messages twice, first in reverse order.
    package var isConfused = false
    /// The number of messages in a delivery, regardless of the request; nil for the requested number.
    package var deliverySize: Int?
    /// The number of the next `messages-received` messages that the agent ignores.
    package var forgets = 0
    /// The recipient keys for which messages are accepted, and the owner of each.
    package private(set) var owners: [Verkey: Verkey] = [:]
    /// The requested key updates, in order: `add KEY`, `remove KEY`.
    package private(set) var updates: [Text] = []
    /// The number of messages for an unregistered key.
    package private(set) var lost = 0
    private let routing: KeyPair
    private var queues: [Verkey: [Waiting]] = [:]
    private var count = 0

    /// Creates a mediator whose routing key is derived from `seed` (32 bytes); nil for any other length.
    package init?(seed: Secret, hasPickup: Bool) {
        guard let routing = KeyPair(seed: seed) else { return nil }
        (self.routing, self.hasPickup) = (routing, hasPickup)
    }

    /// The number of queued messages.
    package var waiting: Int { queues.values.reduce(0) { $0 + $1.count } }

    /// Puts a message in the mailbox of one of the owners with a registered key.
    package mutating func leave(_ envelope: [UInt8]) {
        guard let owner = owners.values.first else { return }
        count += 1
        queues[owner, default: []].append(Waiting(uid: Text("m\(count)"), envelope: envelope))
    }

    /// Handles an envelope for the routing key. Returns false if the envelope has another recipient.
    mutating func forward(_ envelope: JSON) -> Bool {
        guard let content = try? Envelope.unpack(envelope, with: [routing]) else { return false }
        guard let message = try? Message(plaintext: content.plaintext), message.type.name == "forward",
            let key = message.body["to"]?.string.flatMap({ Verkey($0) }), let inner = message.body["msg"],
            let owner = owners[key]
        else {
            lost += 1
            return true
        }
        count += 1
        queues[owner, default: []].append(Waiting(uid: Text("m\(count)"), envelope: inner.compactBytes))
        return true
    }

    /// Without the pickup protocol, the mediator answers each post of `owner` with one waiting message. Removes and
    /// returns this message; nil if none waits, or if `owner` uses the pickup protocol.
    mutating func next(for owner: Verkey) -> [UInt8]? {
        guard !hasPickup, let first = queues[owner]?.first else { return nil }
        queues[owner]?.removeFirst()
        return first.envelope
    }

    mutating func answer(to message: Message, of owner: Verkey, at endpoint: Text, id: Text) -> Outcome {
        let (type, prefix) = (message.type, message.type.prefix)
        func reply(_ name: Text, _ members: [JSONObject.Member]) -> Outcome {
            .answer(
                Message.make(
                    MessageType(prefix, type.protocolName, name), id: id, thread: message.thread, members))
        }
        if type.isMessage(Coordination.name.family, 1, "mediate-request") {
            switch manner {
            case .keepsSilent: return .silence
            case .denies: return reply("mediate-deny", [])
            case .grants:
                let granted =
                    grant?.object ?? [
                        "endpoint": .string(endpoint), "routing_keys": [.string(routing.verkey.didKey)],
                    ]
                return reply("mediate-grant", granted.members)
            }
        }
        if type.isMessage(Coordination.name.family, 1, "keylist-update") {
            return reply("keylist-update-response", [.init("updated", .array(update(message, owner)))])
        }
        guard hasPickup, type.protocolName.family == Pickup.name.family else { return .unknown }
        switch type.name {
        case "delivery-request":
            let all = queues[owner] ?? []
            var items = Array(all.prefix(deliverySize ?? max(message.body["limit"]?.int ?? 1, 1)))
            if let deliverySize, let one = all.first {
                items = (0..<deliverySize).map { Waiting(uid: Text("copy\($0)"), envelope: one.envelope) }
            }
            if items.isEmpty { return reply("status", [.init("message_count", 0)]) }
            if isConfused { items = items.reversed() + items }
            let attachments = items.map { item -> JSON in
                ["@id": .string(item.uid), "data": ["base64": .text(Base64.encode(item.envelope))]]
            }
            return reply("delivery", [.init("~attach", .array(attachments))])
        case "messages-received":
            if forgets > 0 {
                forgets -= 1
                return .silence
            }
            let uids = (message.body["message_id_list"]?.array ?? []).compactMap(\.string)
            queues[owner]?.removeAll { uids.contains($0.uid) }
            return reply("status", [.init("message_count", .int(queues[owner]?.count ?? 0))])
        default: return .unknown
        }
    }

    private mutating func update(_ message: Message, _ owner: Verkey) -> [JSON] {
        (message.body["updates"]?.array ?? []).compactMap { entry in
            guard let key = entry["recipient_key"]?.string.flatMap({ Verkey($0) }),
                let action = entry["action"]?.string
            else { return nil }
            updates.append(Text("\(action) \(key)"))
            let isNew = action == "add" ? owners[key] == nil : owners[key] != nil
            if result == "success" { owners[key] = action == "add" ? owner : nil }
            if omitsKeys { return nil }
            return [
                "recipient_key": .string(key.didKey), "action": .string(action),
                "result": .string(result == "success" && !isNew ? "no_change" : result),
            ]
        }
    }
}
