import Encoding

extension ProofSuite {
    /// RSA Signature 2018 (W3C CCG): SHA-256, detached JWS with RS256 or, as MOSIP issues it, PS256.
    static let rsaSignature2018 = ProofSuite(
        type: "RsaSignature2018", iri: "https://w3id.org/security#RsaSignature2018",
        context: "https://w3id.org/security/v2", encoding: .detachedJWS([.rs256, .ps256]))
}
