import Encoding

extension ProofSuite {
    /// ecdsa-rdfc-2019 (VC Data Integrity ECDSA 1.0 section 3.2): `proofValue`; P-256 with SHA-256, P-384
    /// with SHA-384. RDFC-1.0 uses the same hash algorithm.
    static let ecdsaRDFC2019 = ProofSuite(
        type: "DataIntegrityProof", cryptosuite: "ecdsa-rdfc-2019", iri: "https://w3id.org/security#DataIntegrityProof",
        context: nil, encoding: .proofValue([.es256, .es384]))

    /// The suite ecdsa-jcs-2019 (VC Data Integrity ECDSA 1.0 section 3.3). Keys and hashes are those of
    /// ecdsa-rdfc-2019; the signed data is canonical JSON.
    static let ecdsaJCS2019 = ProofSuite(
        type: "DataIntegrityProof", cryptosuite: "ecdsa-jcs-2019", iri: "https://w3id.org/security#DataIntegrityProof",
        context: nil, canonicalization: .jcs, encoding: .proofValue([.es256, .es384]))
}
