import Encoding
import LinkedData
import Reasons

/// The check of one linked-data credential: shape, validity, issuer, contexts, key, proof, and the facts in the signed
/// content.
///
/// Until the end of the proof stage, the check reads the received document, which can only cause a refusal. Acceptance
/// depends only on the signed content (``SignedCredential``): the statements or the text, depending on which of them a
/// signature covers.
struct CredentialCheck: FormatCheck {
    let verificationContext: VerificationContext
    private let document: JSONObject
    /// The evidence so far, up to the stage that failed.
    private(set) var evidence: Evidence
    /// The issuer's entry in the trust data; nil until the issuer stage has passed.
    private(set) var issuer: TrustedIssuer?
    /// The JSON pointer of the first status entry of which a part is unsigned; nil if there is none.
    private var uncoveredStatus: String?

    private var trust: TrustStore { verificationContext.trust }
    private var limits: Limits { verificationContext.limits }
    private var now: Timestamp { verificationContext.clock.utc }

    init(_ document: JSONObject, _ verificationContext: VerificationContext, summary: CredentialSummary) {
        self.document = document
        self.verificationContext = verificationContext
        evidence = Evidence(summary)
    }

    mutating func verify() throws(Rejection) {
        let facts = try verifyIssued().facts
        evidence.question = StatusQuestion(
            issuer: issuer, entries: facts.status, uncovered: uncoveredStatus,
            withheld: facts.mayHideStatus
                ? Withheld(place: "/credentialStatus", isStated: !facts.status.isEmpty) : nil)
    }

    /// Runs all stages except the status stage, as a status list credential requires. If `entry` is not nil, the
    /// credential's issuer must have the id of `entry`, and the issuer stage does not search the trust data: the signer
    /// of a status list need not be one of the issuers there.
    mutating func verifyIssued(by entry: TrustedIssuer? = nil) throws(Rejection) -> SignedCredential {
        let shape = try readShape(document)
        try verificationContext.stage(.validity) { () throws(Rejection) in
            try verificationContext.checkValidity(from: shape.validFrom, until: shape.validUntil)
        }
        let issuer = try verificationContext.stage(.issuer) { () throws(Rejection) in
            guard let entry else { return try trust.issuer(shape.issuer, at: now, pointer: "/issuer") }
            guard entry.id == shape.issuer else { throw Rejection(.issuerUntrusted, at: "/issuer") }
            return entry
        }
        self.issuer = issuer
        let content = try verificationContext.stage(.contexts) { () throws(Rejection) in
            // The types and contexts of an issuer's entry apply to the issuer's credentials, not to its status lists.
            try readContent(
                document, inlineAllowed: issuer.inlineContexts, contexts: entry == nil ? issuer.contexts : nil,
                coversText: shape.proofs.allSatisfy { ProofSuite.named(by: $0.value)?.canonicalization == .jcs })
        }
        let proofs = try verificationContext.stage(.key) { () throws(Rejection) in try chooseProofs(shape, issuer) }
        let coverage = try verificationContext.stage(.proof) { () throws(Rejection) in
            try verifyProofs(proofs, shape, content)
        }
        return try verificationContext.stage(.claims) { () throws(Rejection) in
            let signed = try readSigned(shape, content, coverage, issuer)
            try checkFacts(signed.facts, issuer, coverage.proofs)
            // A type name has no meaning before its expansion, so this part of the issuer stage runs here.
            if entry == nil {
                let areInDoubt = signed.statements?.isRootInside ?? false
                try issuer.check(types: signed.types, at: "/type", areInDoubt: areInDoubt)
                guard issuer.types == nil || signed.areTypesCertain else {
                    throw Rejection(.issuerNotForType, at: "/type")
                }
            }
            noteClaims(signed, issuer)
            return signed
        }
    }

    mutating func checkShape() throws(Rejection) {
        _ = try readShape(document, proofRequired: false)
        let content = try verificationContext.stage(.contexts) { () throws(Rejection) in
            try readContent(document, inlineAllowed: true)
        }
        // The contexts must define the types of the credential. Other members that they do not define are not reported
        // as unsigned, because the shape check verifies no signature.
        let types = content.unsigned.filter { $0.utf8.starts(with: "/type".utf8) }
        try verificationContext.stage(.claims) { () throws(Rejection) in try markUnsigned(types) }
    }

    private mutating func readShape(_ document: JSONObject, proofRequired: Bool = true) throws(Rejection)
        -> CredentialShape
    {
        let shape = try verificationContext.stage(.shape) { () throws(Rejection) in
            try verificationContext.spelled(document) { () throws(Rejection) in
                let shape = try CredentialShape(
                    document, profile: verificationContext.profile, proofRequired: proofRequired, limits: limits)
                try MemberTable.linkedDataCredential.check(document)
                return shape
            }
        }
        // A text from an untrusted source is recorded only if the text is short.
        evidence.summary.issuer = verificationContext.recordable(shape.issuer)
        evidence.summary.types = verificationContext.recordable(shape.types)
        evidence.summary.validFrom = shape.validFrom
        evidence.summary.validUntil = shape.validUntil
        return shape
    }

    private func readContent(
        _ document: JSONObject, inlineAllowed: Bool, contexts: [Text]? = nil, coversText: Bool = false
    ) throws(Rejection) -> LinkedDataDocument {
        let allowed = inlineAllowed || verificationContext.profile == .compat
        let rules = ContextRules(trust: trust, inlineAllowed: allowed, urls: contexts)
        try rules.check(document)
        return try LinkedDataDocument(document, processor: trust.processor, coversText: coversText) { [trust] in
            trust.issuer($0) != nil
        }
    }

    /// Chooses the proofs to verify. At least one proof of a supported suite must be made with the issuer's key, and
    /// all such proofs must verify. A proof with another suite or another signer's key says nothing about the issuer
    /// and only causes a warning, unless the proof is part of a chain.
    private mutating func chooseProofs(
        _ shape: CredentialShape, _ issuer: TrustedIssuer
    ) throws(Rejection) -> [LinkedDataProof] {
        var proofs: [LinkedDataProof] = []
        var foreign: [Rejection] = []
        let chain = ProofChain(shape.proofs.map(\.value))
        for proof in shape.proofs {
            do throws(Rejection) {
                proofs.append(
                    try LinkedDataProof(
                        proof, for: .assertionMethod, of: KeyResolver.Authority(issuer), issued: shape.validFrom,
                        at: now, trust: trust, limits: limits))
            } catch {
                // If the names of the proof are usual, report the wrong purpose without a search for unusual spellings,
                // which could not correct the purpose.
                let isNamed = error.reason.code == .proofPurpose && Spelling.suspicion(in: proof.value) == nil
                // One spelling check for all proofs of other signers is enough, because a holder may also omit such a
                // proof.
                let isLooked = isNamed || !foreign.isEmpty
                let error = isLooked ? error : verificationContext.respelt(proof, in: shape.document) ?? error
                guard isForeign(proof.value, issuer, error.reason.code) else { throw error }
                if chain.includes(proof.value) {
                    proofs.append(try LinkedDataProof(stranger: proof, error, at: now, trust: trust, limits: limits))
                }
                foreign.append(error)
            }
        }
        if !proofs.contains(where: \.isIssuers), let first = foreign.first { throw first }
        evidence.findings += foreign.map {
            Reason($0.reason.code, $0.reason.detail, at: $0.reason.pointer, severity: .warning)
        }
        // Verify the issuer's proofs first, because anyone can add any number of valid proofs by other signers.
        return proofs.filter(\.isIssuers) + proofs.filter { !$0.isIssuers }
    }

    /// Returns whether an unusable proof was made by another signer, or with a suite that this program does not know.
    private func isForeign(_ proof: JSONObject, _ issuer: TrustedIssuer, _ code: ReasonCode) -> Bool {
        switch code {
        case .proofSuiteUnsupported, .issuerKeyMismatch: return true
        case .keyUnknown:
            let signer = KeyResolver.withoutFragment(proof["verificationMethod"]?.string ?? issuer.id)
            return !KeyResolver.Authority(issuer).includes(signer)
        default: return false
        }
    }

    /// The content that the proofs of a credential cover together.
    private struct Coverage {
        /// The issuer's proofs, each with the facts that it states.
        var proofs: [(proof: LinkedDataProof, facts: ProofFacts)] = []
        /// The signed text, and its members by name; nil if no proof covers the text.
        var text: (document: LinkedDataDocument, shape: CredentialShape)?
        /// The identity of the credential; nil if all proofs of the issuer cover the text.
        var name: SignedContent?
        /// ``StatementGraph/mandatory``, if a proof lets the holder withhold statements; otherwise nil.
        var mandatory: Set<Int>?
    }

    private mutating func verifyProofs(
        _ proofs: [LinkedDataProof], _ shape: CredentialShape, _ content: LinkedDataDocument
    ) throws(Rejection) -> Coverage {
        var digests = DocumentDigests(content, beginnings: trust.hashBeginnings)
        evidence.summary.signed = try signedContent(proofs, &digests)
        var coverage = Coverage()
        var isWhole = false
        var contexts: [JSON] = []
        for proof in proofs {
            let found: ProofCoverage
            do throws(Rejection) {
                if var chain = try chainDigests(proof, shape) {
                    found = try verify(proof, &chain)
                } else {
                    found = try verify(proof, &digests)
                }
            } catch {
                // A proof that names its chain in an unusual spelling fails here as invalid or malformed. If the
                // document has such a spelling, report the spelling as the more exact reason.
                let isUnread = [.proofInvalid, .proofMalformed].contains(error.reason.code)
                throw isUnread ? verificationContext.respelt(shape.document) ?? error : error
            }
            guard proof.isIssuers else { continue }
            coverage.proofs.append((proof, found.facts))
            evidence.proofContext = evidence.proofContext ?? found.context
            evidence.unsigned += found.unsigned
            if found.coversText { contexts.append(found.textContext ?? content.context) }
            if let mandatory = found.mandatory { coverage.mandatory = mandatory } else { isWhole = true }
        }
        if isWhole { coverage.mandatory = nil }
        // If proofs cover one text under several lists of contexts, the shortest list counts, whatever the order of the
        // proofs.
        if let context = contexts.min(by: { $0.array?.count ?? 1 < $1.array?.count ?? 1 }) {
            let (text, isReceived) = try digests.signedText(under: context)
            let names =
                try isReceived
                ? shape
                : CredentialShape(
                    text.unsecured, profile: verificationContext.profile, proofRequired: false, limits: limits)
            coverage.text = (text, names)
        } else {
            evidence.unsigned = content.unsigned + evidence.unsigned
        }
        if proofs.contains(where: { $0.isIssuers && $0.suite.canonicalization != .jcs }) {
            coverage.name = evidence.summary.signed
        }
        evidence.inlineContexts = (content.context.array ?? [content.context]).compactMap(\.object)
        return coverage
    }

    private func verify(_ proof: LinkedDataProof, _ digests: inout DocumentDigests) throws(Rejection) -> ProofCoverage {
        try proof.verify(&digests, in: verificationContext)
    }

    /// Returns the identity of the signed content. The graph determines the identity, unless all proofs are over JSON.
    private func signedContent(
        _ proofs: [LinkedDataProof], _ digests: inout DocumentDigests
    ) throws(Rejection) -> SignedContent? {
        // The identity must not change when the holder discloses another part or another signer adds a proof.
        let proofs = proofs.filter(\.isIssuers)
        if let key = proofs.compactMap(\.disclosureKey).first { return SignedContent(digest: Digest.sha256(key)) }
        if proofs.allSatisfy({ $0.suite.canonicalization == .jcs }) {
            return SignedContent(text: digests.content.unsecured, processor: trust.processor)
        }
        return SignedContent(digest: try digests.rdfc(.sha256))
    }

    /// Returns the digests that a proof of a chain covers: those of the document together with the named proofs (Data
    /// Integrity 1.0 section 4.3). Returns nil for a proof that covers the document alone.
    private func chainDigests(
        _ proof: LinkedDataProof, _ shape: CredentialShape
    ) throws(Rejection) -> DocumentDigests? {
        let names = proof.previousProofs
        if names.isEmpty { return nil }
        let previous = shape.proofs.map(\.value).filter { $0["id"]?.string.map(names.contains) ?? false }
        guard Set(previous.compactMap { $0["id"]?.string }) == Set(names) else {
            throw Rejection(.proofInvalid, at: Pointer.append(proof.proof.pointer, "previousProof"))
        }
        return DocumentDigests(
            try LinkedDataDocument(shape.document, proofs: previous, processor: trust.processor),
            beginnings: trust.hashBeginnings)
    }

    private mutating func markUnsigned(_ pointers: [String]) throws(Rejection) {
        let unsigned = Array(pointers.prefix(limits.unsignedPointers))
        evidence.unsigned = unsigned
        evidence.summary.types = evidence.summary.types.enumerated()
            .filter { !unsigned.contains("/type/\($0.offset)") }.map(\.element)
        guard let first = unsigned.first else { return }
        if verificationContext.profile == .strict { throw Rejection(.claimsUnsigned, at: first) }
        evidence.findings += unsigned.map { Reason(.claimsUnsigned, at: $0, severity: .warning) }
    }

    /// Runs the last checks of the received document: the spelling must be as required, and all content must be signed.
    /// Returns the signed content.
    ///
    /// - Throws: `shape.spelling` if several nodes could be the credential.
    private mutating func readSigned(
        _ shape: CredentialShape, _ content: LinkedDataDocument, _ coverage: Coverage, _ issuer: TrustedIssuer
    ) throws(Rejection) -> SignedCredential {
        if coverage.text == nil {
            try verificationContext.checkSpelling(content, contextsListed: issuer.contexts != nil)
        }
        try markUnsigned(evidence.unsigned)
        uncoveredStatus =
            shape.statusEntries.map(\.pointer).first { entry in
                evidence.unsigned.contains { Pointer.overlap($0, entry) }
            }
        if let (text, names) = coverage.text {
            return try SignedCredential(
                text: text, shape: names, content: coverage.name, vouches: issuer.vouchesForEmbedded,
                profile: verificationContext.profile, limits: limits)
        }
        guard var graph = content.graph(type: CredentialVocabulary.verifiableCredentialType), let name = coverage.name
        else { throw Rejection(.shapeSpelling) }
        (graph.mandatory, graph.takesArraysWhole) = (coverage.mandatory, issuer.takesArraysWhole)
        if issuer.vouchesForEmbedded { graph.subjectsInside = [] }
        return try SignedCredential(
            graph, document: shape, content: name, profile: verificationContext.profile, limits: limits)
    }

    /// Repeats the checks of earlier stages on the signed facts.
    private mutating func checkFacts(
        _ facts: CredentialFacts, _ issuer: TrustedIssuer, _ proofs: [(proof: LinkedDataProof, facts: ProofFacts)]
    ) throws(Rejection) {
        guard facts.issuer == issuer.id else { throw Rejection(.shapeIssuer, at: "/issuer") }
        // Refuse a credential whose start or end may be withheld: the withheld date could make the credential invalid.
        // The compat profile skips the check, because credentials without an end are common among the examples that
        // other verifiers accept.
        if !issuer.mayWithholdExpiry, verificationContext.profile != .compat {
            if facts.validUntil == nil, facts.mayHideEnd { throw Rejection.withheldDate(at: "/validUntil") }
            if facts.validFrom == nil, facts.mayHideStart { throw Rejection.withheldDate(at: "/validFrom") }
        }
        try verificationContext.checkValidity(from: facts.validFrom, until: facts.validUntil)
        for (proof, stated) in proofs {
            try proof.checkRevocation(issued: facts.validFrom, stating: stated, trust: trust)
        }
        evidence.summary.validFrom = facts.validFrom
        evidence.summary.validUntil = facts.validUntil
    }

    /// Returns the signed types for a record: their names, if it is certain which type each name means; otherwise their
    /// IRIs.
    private func recordedTypes(of claims: SignedClaims) -> [Text] {
        let question = TypeNames.Question(
            types: claims.types, contexts: claims.contexts.urls, issuerContexts: claims.issuerContexts,
            isText: claims.text != nil)
        let named = trust.typeNames.names(for: question) {
            ClaimNames(of: claims, listed: [], pinned: trust.processor, work: RuleWork(0)).names(ofTypes: claims.types)
        }
        // The base type is first, as in the lists of issuers. The order of the statements is irrelevant.
        let base: Text = "VerifiableCredential"
        let order = named.filter { $0 == base } + named.filter { $0 != base }
        return verificationContext.recordable(order)
    }

    /// Stores the claims in the evidence, for the record and the gate's rules.
    private mutating func noteClaims(_ signed: SignedCredential, _ issuer: TrustedIssuer) {
        let claims = signed.claims(of: issuer)
        evidence.summary.types = recordedTypes(of: claims)
        evidence.summary.signed = signed.content
        evidence.claims = claims
    }
}

/// The proofs of a document that form chains: proofs that name another proof, and the named proofs (Data Integrity 1.0
/// section 4.3). All proofs of a chain must verify, including proofs of other signers.
private struct ProofChain {
    private var names: Set<Text> = []

    init(_ proofs: [JSONObject]) {
        for proof in proofs { names.formUnion(Self.previous(of: proof)) }
    }

    func includes(_ proof: JSONObject) -> Bool {
        !Self.previous(of: proof).isEmpty || proof["id"]?.string.map(names.contains) ?? false
    }

    private static func previous(of proof: JSONObject) -> [Text] {
        (proof["previousProof"].map { $0.array ?? [$0] } ?? []).compactMap(\.string)
    }
}
