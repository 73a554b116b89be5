package import Encoding

/// did-rotate/1.0 (RFC 0794): a peer changes its DID within a connection. The gate has the role of the observing party.
package enum DIDRotation {
    /// The protocol's name and version.
    package static let name = ProtocolName("did-rotate", 1, 0)

    /// Why the gate refuses a rotation, one case for each code of the protocol.
    package enum Failure: Error, Hashable, Sendable {
        /// The new DID cannot be resolved, or the text is no DID.
        case unresolvable
        /// Only a ledger or another service can resolve a DID of this method, and a gate uses none.
        case methodUnsupported
        /// No service in the new DID's document can be reached by HTTP with at most ``MailboxAddress/maxRoutingKeys``
        /// routing keys.
        case documentUnsupported

        /// The code that the problem report to the peer contains.
        package var code: Text {
            switch self {
            case .unresolvable: "e.did.unresolvable"
            case .methodUnsupported: "e.did.method_unsupported"
            case .documentUnsupported: "e.did.doc_unsupported"
            }
        }
    }

    /// Returns whether `message` announces a new DID.
    static func isRotate(_ message: Message) -> Bool { message.type.isMessage(name.family, 1, "rotate") }

    /// Returns whether `message` ends the connection.
    static func isHangup(_ message: Message) -> Bool { message.type.isMessage(name.family, 1, "hangup") }

    /// Returns the peer under the new DID that `rotate` announces. Only a DID that contains its own document can be
    /// resolved.
    package static func peer(of rotate: Message) throws(Failure) -> Peer {
        guard let did = rotate.body["to_did"]?.string else { throw .unresolvable }
        let document: DIDDocument
        do {
            document = try PeerDID.resolve(did)
        } catch {
            if case .needsResolver = error { throw .methodUnsupported }
            throw .unresolvable
        }
        guard let service = document.preferredService else { throw .documentUnsupported }
        return Peer(did: did, service: service)
    }

    /// Returns the `ack` message, in the thread of a `rotate`. The gate sends it to the peer's previous address.
    package static func ack(_ prefix: TypePrefix, id: Text, thread: Text) -> JSON {
        Message.make(MessageType(prefix, name, "ack"), id: id, thread: thread, [.init("status", "OK")])
    }

    /// Returns the problem report with which the gate refuses a `rotate`. The connection keeps the peer's present DID.
    package static func problem(_ prefix: TypePrefix, id: Text, thread: Text, _ failure: Failure) -> JSON {
        Message.make(
            MessageType(prefix, name, "problem-report"), id: id, thread: thread,
            [.init("description", ["code": .string(failure.code), "en": "the kiosk cannot change to this DID"])])
    }

    /// Returns the `hangup` message, which ends a connection.
    package static func hangup(id: Text) -> OutboundMessage { OutboundMessage(id: id, name, "hangup", []) }
}
