import Encoding

extension ProofSuite {
    /// JSON Web Signature 2020 (W3C CCG): SHA-256 over options and document for every algorithm, detached JWS.
    static let jsonWebSignature2020 = ProofSuite(
        type: "JsonWebSignature2020", iri: "https://w3id.org/security#JsonWebSignature2020",
        context: "https://w3id.org/security/suites/jws-2020/v1",
        encoding: .detachedJWS([.edDSA, .es256, .es384, .es256k, .ps256]))
}
