package import DIDComm
package import Encoding

/// An attachment (RFC 0017) with base64 data and a flattened JWS with detached payload, as did-exchange signs
/// attachments (RFC 0023).
package enum SignedAttachment {
    /// Why an attachment does not prove its content.
    package enum Failure: Error, Hashable, Sendable {
        /// A member is absent or not decodable.
        case malformed
        /// `alg` is not EdDSA, or the header asks for an unknown extension.
        case unsupportedAlgorithm
        /// `jwk` or a `kid` in the signature names another key than the expected one.
        case otherKey
        /// The signature does not verify.
        case badSignature
    }

    /// Returns the payload, after checking that `signer` signed it and that every key the signature names is
    /// `signer`: the `jwk`, the protected `kid`s, and the `kid` of the unprotected header.
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
        // The signature covers the canonical base64url of the payload, however the attachment encodes it.
        let signed = Array("\(protected).\(Base64.encode(payload))".utf8)
        guard signer.verifies(signature, over: signed) else { throw .badSignature }
        return payload
    }

    /// Returns an attachment with `payload`, signed by `signer`. `mediaType` is `text/string` for a DID,
    /// `application/json` for a document.
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
