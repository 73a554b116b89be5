package import DIDComm
package import Encoding

/// The invitee's messages of connections/1.0 (RFC 0160). The gate uses them for inviters that offer no newer handshake.
package enum LegacyConnection {
    /// The protocol's name in `@type`.
    package static let family: Text = "connections"
    private static let name = ProtocolName(family, 1, 0)

    /// Returns the `request` message, with an unqualified DID and a DID document in the form that RFC 0160 shows.
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

    /// The signed content of a `connection~sig` whose signature was verified.
    package struct SignedConnection: Sendable {
        /// The signed `connection` member.
        package let connection: JSON
        /// The time of the signature in Unix seconds, as the inviter states it. It is not compared with a clock.
        package let timestamp: UInt64
        /// The inviter, with the DID and the service from `connection`.
        package let peer: Peer
    }

    /// Verifies a response and returns its signed content. The signature in `connection~sig` must verify under the
    /// invitation's key, and its `signer` must be that key. The signed data is 8 bytes of time, big-endian, and then
    /// the JSON of `connection`.
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
