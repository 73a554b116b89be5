package import DIDComm
package import Encoding

/// The invitee's messages of connections/1.0 (RFC 0160), for inviters that offer no newer handshake.
package enum LegacyConnection {
    /// The family's name in `@type`.
    package static let family: Text = "connections"
    private static let name = ProtocolName(family, 1, 0)

    /// Returns the `request`, with an unqualified DID and the document that RFC 0160 shows.
    package static func request(
        _ prefix: TypePrefix, id: Text, invitation: Text, label: Text, key: Verkey, at address: MailboxAddress
    ) -> JSON {
        let (did, verkey) = (key.unqualifiedDID, JSON.string(key.base58))
        let keyID = JSON.text("\(did)#1")
        let document: JSON = [
            "@context": "https://w3id.org/did/v1",
            "id": .string(did),
            "publicKey": [
                [
                    "id": keyID, "type": "Ed25519VerificationKey2018", "controller": .string(did),
                    "publicKeyBase58": verkey,
                ]
            ],
            "authentication": [["type": "Ed25519SignatureAuthentication2018", "publicKey": keyID]],
            "service": [
                [
                    "id": .text("\(did);indy"), "type": "IndyAgent", "priority": 0, "recipientKeys": [verkey],
                    "routingKeys": .array(address.routingKeys.map { .string($0.base58) }),
                    "serviceEndpoint": .string(address.endpoint),
                ]
            ],
        ]
        return Message.make(
            MessageType(prefix, name, "request"), id: id, thread: id, parentThread: invitation,
            [
                .init("label", .string(label)),
                .init("connection", ["DID": .string(did), "DIDDoc": document]),
            ])
    }

    /// The content that a `connection~sig` proves.
    package struct SignedConnection: Sendable {
        /// The signed `connection` member.
        package let connection: JSON
        /// The time of the signature in Unix seconds. It is only for the log and is never compared with a
        /// clock.
        package let timestamp: UInt64
        /// The inviter as `connection` describes it.
        package let peer: Peer
    }

    /// Verifies a response and returns its signed content: `connection~sig` must verify under the
    /// invitation's key and name it as signer; its data is 8 bytes of big-endian time and then the JSON of
    /// `connection`.
    package static func verify(response: JSON, invitationKey: Verkey) throws(HandshakeFailure) -> SignedConnection {
        guard let block = response["connection~sig"] else { throw .unsigned }
        guard let data = block["sig_data"]?.string.flatMap({ Base64.decodeAny($0.string) }),
            let signature = block["signature"]?.string.flatMap({ Base64.decodeAny($0.string) })
        else { throw .malformed }
        guard block["signer"]?.string.flatMap({ Verkey($0) }) == invitationKey,
            invitationKey.verifies(signature, over: data)
        else { throw .notTheInviter }

        var reader = ByteReader(data)
        guard let timestamp = try? reader.uint64BE(), let connection = try? JSON.parse(Array(reader.rest)),
            let did = connection["DID"]?.string, !did.isEmpty, let document = connection["DIDDoc"]
        else { throw .malformed }
        let parsed = DIDDocument(document, names: [did, DIDExchange.qualified(did)])
        if let id = parsed.id, DIDExchange.qualified(id) != DIDExchange.qualified(did) { throw .otherDID }
        guard let service = parsed.preferredService else { throw .noService }
        return SignedConnection(connection: connection, timestamp: timestamp, peer: Peer(did: did, service: service))
    }
}
