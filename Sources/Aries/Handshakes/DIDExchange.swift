package import DIDComm
package import Encoding

/// The requester's messages of did-exchange 1.0 and 1.1 (RFC 0023). The requester's DID is a did:peer:4.
package enum DIDExchange {
    /// The protocol's name in `@type`.
    package static let family: Text = "didexchange"

    /// Returns the gate's DID for one connection, a long-form did:peer:4. Its document has the Ed25519 key `key` and
    /// one service, which accepts messages for this key at `address`.
    package static func did(for key: Verkey, at address: MailboxAddress) -> Text {
        PeerDID.encode4([
            "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1"],
            "verificationMethod": [
                ["id": "#key-0", "type": "Multikey", "publicKeyMultibase": .string(key.multibase)]
            ],
            "authentication": ["#key-0"],
            "assertionMethod": ["#key-0"],
            "service": [
                [
                    "id": "#didcomm-0",
                    "type": "did-communication",
                    "priority": 0,
                    "recipientKeys": ["#key-0"],
                    "accept": ["didcomm/aip1", "didcomm/aip2;env=rfc19"],
                    "serviceEndpoint": .string(address.endpoint),
                    // Write each key as a did:key with a fragment. ACA-Py finds no key in a DID without fragment, and
                    // then it loses the sender's key, too.
                    "routingKeys": .array(address.routingKeys.map { .text("\($0.didKey)#\($0.multibase)") }),
                ]
            ],
        ]).long
    }

    /// Returns the `request` message. Its id is also the thread id of the whole exchange.
    package static func request(
        _ prefix: TypePrefix, minor: Int, id: Text, invitation: Text, label: Text, did: Text
    ) -> JSON {
        Message.make(
            MessageType(prefix, ProtocolName(family, 1, minor), "request"), id: id, thread: id,
            parentThread: invitation, [.init("label", .string(label)), .init("did", .string(did))])
    }

    /// Returns the `complete` message, which ends the exchange.
    package static func complete(
        _ prefix: TypePrefix, minor: Int, id: Text, thread: Text, invitation: Text
    ) -> JSON {
        Message.make(
            MessageType(prefix, ProtocolName(family, 1, minor), "complete"), id: id, thread: thread,
            parentThread: invitation)
    }

    /// Verifies a response and returns the peer. The response has one or two attachments. Each must be signed with the
    /// invitation's key, and its content must be the response's `did` or the document of that DID.
    package static func verify(response: JSON, invitationKey: Verkey) throws(HandshakeFailure) -> Peer {
        guard let did = response["did"]?.string, !did.isEmpty else { throw .malformed }
        var signedDocument: DIDDocument?
        var isSigned = false
        if let attachment = response["did_doc~attach"] {
            guard let json = try? JSON.parse(try payload(of: attachment, invitationKey)) else { throw .malformed }
            let document = DIDDocument(json, names: [did, qualified(did)])
            guard let id = document.id, qualified(id) == qualified(did) else { throw .otherDID }
            (signedDocument, isSigned) = (document, true)
        }
        if let attachment = response["did_rotate~attach"] {
            guard let signed = Text(utf8: try payload(of: attachment, invitationKey)) else { throw .malformed }
            guard qualified(signed) == qualified(did) else { throw .otherDID }
            isSigned = true
        }
        guard isSigned else { throw .unsigned }
        guard let document = signedDocument ?? (try? PeerDID.resolve(did)) else { throw .unresolvable }
        guard let service = document.preferredService else { throw .noService }
        return Peer(did: did, service: service)
    }

    private static func payload(of attachment: JSON, _ key: Verkey) throws(HandshakeFailure) -> [UInt8] {
        do {
            return try SignedAttachment.verify(attachment, signedBy: key)
        } catch {
            throw error == .malformed ? .malformed : .notTheInviter
        }
    }

    /// Returns `did` with the prefix `did:sov:` if it has no method: both forms name the same DID.
    static func qualified(_ did: Text) -> Text {
        did.hasPrefix("did:") ? did : Text("did:sov:" + did.string)
    }
}
