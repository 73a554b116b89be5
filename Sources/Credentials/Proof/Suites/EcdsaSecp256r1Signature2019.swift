import Encoding

extension ProofSuite {
    /// ECDSA secp256r1 Signature 2019 (W3C CCG): SHA-256, detached JWS with ES256. No suite context was ever
    /// published; security/v3 defines the type.
    static let ecdsaSecp256r1Signature2019 = ProofSuite(
        type: "EcdsaSecp256r1Signature2019", iri: "https://w3id.org/security#EcdsaSecp256r1Signature2019",
        context: "https://w3id.org/security/v3", encoding: .detachedJWS([.es256]))
}
