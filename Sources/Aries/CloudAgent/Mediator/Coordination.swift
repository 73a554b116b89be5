package import DIDComm
package import Encoding

/// coordinate-mediation/1.0 (RFC 0211), the side of whoever wants a mailbox.
package enum Coordination {
    /// The protocol's name and version.
    package static let name = ProtocolName("coordinate-mediation", 1, 0)
    /// Keys in one update or answer; more are refused.
    package static let maxKeys = 64

    /// A key to be told to the mediator.
    package struct Update: Hashable, Sendable {
        /// The key that messages come for.
        package let key: Verkey
        /// Added, or removed.
        package let isAdded: Bool

        /// An update of one key.
        package init(_ key: Verkey, isAdded: Bool) { (self.key, self.isAdded) = (key, isAdded) }
    }

    /// What became of one key.
    package struct Result: Hashable, Sendable {
        /// Which.
        package let update: Update
        /// Nil when it is as it should be, else the mediator's word (at most 128 bytes).
        package let refusal: Text?
    }

    /// What a mediator says.
    package enum Answer: Hashable, Sendable {
        /// Messages are taken there.
        case granted(MailboxAddress)
        /// It takes none for us.
        case denied
        /// What became of keys.
        case updated([Result])
    }

    /// Asks for a mailbox.
    package static func request(id: Text) -> OutboundMessage { OutboundMessage(id: id, name, "mediate-request", []) }

    /// Tells of keys, at most ``maxKeys``, written naked, which every version reads.
    package static func update(_ updates: some Sequence<Update>, id: Text) -> OutboundMessage {
        let list = updates.prefix(maxKeys).map { update -> JSON in
            ["recipient_key": .string(update.key.base58), "action": update.isAdded ? "add" : "remove"]
        }
        return OutboundMessage(id: id, name, "keylist-update", [.init("updates", .array(list))])
    }

    /// Reads a mediator's answer; nil for a message that is none. A grant that cannot be used is
    /// ``MailboxFailure/badAddress``, what breaks the protocol ``MailboxFailure/malformed``.
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
    /// What is wrong.
    package let failure: MailboxFailure

    init(_ failure: MailboxFailure) { self.failure = failure }
}
