import Encoding

/// One proof of a supported suite, ready to be checked: its key is found and may sign here.
struct LinkedDataProof {
    let proof: Located<JSONObject>
    let suite: ProofSuite
    let purpose: ControllerDocument.Purpose
    let key: PublicKey

    /// Key stage: suite, purpose, lookup, controller, authorisation.
    init(
        _ proof: Located<JSONObject>, for purpose: ControllerDocument.Purpose, of authority: KeyResolver.Authority,
        trust: TrustStore, limits: Limits
    ) throws(Rejection) {
        guard let suite = ProofSuite.named(by: proof.value) else {
            throw Rejection(.proofSuiteUnsupported, at: Pointer.append(proof.pointer, "type"))
        }
        guard proof.value["proofPurpose"]?.string == purpose.rawValue else {
            throw Rejection(.proofPurpose, at: Pointer.append(proof.pointer, "proofPurpose"))
        }
        let pointer = Pointer.append(proof.pointer, "verificationMethod")
        guard let method = proof.value["verificationMethod"]?.string, method.utf8.count <= limits.identifierLetters
        else { throw Rejection(.proofMalformed, at: pointer) }
        self.proof = proof
        self.suite = suite
        self.purpose = purpose
        key = try KeyResolver(trust: trust).key(method, for: purpose, of: authority, at: pointer)
    }

    /// The ids of the proofs that this one covers besides the document.
    var previousProofs: [Text] {
        guard suite.formsChains, let member = proof.value["previousProof"] else { return [] }
        return (member.array ?? [member]).map { $0.string ?? "" }
    }

    /// Proof stage: the signature over the proof options and the document. Returns what it covers.
    func verify(
        _ digests: inout DocumentDigests, at now: Timestamp, trust: TrustStore, policy: VerificationPolicy,
        limits: Limits
    ) throws(Rejection) -> ProofCoverage {
        try checkExpiry(at: now, policy)
        let signature = try suite.signature(of: proof, by: key, limits: limits)
        switch suite.canonicalization {
        case .rdfc: return try verifyGraph(signature, &digests, trust)
        case .jcs: return try verifyText(signature, digests)
        }
    }

    private func verifyGraph(
        _ signature: ProofSignature, _ digests: inout DocumentDigests, _ trust: TrustStore
    ) throws(Rejection) -> ProofCoverage {
        let hash = suite.hash(for: key)
        let documentDigest = try digests.rdfc(hash)
        for context in [ProofContext.document, .suite] {
            guard
                let options = ProofOptions(
                    proof.value, of: suite, under: context, documentContext: digests.content.context, trust: trust)
            else { continue }
            let optionsDigest = try LinkedDataDocument.digest(of: options.dataset, hash)
            guard try signature.matches(optionsDigest + documentDigest, key: key) else { continue }
            guard options.keepsMeaning(of: proof.value, suite: suite, purpose: purpose) else {
                throw Rejection(.contextInvalid, at: proof.pointer)
            }
            return ProofCoverage(
                context: context, unsigned: options.unsigned.map { proof.pointer + $0 }, coversText: false)
        }
        throw Rejection(.proofInvalid, at: proof.pointer)
    }

    private func verifyText(
        _ signature: ProofSignature, _ digests: DocumentDigests
    ) throws(Rejection) -> ProofCoverage {
        guard let options = JCSProofOptions(proof.value, documentContext: digests.content.context) else {
            throw Rejection(.proofInvalid, at: Pointer.append(proof.pointer, "@context"))
        }
        let hash = suite.hash(for: key)
        let hashes = try DocumentDigests.jcs(options.options, hash) + digests.jcs(hash, under: options.context)
        guard try signature.matches(hashes, key: key) else { throw Rejection(.proofInvalid, at: proof.pointer) }
        return ProofCoverage(context: .document, unsigned: options.unsigned, coversText: true)
    }

    private func checkExpiry(at now: Timestamp, _ policy: VerificationPolicy) throws(Rejection) {
        guard let member = proof.value["expires"] else { return }
        let pointer = Pointer.append(proof.pointer, "expires")
        let expires = member.string.flatMap {
            Timestamp(rfc3339: $0.string, zoneRequired: policy.profile == .strict)
        }
        guard let expires else { throw Rejection(.proofMalformed, at: pointer) }
        guard now <= expires.advanced(by: policy.clockSkew) else { throw Rejection(.proofExpired, at: pointer) }
    }
}

/// What a proof that matched covers.
struct ProofCoverage {
    /// Under which context its options matched.
    let context: ProofContext
    /// Pointers of members of the document, or of the proof in it, that it leaves open.
    let unsigned: [String]
    /// Whether it covers every member of the document as written, and not only what has a meaning in RDF.
    let coversText: Bool
}
