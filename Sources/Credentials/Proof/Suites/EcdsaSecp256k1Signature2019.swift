import Encoding

extension ProofSuite {
    /// ECDSA secp256k1 Signature 2019 (W3C CCG): SHA-256, detached JWS with ES256K.
    static let ecdsaSecp256k1Signature2019 = ProofSuite(
        type: "EcdsaSecp256k1Signature2019", iri: "https://w3id.org/security#EcdsaSecp256k1Signature2019",
        context: "https://w3id.org/security/suites/secp256k1-2019/v1", encoding: .detachedJWS([.es256k]))
}
