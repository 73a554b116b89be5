package import Aries
package import DIDComm
package import Encoding

/// coordinate-mediation/1.0 (RFC 0211), the side of the client that wants a mailbox.
package enum Coordination {
    /// The protocol's name and version.
    package static let name = MailboxProtocols.coordination
    /// The maximum number of keys in one update or answer. An answer with more keys is refused.
    package static let maxKeys = 64

    /// A change of a key that is reported to the mediator.
    package struct Update: Hashable, Sendable {
        /// The key that messages are sent to.
        package let key: Verkey
        /// Whether the key is to be added (true) or removed (false).
        package let isAdded: Bool

        /// Creates a change of one key.
        package init(_ key: Verkey, isAdded: Bool) { (self.key, self.isAdded) = (key, isAdded) }
    }

    /// The result for one key.
    package struct Result: Hashable, Sendable {
        /// The requested change of the key.
        package let update: Update
        /// Nil if the mediator has the key as requested, otherwise its code (at most 128 bytes).
        package let refusal: Text?
    }

    /// An answer of a mediator.
    package enum Answer: Hashable, Sendable {
        /// The mediator accepts messages for the gate at the given address.
        case granted(MailboxAddress)
        /// The mediator accepts no messages for the gate.
        case denied
        /// The mediator's results for the changes of keys.
        case updated([Result])
    }

    /// Returns the request for a mailbox.
    package static func request(id: Text) -> OutboundMessage { OutboundMessage(id: id, name, "mediate-request", []) }

    /// Returns the message that requests changes of keys from the mediator, at most ``maxKeys``. Keys are
    /// written in plain base58, because every version of the protocol reads that form.
    package static func update(_ updates: some Sequence<Update>, id: Text) -> OutboundMessage {
        let list = updates.prefix(maxKeys).map { update -> JSON in
            ["recipient_key": .string(update.key.base58), "action": update.isAdded ? "add" : "remove"]
        }
        return OutboundMessage(id: id, name, "keylist-update", [.init("updates", .array(list))])
    }

    /// Reads a mediator's answer; nil if the message is no such answer. Throws ``MailboxFailure/badAddress``
    /// for a grant that cannot be used, and ``MailboxFailure/malformed`` for a violation of the protocol.
    package static func answer(
        _ message: Message, allowsPlainHTTP: Bool
    ) throws(MailboxProblem) -> Answer? {
        guard message.type.protocolName.family == name.family, message.type.protocolName.major == name.major else {
            return nil
        }
        switch message.type.name {
        case "mediate-grant":
            let body = message.body
            guard
                let address = MailboxAddress(
                    granting: body["endpoint"], keys: body["routing_keys"], allowsPlainHTTP: allowsPlainHTTP)
            else { throw MailboxProblem(.badAddress) }
            return .granted(address)
        case "mediate-deny": return .denied
        case "keylist-update-response":
            guard let entries = message.body["updated"]?.array, entries.count <= maxKeys else {
                throw MailboxProblem(.malformed)
            }
            var results: [Result] = []
            for entry in entries {
                guard let key = entry["recipient_key"]?.string.flatMap({ Verkey($0) }),
                    let action = entry["action"]?.string, let result = entry["result"]?.string,
                    action == "add" || action == "remove"
                else { throw MailboxProblem(.malformed) }
                results.append(
                    Result(
                        update: Update(key, isAdded: action == "add"),
                        refusal: result == "success" || result == "no_change" ? nil : result.prefix(bytes: 128)))
            }
            return .updated(results)
        default: return nil
        }
    }
}

/// A ``MailboxFailure`` as an error.
package struct MailboxProblem: Error, Hashable, Sendable {
    /// The failure that the mediator's answer means.
    package let failure: MailboxFailure

    init(_ failure: MailboxFailure) { self.failure = failure }
}
