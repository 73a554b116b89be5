package import DIDComm
package import Encoding

/// A signed attachment of did-exchange (RFC 0017, RFC 0023): base64 data, and a flattened JWS with detached payload
/// over them.
package enum SignedAttachment {
    /// Why the signature of an attachment is not accepted.
    package enum Failure: Error, Hashable, Sendable {
        /// A member of the attachment is absent or cannot be decoded.
        case malformed
        /// The signature's `alg` is not EdDSA, or its header requires an extension (`crit` or `b64`).
        case unsupportedAlgorithm
        /// The `jwk` or a `kid` of the signature names another key than the expected one.
        case otherKey
        /// The signature does not verify under the expected key.
        case badSignature
    }

    /// Returns the attachment's payload if `signer` signed it. Each key that the signature names must be `signer`: the
    /// `jwk`, each protected `kid`, and the `kid` of the unprotected header.
    package static func verify(_ attachment: JSON, signedBy signer: Verkey) throws(Failure) -> [UInt8] {
        let jws = attachment["data"]?["jws"]
        guard let payload = attachment["data"]?["base64"]?.string.flatMap({ Base64.decodeAny($0.string) }),
            let protected = jws?["protected"]?.string,
            let signature = jws?["signature"]?.string.flatMap({ Base64.decodeAny($0.string) }),
            let headerBytes = Base64.decodeAny(protected.string), let header = try? JSON.parse(headerBytes),
            header.object != nil
        else { throw .malformed }
        guard header["alg"] == "EdDSA", header["crit"] == nil, header["b64"] == nil else {
            throw .unsupportedAlgorithm
        }
        if let jwk = header["jwk"] {
            guard jwk["kty"] == "OKP", jwk["crv"] == "Ed25519",
                jwk["x"]?.string.flatMap({ Base64.decodeAny($0.string) }) == signer.bytes
            else { throw .otherKey }
        }
        for kid in [jws?["header"]?["kid"], header["kid"], header["jwk"]?["kid"]] {
            if let kid, kid.string.flatMap({ Verkey($0) }) != signer { throw .otherKey }
        }
        // The signature is over the payload in canonical base64url, even if the attachment encodes the payload in
        // another base64 form.
        let signed = Array("\(protected).\(Base64.encode(payload))".utf8)
        guard signer.verifies(signature, over: signed) else { throw .badSignature }
        return payload
    }

    /// Returns an attachment that contains `payload` and is signed by `signer`. `mediaType` is `text/string` for a DID
    /// and `application/json` for a document.
    package static func sign(_ payload: [UInt8], mediaType: Text, id: Text, by signer: KeyPair) -> JSON {
        let did = JSON.string(signer.verkey.didKey)
        let header: JSON = [
            "alg": "EdDSA",
            "kid": did,
            "jwk": ["kty": "OKP", "crv": "Ed25519", "x": .text(Base64.encode(signer.verkey.bytes)), "kid": did],
        ]
        let protected = Base64.encode(header.compactBytes)
        let base64 = Base64.encode(payload)
        return [
            "@id": .string(id),
            "mime-type": .string(mediaType),
            "data": [
                "base64": .text(base64),
                "jws": [
                    "header": ["kid": did],
                    "protected": .text(protected),
                    "signature": .text(Base64.encode(signer.sign(Array("\(protected).\(base64)".utf8)))),
                ],
            ],
        ]
    }
}
