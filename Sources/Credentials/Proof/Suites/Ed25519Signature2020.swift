import Encoding

extension ProofSuite {
    /// Ed25519 Signature 2020 (VC Data Integrity EdDSA 1.0 section 3.4): SHA-256, `proofValue`.
    static let ed25519Signature2020 = ProofSuite(
        type: "Ed25519Signature2020", iri: "https://w3id.org/security#Ed25519Signature2020",
        context: "https://w3id.org/security/suites/ed25519-2020/v1", encoding: .proofValue([.edDSA]))
}
