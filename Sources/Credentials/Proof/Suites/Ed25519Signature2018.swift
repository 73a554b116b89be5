import Encoding

extension ProofSuite {
    /// Ed25519 Signature 2018 (W3C CCG): SHA-256, detached JWS with EdDSA.
    static let ed25519Signature2018 = ProofSuite(
        type: "Ed25519Signature2018", iri: "https://w3id.org/security#Ed25519Signature2018",
        context: "https://w3id.org/security/suites/ed25519-2018/v1", encoding: .detachedJWS([.edDSA]))
}
