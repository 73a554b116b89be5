import Encoding

extension ProofSuite {
    /// eddsa-jcs-2022 (VC Data Integrity EdDSA 1.0 section 3.3): SHA-256 over canonical JSON, `proofValue`.
    static let eddsaJCS2022 = ProofSuite(
        type: "DataIntegrityProof", cryptosuite: "eddsa-jcs-2022", iri: "https://w3id.org/security#DataIntegrityProof",
        context: nil, canonicalization: .jcs, encoding: .proofValue([.edDSA]))
}
