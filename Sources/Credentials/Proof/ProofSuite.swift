import Encoding
import LinkedData
import Reasons

/// A linked-data proof suite as data: the form of its proofs and its algorithms. Each suite has a file in `Suites`.
struct ProofSuite: Sendable {
    /// The encoding of the signature in a proof.
    enum Encoding: Sendable {
        /// The signature is a detached JWS in `jws`. The header names one of the given algorithms.
        case detachedJWS([SignatureAlgorithm])
        /// The signature is in `proofValue`: base58btc multibase of the raw signature. The key determines which of the
        /// given algorithms applies.
        case proofValue([SignatureAlgorithm])
    }

    /// The conversion of options and document to bytes.
    enum Canonicalization: Sendable {
        /// RDF Dataset Canonicalization 1.0.
        case rdfc
        /// JSON Canonicalization Scheme (RFC 8785).
        case jcs
        /// RDF Dataset Canonicalization 1.0, with each statement signed separately.
        case statements
    }

    /// The proof's `type`.
    let type: Text
    /// The proof's `cryptosuite`, for suites of Data Integrity 1.0; nil for older suites.
    var cryptosuite: Text?
    /// The RDF type IRI to which ``type`` must expand.
    let iri: Text
    /// The pinned context for proof options, if the document's contexts do not define the suite; nil if only the
    /// document's contexts apply.
    let context: Text?
    var canonicalization = Canonicalization.rdfc
    let encoding: Encoding

    /// The supported suites.
    static let all = [
        ed25519Signature2018, ed25519Signature2020, rsaSignature2018, ecdsaSecp256k1Signature2019,
        ecdsaSecp256r1Signature2019, jsonWebSignature2020, eddsaRDFC2022, eddsaJCS2022, ecdsaRDFC2019, ecdsaJCS2019,
        ecdsaSD2023,
    ]

    /// Returns the suite that a proof names; nil if this program does not support the suite.
    static func named(by proof: JSONObject) -> ProofSuite? {
        all.first { suite in
            suite.type == proof["type"]?.string
                && (suite.cryptosuite == nil || suite.cryptosuite == proof["cryptosuite"]?.string)
        }
    }

    /// Whether a proof may cover other proofs of the document (Data Integrity 1.0 section 4.3).
    var formsChains: Bool { cryptosuite != nil }

    /// Returns the hash of options and document: SHA-384 for cryptosuites with a P-384 key (VC Data Integrity
    /// ECDSA 1.0 section 3), otherwise SHA-256.
    func hash(for key: PublicKey) -> HashAlgorithm {
        if cryptosuite != nil, case .ellipticCurve(.p384, _) = key { .sha384 } else { .sha256 }
    }

    /// Members of a proof that are not proof options in RDF.
    static let signatureMembers: [Text] = ["jws", "proofValue", "signatureValue"]

    /// The member that contains this suite's signature: `jws` or `proofValue`.
    var signatureMember: Text {
        switch encoding {
        case .detachedJWS: "jws"
        case .proofValue: "proofValue"
        }
    }

    func signature(
        of proof: Located<JSONObject>, by key: PublicKey, limits: Limits
    ) throws(Rejection) -> ProofSignature {
        switch encoding {
        case .detachedJWS(let algorithms):
            let pointer = Pointer.append(proof.pointer, "jws")
            let jws = try DetachedJWS(text(of: proof, "jws", limits), at: pointer)
            guard let algorithm = SignatureAlgorithm(joseName: jws.algorithm), algorithms.contains(algorithm) else {
                throw Rejection(.proofAlgorithm, at: pointer)
            }
            return ProofSignature(
                algorithm: algorithm, bytes: jws.signature, prefix: jws.headerText + [UInt8(ascii: ".")],
                pointer: pointer)
        case .proofValue(let algorithms):
            let text = try text(of: proof, "proofValue", limits)
            let pointer = Pointer.append(proof.pointer, "proofValue")
            // Limit the length, because base58 decoding takes quadratic time. No signature of such a suite exceeds the
            // limit.
            guard text.hasPrefix("z"), text.utf8.count <= 256, let bytes = Multibase.decode(text.string) else {
                throw Rejection(.proofMalformed, at: pointer)
            }
            guard let algorithm = algorithms.first(where: { $0.fits(key) }) else {
                throw Rejection(.proofAlgorithm, at: pointer)
            }
            return ProofSignature(algorithm: algorithm, bytes: bytes, prefix: [], pointer: pointer)
        }
    }

    private func text(of proof: Located<JSONObject>, _ name: Text, _ limits: Limits) throws(Rejection) -> Text {
        guard let text = proof.value[name]?.string, text.utf8.count <= limits.signatureBytes else {
            throw Rejection(.proofMalformed, at: Pointer.append(proof.pointer, name))
        }
        return text
    }
}

/// A signature with its place, and with the bytes that precede the hashes in the signed data (`prefix`).
struct ProofSignature {
    let algorithm: SignatureAlgorithm
    let bytes: [UInt8]
    let prefix: [UInt8]
    let pointer: String

    /// Returns whether the signature matches the signed data: the hash of the proof options, then the hash of the
    /// document.
    func matches(_ hashes: [UInt8], key: PublicKey) throws(Rejection) -> Bool {
        try algorithm.verify(bytes, over: prefix + hashes, by: key, at: pointer)
    }
}
