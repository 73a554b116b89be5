import Encoding
import Reasons

/// The check of a linked-data presentation: the shape of the whole, then all stages of each credential, then the
/// holder's proof.
struct PresentationCheck: FormatCheck {
    let verificationContext: VerificationContext
    private let document: JSONObject
    let demand: HolderDemand
    /// The evidence so far, up to the stage that failed.
    private(set) var evidence: Evidence

    private var trust: TrustStore { verificationContext.trust }
    private var policy: VerificationPolicy { verificationContext.policy }

    init(
        _ document: JSONObject, _ verificationContext: VerificationContext, demand: HolderDemand,
        summary: CredentialSummary
    ) {
        self.document = document
        self.verificationContext = verificationContext
        self.demand = demand
        evidence = Evidence(summary)
    }

    var isPresentation: Bool { true }

    /// Runs all stages, including the holder stage.
    mutating func verify() throws(Rejection) {
        let shape = try verificationContext.stage(.shape) { () throws(Rejection) in
            let shape = try verificationContext.spelled(document) { () throws(Rejection) in
                let shape = try PresentationShape(document, limits: verificationContext.limits)
                try MemberTable.linkedDataPresentation.check(document)
                guard !shape.credentials.isEmpty else { throw Rejection(.shapeMember, at: "/verifiableCredential") }
                return shape
            }
            // Refuse an unsigned presentation, because no signature links its credentials.
            guard !shape.proofs.isEmpty else { throw Rejection(.holderProofMissing, at: "/proof") }
            return shape
        }
        var issuers: [TrustedIssuer] = []
        for credential in shape.credentials {
            if let issuer = try evidence.present(credential, verificationContext, demand: demand) {
                issuers.append(issuer)
            }
        }
        let inline = verificationContext.profile == .compat || issuers.allSatisfy(\.inlineContexts)
        try verificationContext.stage(.holder) { () throws(Rejection) in
            try verifyHolder(shape, inlineAllowed: inline)
        }
    }

    /// Checks only the shape of the presentation and its credentials, and the JSON-LD expansion.
    mutating func checkShape() throws(Rejection) {
        let shape = try verificationContext.stage(.shape) { () throws(Rejection) in
            try verificationContext.spelled(document) { () throws(Rejection) in
                try PresentationShape(document, limits: verificationContext.limits)
            }
        }
        for credential in shape.credentials {
            do throws(Rejection) {
                let presented = try PresentedCredential(credential.value, limits: verificationContext.limits)
                try presented.checkShape(verificationContext, into: &evidence)
            } catch { throw error.inside(credential.pointer) }
        }
        try verificationContext.stage(.contexts) { () throws(Rejection) in
            try ContextRules(trust: trust, inlineAllowed: true).check(document)
            _ = try LinkedDataDocument(document, processor: trust.processor)
        }
    }

    private mutating func verifyHolder(_ shape: PresentationShape, inlineAllowed: Bool) throws(Rejection) {
        try ContextRules(trust: trust, inlineAllowed: inlineAllowed).check(shape.document)
        let content = try LinkedDataDocument(shape.document, processor: trust.processor)
        var own: [String] = []
        var (holders, counting): ([Text], [Text]) = ([], [])
        do throws(Rejection) {
            var digests = DocumentDigests(content, beginnings: trust.hashBeginnings)
            let facts = try PresentationFacts(shape, content)
            var coversText = false
            for proof in shape.proofs {
                let (coverage, holder, counts) = try verify(proof, facts, &digests)
                coversText = coversText || coverage.coversText
                own += coverage.unsigned
                holders.append(holder)
                if counts { counting.append(holder) }
            }
            if !coversText {
                try verificationContext.checkSpelling(content)
                own = content.unsigned + own
            }
        } catch {
            if [.canonTooComplex, .shapeSpelling].contains(error.reason.code) { throw error }
            for proof in shape.proofs {
                if let respelt = verificationContext.respelt(proof, in: shape.document) { throw respelt }
            }
            throw Rejection(.holderInvalid, at: error.reason.pointer ?? "/proof")
        }
        evidence.note(signers: holders, counting: counting)
        own = own.filter { !Pointer.overlap($0, "/verifiableCredential") }
        guard let first = own.first else { return }
        if verificationContext.profile == .strict { throw Rejection(.claimsUnsigned, at: first) }
        evidence.unsigned += own
        evidence.findings += own.map { Reason(.claimsUnsigned, at: $0, severity: .warning) }
    }

    /// Verifies one proof of the presentation. Returns the coverage of the proof, the id of its signer, and whether the
    /// proof counts.
    private func verify(
        _ proof: Located<JSONObject>, _ facts: PresentationFacts, _ digests: inout DocumentDigests
    ) throws(Rejection) -> (coverage: ProofCoverage, holder: Text, counts: Bool) {
        let now = verificationContext.clock.utc
        guard let reference = proof.value["verificationMethod"]?.string else { throw Rejection(.holderInvalid) }
        let controller = try KeyResolver(trust: trust).method(reference, at: proof.pointer).method.controller
        // MOSIP states the id of the signing key as the holder. The holder is then the controller of the key.
        let holder = facts.holder.flatMap { $0 == reference ? nil : $0 } ?? controller
        let signed = try LinkedDataProof(
            proof, for: .authentication, of: KeyResolver.Authority(holder: holder), at: now, trust: trust,
            limits: verificationContext.limits)
        let coverage = try signed.verify(&digests, in: verificationContext)
        // An unsigned challenge, domain or date proves nothing.
        for member in ["challenge", "domain", "created"] as [Text] {
            let pointer = Pointer.append(proof.pointer, member)
            guard !coverage.unsigned.contains(pointer) else { throw Rejection(.holderInvalid, at: pointer) }
        }
        let stated = HolderProofRule.Statement(
            nonces: coverage.facts.challenges, audiences: coverage.facts.domains, made: coverage.facts.created)
        let counts = try HolderProofRule(policy: policy, demand: demand, now: now).counts(stated)
        return (coverage, controller, counts)
    }
}

/// The facts on which the acceptance of a presentation depends, as signed by the holder.
private struct PresentationFacts {
    /// The holder's id; nil if the presentation names no holder.
    let holder: Text?

    /// Compares the text with the statements. The credentials in the text have been verified, so the statements must
    /// contain no other credential and no other holder.
    ///
    /// - Throws: `shape.spelling` if text and statements differ, or if several nodes could be the presentation.
    init(_ shape: PresentationShape, _ content: LinkedDataDocument) throws(Rejection) {
        if shape.proofs.allSatisfy({ ProofSuite.named(by: $0.value)?.canonicalization == .jcs }) {
            holder = shape.holder
            return
        }
        guard let graph = content.graph(type: CredentialVocabulary.verifiablePresentationType) else {
            throw Rejection(.shapeSpelling)
        }
        let credentials = graph.values(of: CredentialVocabulary.verifiableCredential, at: graph.root)
        guard credentials.count == shape.credentials.count else {
            throw Rejection(.shapeSpelling, at: "/verifiableCredential")
        }
        let holders = graph.values(of: CredentialVocabulary.holder, at: graph.root)
        guard holders.count <= 1, holders.allSatisfy({ $0.iri != nil }) else {
            throw Rejection(.shapeSpelling, at: "/holder")
        }
        holder = holders.first?.iri ?? shape.holder
    }
}
