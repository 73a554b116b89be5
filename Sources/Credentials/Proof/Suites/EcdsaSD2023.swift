import Encoding

extension ProofSuite {
    /// ecdsa-sd-2023 (VC Data Integrity ECDSA 1.0 section 3.5): P-256 with SHA-256, statements signed one by one.
    static let ecdsaSD2023 = ProofSuite(
        type: "DataIntegrityProof", cryptosuite: "ecdsa-sd-2023", iri: "https://w3id.org/security#DataIntegrityProof",
        context: nil, canonicalization: .statements, encoding: .proofValue([.es256]))
}
