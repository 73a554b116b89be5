package import DIDComm
package import Encoding

/// The requester's messages of did-exchange 1.0 and 1.1 (RFC 0023) with a did:peer:4.
package enum DIDExchange {
    /// The family's name in `@type`.
    package static let family: Text = "didexchange"

    /// Returns the long-form did:peer:4 of a gate: one Ed25519 key, and one service at which messages for
    /// this key are accepted.
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
                    // Write the keys as references to keys: ACA-Py finds no key under a DID without fragment,
                    // and then loses the sender's key, too.
                    "routingKeys": .array(address.routingKeys.map { .text("\($0.didKey)#\($0.multibase)") }),
                ]
            ],
        ]).long
    }

    /// Returns the `request`. The id of the request is also the thread of the whole exchange.
    package static func request(
        _ prefix: TypePrefix, minor: Int, id: Text, invitation: Text, label: Text, did: Text
    ) -> JSON {
        Message.make(
            MessageType(prefix, ProtocolName(family, 1, minor), "request"), id: id, thread: id,
            parentThread: invitation, [.init("label", .string(label)), .init("did", .string(did))])
    }

    /// Returns the `complete` that ends the exchange.
    package static func complete(
        _ prefix: TypePrefix, minor: Int, id: Text, thread: Text, invitation: Text
    ) -> JSON {
        Message.make(
            MessageType(prefix, ProtocolName(family, 1, minor), "complete"), id: id, thread: thread,
            parentThread: invitation)
    }

    /// Verifies a response and returns the peer. The invitation's key must prove the response: each
    /// attachment that is present must verify under that key, at least one must be present, and its signed
    /// content must be the response's `did`.
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

    /// Returns the DID, with `did:sov:` before it if it is unqualified. The two forms are the same DID.
    static func qualified(_ did: Text) -> Text {
        did.hasPrefix("did:") ? did : Text("did:sov:" + did.string)
    }
}
