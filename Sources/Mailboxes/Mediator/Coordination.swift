package import Aries
package import DIDComm
package import Encoding

/// coordinate-mediation/1.0 (RFC 0211): an agent asks a mediator to accept messages for it. The gate has the role of
/// the asking agent.
package enum Coordination {
    /// The protocol's name and version.
    package static let name = MailboxProtocols.coordination
    /// The largest number of keys in one update or answer. An answer with more keys is refused.
    package static let maxKeys = 64

    /// A request to the mediator to add or to remove one key.
    package struct Update: Hashable, Sendable {
        /// The key for which the mediator accepts messages.
        package let key: Verkey
        /// Whether the mediator adds the key (true) or removes it (false).
        package let isAdded: Bool

        /// Creates a request to add or to remove `key`.
        package init(_ key: Verkey, isAdded: Bool) { (self.key, self.isAdded) = (key, isAdded) }
    }

    /// The mediator's result for one key.
    package struct Result: Hashable, Sendable {
        /// The request that the mediator handled.
        package let update: Update
        /// Why the mediator refused the request, as its own code (at most 128 bytes); nil if it carried out the
        /// request.
        package let refusal: Text?
    }

    /// A mediator's answer to the gate.
    package enum Answer: Hashable, Sendable {
        /// The mediator accepts messages for the gate at the given address.
        case granted(MailboxAddress)
        /// The mediator accepts no messages for the gate.
        case denied
        /// The mediator's results for requests to add or to remove keys.
        case updated([Result])
    }

    /// Returns the message that asks a mediator for an address.
    package static func request(id: Text) -> OutboundMessage { OutboundMessage(id: id, name, "mediate-request", []) }

    /// Returns the message that asks the mediator to add or to remove keys: the first ``maxKeys`` of `updates`. The
    /// keys are in plain base58, which every version of the protocol reads.
    package static func update(_ updates: some Sequence<Update>, id: Text) -> OutboundMessage {
        let list = updates.prefix(maxKeys).map { update -> JSON in
            ["recipient_key": .string(update.key.base58), "action": update.isAdded ? "add" : "remove"]
        }
        return OutboundMessage(id: id, name, "keylist-update", [.init("updates", .array(list))])
    }

    /// Reads a mediator's answer; nil if the message is none. Throws ``MailboxFailure/badAddress`` if the granted
    /// address cannot be used, and ``MailboxFailure/malformed`` if the answer violates the protocol.
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

/// A ``MailboxFailure`` that can be thrown.
package struct MailboxProblem: Error, Hashable, Sendable {
    /// The failure that results from the mediator's answer.
    package let failure: MailboxFailure

    init(_ failure: MailboxFailure) { self.failure = failure }
}
