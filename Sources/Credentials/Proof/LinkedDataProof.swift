import Encoding
import LinkedData
import Reasons

/// One proof of a supported suite, ready for verification. The key of the proof is known and may sign.
struct LinkedDataProof {
    let proof: Located<JSONObject>
    let suite: ProofSuite
    let purpose: ControllerDocument.Purpose
    let key: PublicKey
    /// The URL of the key's verification method.
    let method: Text
    /// Whether the proof was made in the name of the requested issuer. Another signer's proof in a chain only has to be
    /// valid.
    let isIssuers: Bool

    /// Runs the key stage: checks suite and purpose, finds the key, and checks the key's controller and authorisation.
    /// `issued` is the document's date of issue.
    init(
        _ proof: Located<JSONObject>, for purpose: ControllerDocument.Purpose, of authority: KeyResolver.Authority,
        issued: Timestamp? = nil, at now: Timestamp, trust: TrustStore, limits: Limits
    ) throws(Rejection) {
        let reference: Text
        (suite, reference) = try Self.read(proof, for: purpose, limits)
        self.proof = proof
        self.purpose = purpose
        isIssuers = true
        let resolver = KeyResolver(trust: trust, now: now)
        let pointer = Pointer.append(proof.pointer, "verificationMethod")
        key = try resolver.key(
            reference, for: purpose, of: authority, issuedAt: [issued, Self.created(proof.value)].compactMap(\.self),
            at: pointer)
        method = try resolver.fullName(of: reference, at: pointer)
    }

    /// Runs the key stage for another signer's proof in a chain. The proof only has to be valid with the key that it
    /// names. The controller of the key is irrelevant.
    ///
    /// - Throws: `refusal`, the reason why the proof is not the issuer's, if the key cannot be found.
    init(
        stranger proof: Located<JSONObject>, _ refusal: Rejection, at now: Timestamp, trust: TrustStore, limits: Limits
    ) throws(Rejection) {
        let purpose = ControllerDocument.Purpose.assertionMethod
        guard refusal.reason.code == .issuerKeyMismatch else { throw refusal }
        let reference: Text
        (suite, reference) = try Self.read(proof, for: purpose, limits)
        self.proof = proof
        self.purpose = purpose
        isIssuers = false
        let resolver = KeyResolver(trust: trust, now: now)
        let pointer = Pointer.append(proof.pointer, "verificationMethod")
        let named = try resolver.method(reference, at: pointer).method
        method = named.id
        key = try resolver.key(
            reference, for: purpose, of: KeyResolver.Authority(holder: named.controller),
            issuedAt: [Self.created(proof.value)].compactMap(\.self), at: pointer)
    }

    private static func read(
        _ proof: Located<JSONObject>, for purpose: ControllerDocument.Purpose, _ limits: Limits
    ) throws(Rejection) -> (ProofSuite, Text) {
        guard let suite = ProofSuite.named(by: proof.value) else {
            throw Rejection(.proofSuiteUnsupported, at: Pointer.append(proof.pointer, "type"))
        }
        guard proof.value["proofPurpose"]?.string == purpose.rawValue else {
            throw Rejection(.proofPurpose, at: Pointer.append(proof.pointer, "proofPurpose"))
        }
        guard let method = proof.value["verificationMethod"]?.string, method.utf8.count <= limits.identifierBytes
        else { throw Rejection(.proofMalformed, at: Pointer.append(proof.pointer, "verificationMethod")) }
        return (suite, method)
    }

    private static func created(_ proof: JSONObject) -> Timestamp? {
        proof["created"]?.string.flatMap { Timestamp(rfc3339: $0.string, zoneRequired: false) }
    }

    /// Checks that the key was not revoked at the date of issue `issued`. Call this function when the date and the
    /// statements of the proof are known to be signed.
    func checkRevocation(issued: Timestamp?, stating facts: ProofFacts, trust: TrustStore) throws(Rejection) {
        let dates = [issued].compactMap(\.self) + facts.created
        guard trust.revocations.allow(key, method: method, issuedAt: dates) else {
            throw Rejection(.keyRevoked, at: Pointer.append(proof.pointer, "verificationMethod"))
        }
    }

    /// The ids of the proofs that this proof covers in addition to the document.
    var previousProofs: [Text] {
        guard suite.formsChains, let member = proof.value["previousProof"] else { return [] }
        return (member.array ?? [member]).map { $0.string ?? "" }
    }

    /// The identity of the signed content of a selective disclosure: the ephemeral key that the issuer made for this
    /// credential. All disclosures of the credential share the key. Nil for other suites.
    var disclosureKey: [UInt8]? {
        guard suite.canonicalization == .statements else { return nil }
        return proof.value["proofValue"]?.string.flatMap { SelectiveDisclosureProof($0)?.ephemeralKey }
    }

    /// Runs the proof stage: verifies the signature over the proof options and the document, and checks the statements
    /// of the options. Returns the proof's coverage.
    func verify(
        _ digests: inout DocumentDigests, in verificationContext: VerificationContext
    ) throws(Rejection) -> ProofCoverage {
        let facts = try ProofFacts(text: proof, isDated: suite.cryptosuite != nil, profile: verificationContext.profile)
        try facts.check(at: proof.pointer, in: verificationContext)
        if suite.canonicalization == .statements { return try verifyStatements(digests.content, verificationContext) }
        let signature = try suite.signature(of: proof, by: key, limits: verificationContext.limits)
        switch suite.canonicalization {
        case .rdfc, .statements: return try verifyGraph(signature, &digests, verificationContext)
        case .jcs: return try verifyText(signature, facts, &digests)
        }
    }

    private func verifyGraph(
        _ signature: ProofSignature, _ digests: inout DocumentDigests, _ verificationContext: VerificationContext
    ) throws(Rejection) -> ProofCoverage {
        let hash = suite.hash(for: key)
        let documentDigest = try digests.rdfc(hash)
        for context in [ProofContext.document, .suite] {
            guard
                let options = ProofOptions(
                    proof.value, of: suite, under: context, documentContext: digests.content.context,
                    trust: verificationContext.trust)
            else { continue }
            let optionsDigest = try options.dataset.canonicalDigest(hash)
            guard try signature.matches(optionsDigest + documentDigest, key: key) else { continue }
            return ProofCoverage(
                context: context, unsigned: options.unsigned.map { proof.pointer + $0 },
                facts: try facts(of: options, verificationContext))
        }
        throw Rejection(.proofInvalid, at: proof.pointer)
    }

    /// Returns the facts of signed options. The options must have the usual spelling and the meaning of the JSON.
    private func facts(of options: ProofOptions, _ verificationContext: VerificationContext) throws(Rejection)
        -> ProofFacts
    {
        if verificationContext.checksSpelling, let place = options.unusualSpelling {
            throw Rejection(.shapeSpelling, at: proof.pointer + place)
        }
        guard options.keepsMeaning(of: proof.value, suite: suite, purpose: purpose) else {
            throw Rejection(.contextInvalid, at: proof.pointer)
        }
        let facts = try options.facts(
            of: suite, isDated: suite.cryptosuite != nil, at: proof.pointer, profile: verificationContext.profile)
        try facts.check(at: proof.pointer, in: verificationContext)
        return facts
    }

    /// Verifies a selective disclosure (VC Data Integrity ECDSA 1.0 section 3.5.8): the issuer's signature over
    /// options, ephemeral key and mandatory statements, and the ephemeral key's signature over each further statement.
    private func verifyStatements(
        _ content: LinkedDataDocument, _ verificationContext: VerificationContext
    ) throws(Rejection) -> ProofCoverage {
        let pointer = Pointer.append(proof.pointer, "proofValue")
        guard let text = proof.value["proofValue"]?.string,
            text.utf8.count <= verificationContext.limits.disclosureProofBytes,
            let value = SelectiveDisclosureProof(text),
            case .success(let ephemeral) = Result(catching: { () throws(PublicKey.Failure) in
                try KeyEncoding.multibase(Text("u" + Base64.encode(value.ephemeralKey)))
            }), case .ellipticCurve(.p256, _) = ephemeral
        else { throw Rejection(.proofMalformed, at: pointer) }
        let invalid = Rejection(.proofInvalid, at: proof.pointer)
        let (dataset, canonical): (Dataset, CanonicalDataset)
        do throws(CanonicalizationError) {
            dataset = content.dataset
            canonical = try RDFC10.canonicalize(dataset)
        } catch { throw Rejection(.canonTooComplex) }
        guard let statements = value.statements(of: dataset, issued: canonical.issued),
            let options = ProofOptions(
                proof.value, of: suite, under: .document, documentContext: content.context,
                trust: verificationContext.trust)
        else { throw invalid }
        let lines = statements.lines
        let mandatory = lines.indices.filter(value.mandatory.contains)
        let further = lines.indices.filter { !value.mandatory.contains($0) }
        guard mandatory.count == value.mandatory.count, further.count == value.signatures.count else { throw invalid }
        let message =
            try options.dataset.canonicalDigest() + value.ephemeralKey
            + Digest.sha256(mandatory.flatMap { lines[$0] })
        guard SignatureAlgorithm.es256.fits(key) else { throw Rejection(.proofAlgorithm, at: pointer) }
        guard try SignatureAlgorithm.es256.verify(value.baseSignature, over: message, by: key, at: pointer) else {
            throw invalid
        }
        for (index, signature) in zip(further, value.signatures) {
            let matches = try SignatureAlgorithm.es256.verify(
                signature, over: lines[index], by: ephemeral, at: pointer)
            guard matches else { throw invalid }
        }
        let facts = try facts(of: options, verificationContext)
        let mandatoryQuads = statements.places.indices.filter { value.mandatory.contains(statements.places[$0]) }
        return ProofCoverage(
            context: .document, unsigned: options.unsigned.map { proof.pointer + $0 }, facts: facts,
            mandatory: Set(mandatoryQuads))
    }

    private func verifyText(
        _ signature: ProofSignature, _ facts: ProofFacts, _ digests: inout DocumentDigests
    ) throws(Rejection) -> ProofCoverage {
        guard let options = JCSProofOptions(proof.value, documentContext: digests.content.context) else {
            throw Rejection(.proofInvalid, at: Pointer.append(proof.pointer, "@context"))
        }
        // The facts of a proof over text are read by their names in the JSON, so a proof with unusual names is refused.
        if let place = Spelling.suspicion(in: proof.value) {
            throw Rejection(.shapeSpelling, at: proof.pointer + place)
        }
        let hash = suite.hash(for: key)
        let hashes = try digests.jcs(options: options, hash) + digests.jcs(hash, under: options.context)
        guard try signature.matches(hashes, key: key) else { throw Rejection(.proofInvalid, at: proof.pointer) }
        return ProofCoverage(
            context: .document, unsigned: options.unsigned, facts: facts, coversText: true,
            textContext: options.context)
    }
}

/// The coverage of a valid proof.
struct ProofCoverage {
    /// The context under which the proof's options matched.
    let context: ProofContext
    /// Pointers to members of the document, or of its proof, that the proof does not cover.
    let unsigned: [String]
    /// The facts that the proof's signed options state.
    let facts: ProofFacts
    /// Whether the proof covers every member of the document as written, including members without a meaning in RDF.
    var coversText = false
    /// The contexts covered by a proof over the text, if they differ from the document's contexts; otherwise nil.
    var textContext: JSON?
    /// The positions of the quads that the holder could not withhold; nil for a proof without selective disclosure.
    var mandatory: Set<Int>?
}
