import Encoding
import LinkedData

/// One proof of a supported suite, ready to be checked: its key is found and may sign here.
struct LinkedDataProof {
    let proof: Located<JSONObject>
    let suite: ProofSuite
    let purpose: ControllerDocument.Purpose
    let key: PublicKey

    /// Key stage: suite, purpose, lookup, controller, authorisation. `issued` is the document's own date of issue.
    init(
        _ proof: Located<JSONObject>, for purpose: ControllerDocument.Purpose, of authority: KeyResolver.Authority,
        issued: Timestamp? = nil, at now: Timestamp, trust: TrustStore, limits: Limits
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
        let created = proof.value["created"]?.string.flatMap { Timestamp(rfc3339: $0.string, zoneRequired: false) }
        key = try KeyResolver(trust: trust, now: now).key(
            method, for: purpose, of: authority, issuedAt: [issued, created].compactMap(\.self), at: pointer)
    }

    /// The ids of the proofs that this one covers besides the document.
    var previousProofs: [Text] {
        guard suite.formsChains, let member = proof.value["previousProof"] else { return [] }
        return (member.array ?? [member]).map { $0.string ?? "" }
    }

    /// What names the signed content of a selective disclosure whatever is shown of it: the key that its issuer made for it.
    var disclosureKey: [UInt8]? {
        guard suite.canonicalization == .statements else { return nil }
        return proof.value["proofValue"]?.string.flatMap { SelectiveDisclosureProof($0)?.ephemeralKey }
    }

    /// Proof stage: the signature over the proof options and the document. Returns what it covers.
    func verify(
        _ digests: inout DocumentDigests, at now: Timestamp, trust: TrustStore, policy: VerificationPolicy,
        limits: Limits
    ) throws(Rejection) -> ProofCoverage {
        try checkDates(at: now, policy)
        if suite.canonicalization == .statements { return try verifyStatements(digests.content, trust, limits) }
        let signature = try suite.signature(of: proof, by: key, limits: limits)
        switch suite.canonicalization {
        case .rdfc, .statements: return try verifyGraph(signature, &digests, trust)
        case .jcs: return try verifyText(signature, &digests)
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

    /// VC Data Integrity ECDSA 1.0 section 3.5.8: the issuer's signature over options, key and mandatory statements, and
    /// one of that key for each further statement.
    private func verifyStatements(
        _ content: LinkedDataDocument, _ trust: TrustStore, _ limits: Limits
    ) throws(Rejection) -> ProofCoverage {
        let pointer = Pointer.append(proof.pointer, "proofValue")
        guard let text = proof.value["proofValue"]?.string, text.utf8.count <= limits.disclosureProofLetters,
            let value = SelectiveDisclosureProof(text),
            case .success(let ephemeral) = Result(catching: { () throws(PublicKey.Failure) in
                try KeyEncoding.multibase(Text("u" + Base64.encode(value.ephemeralKey)))
            }), case .ellipticCurve(.p256, _) = ephemeral
        else { throw Rejection(.proofMalformed, at: pointer) }
        let invalid = Rejection(.proofInvalid, at: proof.pointer)
        let canonical: CanonicalDataset
        do throws(CanonicalizationError) {
            canonical = try RDFC10.canonicalize(content.dataset)
        } catch { throw Rejection(.canonTooComplex) }
        guard let statements = value.statements(of: content.dataset, issued: canonical.issued),
            let options = ProofOptions(
                proof.value, of: suite, under: .document, documentContext: content.context, trust: trust)
        else { throw invalid }
        let mandatory = statements.indices.filter(value.mandatory.contains)
        let further = statements.indices.filter { !value.mandatory.contains($0) }
        guard mandatory.count == value.mandatory.count, further.count == value.signatures.count else { throw invalid }
        let message =
            try LinkedDataDocument.digest(of: options.dataset) + value.ephemeralKey
            + Digest.sha256(mandatory.flatMap { statements[$0] })
        guard SignatureAlgorithm.es256.fits(key) else { throw Rejection(.proofAlgorithm, at: pointer) }
        guard try SignatureAlgorithm.es256.verify(value.baseSignature, over: message, by: key, at: pointer) else {
            throw invalid
        }
        for (index, signature) in zip(further, value.signatures) {
            let matches = try SignatureAlgorithm.es256.verify(
                signature, over: statements[index], by: ephemeral, at: pointer)
            guard matches else { throw invalid }
        }
        guard options.keepsMeaning(of: proof.value, suite: suite, purpose: purpose) else {
            throw Rejection(.contextInvalid, at: proof.pointer)
        }
        return ProofCoverage(
            context: .document, unsigned: options.unsigned.map { proof.pointer + $0 }, coversText: false)
    }

    private func verifyText(
        _ signature: ProofSignature, _ digests: inout DocumentDigests
    ) throws(Rejection) -> ProofCoverage {
        guard let options = JCSProofOptions(proof.value, documentContext: digests.content.context) else {
            throw Rejection(.proofInvalid, at: Pointer.append(proof.pointer, "@context"))
        }
        let hash = suite.hash(for: key)
        let hashes = try digests.jcs(options: options, hash) + digests.jcs(hash, under: options.context)
        guard try signature.matches(hashes, key: key) else { throw Rejection(.proofInvalid, at: proof.pointer) }
        return ProofCoverage(context: .document, unsigned: options.unsigned, coversText: true)
    }

    /// Data Integrity 1.0 section 2.1: `created` and `expires` are date-times. What older suites state as `created` is
    /// signed with them and read by nobody.
    private func checkDates(at now: Timestamp, _ policy: VerificationPolicy) throws(Rejection) {
        if suite.cryptosuite != nil { _ = try date("created", policy) }
        guard let expires = try date("expires", policy) else { return }
        guard now <= expires.advanced(by: policy.clockSkew) else {
            throw Rejection(.proofExpired, at: Pointer.append(proof.pointer, "expires"))
        }
    }

    private func date(_ name: Text, _ policy: VerificationPolicy) throws(Rejection) -> Timestamp? {
        guard let member = proof.value[name] else { return nil }
        let date = member.string.flatMap { Timestamp(rfc3339: $0.string, zoneRequired: policy.profile == .strict) }
        guard let date else { throw Rejection(.proofMalformed, at: Pointer.append(proof.pointer, name)) }
        return date
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
