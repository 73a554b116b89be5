import Encoding

extension ProofSuite {
    /// eddsa-rdfc-2022 (VC Data Integrity EdDSA 1.0 section 3.2): SHA-256, `proofValue`, options always under
    /// the document's context.
    static let eddsaRDFC2022 = ProofSuite(
        type: "DataIntegrityProof", cryptosuite: "eddsa-rdfc-2022", iri: "https://w3id.org/security#DataIntegrityProof",
        context: nil, encoding: .proofValue([.edDSA]))
}
