import Encoding
import LinkedData

/// The fixed surroundings of one verification.
final class Surroundings {
    let trust: TrustStore
    let policy: VerificationPolicy
    let limits: Limits
    let clock: WallTime
    let onStage: ((Stage) -> Void)?

    init(
        trust: TrustStore, policy: VerificationPolicy, limits: Limits, clock: WallTime, onStage: ((Stage) -> Void)?
    ) {
        self.trust = trust
        self.policy = policy
        self.limits = limits
        self.clock = clock
        self.onStage = onStage
    }

    /// Runs one stage and reports its end, whichever way it ends.
    func stage<Value>(_ stage: Stage, _ work: () throws(Rejection) -> Value) throws(Rejection) -> Value {
        defer { onStage?(stage) }
        return try work()
    }
}

/// Stages 4 to 11 for one linked-data credential: shape, validity, issuer, contexts, key, proof, unsigned claims, status.
struct CredentialCheck {
    let surroundings: Surroundings
    /// What became known on the way, filled up to the stage that failed.
    private(set) var evidence: Evidence
    /// The issuer's entry once it is known to be trusted.
    private(set) var issuer: TrustedIssuer?
    /// Members that state nothing a signature covers; filled with the proof.
    private var unstated: [String] = []

    private var trust: TrustStore { surroundings.trust }
    private var policy: VerificationPolicy { surroundings.policy }
    private var limits: Limits { surroundings.limits }
    private var now: Timestamp { surroundings.clock.utc }

    init(_ surroundings: Surroundings, summary: CredentialSummary) {
        self.surroundings = surroundings
        evidence = Evidence(summary)
    }

    /// All stages.
    mutating func verify(_ document: JSONObject) throws(Rejection) {
        let shape = try verifyIssued(document)
        try surroundings.stage(.status) { () throws(Rejection) in
            guard let issuer else { throw Rejection(.internal) }
            try StatusCheck(surroundings: surroundings, issuer: issuer, unsigned: evidence.unsigned)
                .check(shape.statusEntries, into: &evidence)
        }
    }

    /// Everything but the status: what a status list credential itself goes through. `entry` replaces the lookup of the
    /// issuer in the trust list, for lists that another id may sign.
    mutating func verifyIssued(
        _ document: JSONObject, issuedBy entry: TrustedIssuer? = nil
    ) throws(Rejection) -> CredentialShape {
        let shape = try readShape(document)
        try surroundings.stage(.validity) { () throws(Rejection) in try checkValidity(shape) }
        let issuer = try surroundings.stage(.issuer) { () throws(Rejection) in
            guard let entry else { return try trust.issuer(shape.issuer, at: now, pointer: "/issuer") }
            guard entry.id == shape.issuer else { throw Rejection(.issuerUntrusted, at: "/issuer") }
            return entry
        }
        self.issuer = issuer
        let content = try surroundings.stage(.contexts) { () throws(Rejection) in
            // What an issuer's entry says of types and contexts is about its credentials, not about its status lists.
            let content = try readContent(
                document, inlineAllowed: issuer.inlineContexts, contexts: entry == nil ? issuer.contexts : nil,
                coversText: shape.proofs.allSatisfy { ProofSuite.named(by: $0.value)?.canonicalization == .jcs })
            if entry == nil, issuer.types != nil {
                // Names mean nothing before they are expanded, so this part of the issuer stage comes here.
                let types = LinkedDataClaims.types(in: content.dataset, issuer: issuer.id)
                try issuer.check(types: types, at: "/type")
            }
            return content
        }
        let proofs = try surroundings.stage(.key) { () throws(Rejection) in try chooseProofs(shape, issuer) }
        try surroundings.stage(.proof) { () throws(Rejection) in try verifyProofs(proofs, shape, content) }
        try surroundings.stage(.claims) { () throws(Rejection) in
            let unsigned = evidence.unsigned
            try markUnsigned(unsigned, types: shape.types)
            noteClaims(shape, content, issuer, without: unsigned + unstated)
        }
        return shape
    }

    /// Shape and expansion only: what needs no key, no trust and no clock.
    mutating func checkShape(_ document: JSONObject) throws(Rejection) {
        let shape = try readShape(document, proofRequired: false)
        let content = try surroundings.stage(.contexts) { () throws(Rejection) in
            try readContent(document, inlineAllowed: true)
        }
        // The credential's own types must mean something; nothing else can be unsigned where nothing is signed.
        let types = content.unsigned.filter { $0.utf8.starts(with: "/type".utf8) }
        try surroundings.stage(.claims) { () throws(Rejection) in try markUnsigned(types, types: shape.types) }
    }

    private mutating func readShape(_ document: JSONObject, proofRequired: Bool = true) throws(Rejection)
        -> CredentialShape
    {
        let shape = try surroundings.stage(.shape) { () throws(Rejection) in
            try CredentialShape(document, profile: policy.profile, proofRequired: proofRequired, limits: limits)
        }
        // What a stranger wrote is kept for the record only as far as it is short.
        evidence.summary.issuer = shape.issuer.utf8.count <= limits.recordedLetters ? shape.issuer : nil
        evidence.summary.types = recordable(shape.types)
        evidence.summary.validFrom = shape.validFrom
        evidence.summary.validUntil = shape.validUntil
        return shape
    }

    private func recordable(_ types: [Text]) -> [Text] {
        Array(types.filter { $0.utf8.count <= limits.recordedLetters }.prefix(limits.recordedTypes))
    }

    private func checkValidity(_ shape: CredentialShape) throws(Rejection) {
        guard policy.trusts(surroundings.clock) else { throw Rejection(.clockUntrusted) }
        let skew = policy.clockSkew
        if let from = shape.validFrom, now.advanced(by: skew) < from { throw Rejection(.validityNotYet) }
        if let until = shape.validUntil, until.advanced(by: skew) < now { throw Rejection(.validityExpired) }
    }

    private func readContent(
        _ document: JSONObject, inlineAllowed: Bool, contexts: [Text]? = nil, coversText: Bool = false
    ) throws(Rejection) -> LinkedDataDocument {
        let allowed = inlineAllowed || policy.profile == .compat
        try ContextRules(trust: trust, inlineAllowed: allowed, urls: contexts).check(document)
        return try LinkedDataDocument(document, processor: trust.processor, coversText: coversText)
    }

    /// All proofs of a supported suite made with the issuer's key must verify, and there must be one. Proofs of other
    /// suites or other people's keys say nothing about the issuer and only warn.
    private mutating func chooseProofs(
        _ shape: CredentialShape, _ issuer: TrustedIssuer
    ) throws(Rejection) -> [LinkedDataProof] {
        var proofs: [LinkedDataProof] = []
        var foreign: [Rejection] = []
        for proof in shape.proofs {
            do throws(Rejection) {
                proofs.append(
                    try LinkedDataProof(
                        proof, for: .assertionMethod, of: KeyResolver.Authority(issuer), issued: shape.validFrom,
                        at: now, trust: trust, limits: limits))
            } catch {
                guard isForeign(proof.value, issuer, error.reason.code) else { throw error }
                foreign.append(error)
            }
        }
        if proofs.isEmpty, let first = foreign.first { throw first }
        evidence.findings += foreign.map {
            Reason($0.reason.code, $0.reason.detail, at: $0.reason.pointer, severity: .warning)
        }
        return proofs
    }

    /// Whether a proof that cannot be used was made by somebody else or with a suite that this version does not know.
    private func isForeign(_ proof: JSONObject, _ issuer: TrustedIssuer, _ code: ReasonCode) -> Bool {
        switch code {
        case .proofSuiteUnsupported, .issuerKeyMismatch: return true
        case .keyUnknown:
            let signer = KeyResolver.withoutFragment(proof["verificationMethod"]?.string ?? issuer.id)
            return !KeyResolver.Authority(issuer).includes(signer)
        default: return false
        }
    }

    private mutating func verifyProofs(
        _ proofs: [LinkedDataProof], _ shape: CredentialShape, _ content: LinkedDataDocument
    ) throws(Rejection) {
        var digests = DocumentDigests(content, beginnings: trust.hashBeginnings)
        evidence.summary.signedDigest = try signedDigest(proofs, &digests)
        var coversText = false
        for proof in proofs {
            let coverage: ProofCoverage
            if var chain = try chainDigests(proof, shape) {
                coverage = try verify(proof, &chain)
            } else {
                coverage = try verify(proof, &digests)
            }
            evidence.proofContext = evidence.proofContext ?? coverage.context
            evidence.unsigned += coverage.unsigned
            coversText = coversText || coverage.coversText
        }
        if !coversText {
            evidence.unsigned = content.unsigned + evidence.unsigned
            unstated = content.unstated
        }
        evidence.inlineContexts = (content.context.array ?? [content.context]).compactMap(\.object)
    }

    private func verify(_ proof: LinkedDataProof, _ digests: inout DocumentDigests) throws(Rejection) -> ProofCoverage {
        try proof.verify(&digests, at: now, trust: trust, policy: policy, limits: limits)
    }

    /// The hash that names the signed content: of the graph, unless all proofs are over JSON.
    private func signedDigest(
        _ proofs: [LinkedDataProof], _ digests: inout DocumentDigests
    ) throws(Rejection) -> [UInt8] {
        // What else a holder shows of it must not make a credential new.
        if let key = proofs.compactMap(\.disclosureKey).first { return Digest.sha256(key) }
        guard proofs.allSatisfy({ $0.suite.canonicalization == .jcs }) else { return try digests.rdfc(.sha256) }
        // Without contexts: one that somebody appends must not make the credential new.
        return try digests.jcsWithoutContext()
    }

    /// What a proof of a chain covers: the document with the proofs that it names (Data Integrity 1.0 section 4.3). Nil for
    /// a proof that covers the document alone.
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

    private mutating func markUnsigned(_ pointers: [String], types: [Text]) throws(Rejection) {
        let unsigned = Array(pointers.prefix(limits.unsignedPointers))
        evidence.unsigned = unsigned
        evidence.summary.types = recordable(
            types.enumerated().filter { !unsigned.contains("/type/\($0.offset)") }.map(\.element))
        guard let first = unsigned.first else { return }
        if policy.profile == .strict { throw Rejection(.claimsUnsigned, at: first) }
        evidence.findings += unsigned.map { Reason(.claimsUnsigned, at: $0, severity: .warning) }
    }

    /// What the gate's rules may read. Every unsigned member is left out, however many a verdict lists.
    private mutating func noteClaims(
        _ shape: CredentialShape, _ content: LinkedDataDocument, _ issuer: TrustedIssuer, without unsigned: [String]
    ) {
        let document = LinkedDataClaims.document(shape.document, without: unsigned)
        // Under a context that somebody appended the same words mean something else; then there is no graph to read.
        let isUnderstood = !unsigned.contains { $0.utf8.starts(with: "/@context".utf8) }
        let graph = isUnderstood ? content.graph : DeferredDataset(Dataset())
        evidence.claims = [
            SignedClaims(
                issuer: issuer.id, document: document, graph: graph, validFrom: shape.validFrom,
                validUntil: shape.validUntil, signedDigest: evidence.summary.signedDigest ?? [],
                subject: LinkedDataClaims.subject(of: document))
        ]
    }
}
