import Encoding

/// A linked-data presentation: shape of the whole, every credential through its own stages, then the holder's proof.
struct PresentationCheck {
    let surroundings: Surroundings
    let demand: HolderDemand
    /// What became known on the way, filled up to the stage that failed.
    private(set) var evidence: Evidence

    private var trust: TrustStore { surroundings.trust }
    private var policy: VerificationPolicy { surroundings.policy }

    init(_ surroundings: Surroundings, demand: HolderDemand, summary: CredentialSummary) {
        self.surroundings = surroundings
        self.demand = demand
        evidence = Evidence(summary)
    }

    /// All stages up to the holder's.
    mutating func verify(_ document: JSONObject) throws(Rejection) {
        let shape = try surroundings.stage(.shape) { () throws(Rejection) in
            let shape = try PresentationShape(document, limits: surroundings.limits)
            guard !shape.credentials.isEmpty else { throw Rejection(.shapeMember, at: "/verifiableCredential") }
            // An unsigned presentation is no presentation: nobody vouches for putting these credentials together.
            guard !shape.proofs.isEmpty else { throw Rejection(.holderProofMissing, at: "/proof") }
            return shape
        }
        var issuers: [TrustedIssuer] = []
        for credential in shape.credentials {
            var inner = Evidence(evidence.summary)
            defer { evidence.absorb(inner, at: credential.pointer) }
            do throws(Rejection) {
                let presented = try PresentedCredential(credential.value, limits: surroundings.limits)
                if let issuer = try presented.verify(surroundings, demand: demand, into: &inner) {
                    issuers.append(issuer)
                }
            } catch { throw error.inside(credential.pointer) }
        }
        let inline = policy.profile == .compat || issuers.allSatisfy(\.inlineContexts)
        try surroundings.stage(.holder) { () throws(Rejection) in
            try verifyHolder(shape, inlineAllowed: inline)
        }
    }

    /// Shape and expansion only.
    mutating func checkShape(_ document: JSONObject) throws(Rejection) {
        let shape = try surroundings.stage(.shape) { () throws(Rejection) in
            try PresentationShape(document, limits: surroundings.limits)
        }
        for credential in shape.credentials {
            do throws(Rejection) {
                let presented = try PresentedCredential(credential.value, limits: surroundings.limits)
                try presented.checkShape(surroundings, into: &evidence)
            } catch { throw error.inside(credential.pointer) }
        }
        try surroundings.stage(.contexts) { () throws(Rejection) in
            try ContextRules(trust: trust, inlineAllowed: true).check(document)
            _ = try LinkedDataDocument(document, processor: trust.processor)
        }
    }

    private mutating func verifyHolder(_ shape: PresentationShape, inlineAllowed: Bool) throws(Rejection) {
        try ContextRules(trust: trust, inlineAllowed: inlineAllowed).check(shape.document)
        let content = try LinkedDataDocument(shape.document, processor: trust.processor)
        var own: [String] = []
        do throws(Rejection) {
            var digests = DocumentDigests(content, beginnings: trust.hashBeginnings)
            let coverages = try shape.proofs.map { proof throws(Rejection) in try verify(proof, shape, &digests) }
            if !coverages.contains(where: \.coversText) { own = content.unsigned }
            own += coverages.filter(\.coversText).flatMap(\.unsigned)
        } catch {
            if error.reason.code == .canonTooComplex { throw error }
            throw Rejection(.holderInvalid, at: error.reason.pointer ?? "/proof")
        }
        let holders = shape.proofs.compactMap { controller(of: $0.value) }
        evidence.holderProven = evidence.claims.allSatisfy { claims in
            claims.subject.map { subject in holders.contains { $0 == subject } } ?? false
        }
        own = own.filter { !$0.utf8.starts(with: "/verifiableCredential".utf8) }
        guard let first = own.first else { return }
        if policy.profile == .strict { throw Rejection(.claimsUnsigned, at: first) }
        evidence.unsigned += own
        evidence.findings += own.map { Reason(.claimsUnsigned, at: $0, severity: .warning) }
    }

    private func verify(
        _ proof: Located<JSONObject>, _ shape: PresentationShape, _ digests: inout DocumentDigests
    ) throws(Rejection) -> ProofCoverage {
        let now = surroundings.clock.utc
        let resolver = KeyResolver(trust: trust)
        guard let reference = proof.value["verificationMethod"]?.string else { throw Rejection(.holderInvalid) }
        let controller = try resolver.method(reference, at: proof.pointer).method.controller
        // MOSIP names the holder by the very key that signs.
        let holder = shape.holder.flatMap { $0 == reference ? nil : $0 } ?? controller
        try checkDemand(proof.value, at: now)
        let signed = try LinkedDataProof(
            proof, for: .authentication, of: KeyResolver.Authority(holder: holder), at: now, trust: trust,
            limits: surroundings.limits)
        let match = try signed.verify(
            &digests, at: now, trust: trust, policy: policy, limits: surroundings.limits)
        // A challenge outside the signature answers nothing.
        for member in ["challenge", "domain", "created"] as [Text] {
            let pointer = Pointer.append(proof.pointer, member)
            guard !match.unsigned.contains(pointer) else { throw Rejection(.holderInvalid, at: pointer) }
        }
        return match
    }

    private func controller(of proof: JSONObject) -> Text? {
        guard let reference = proof["verificationMethod"]?.string else { return nil }
        return try? KeyResolver(trust: trust).method(reference, at: "").method.controller
    }

    /// What the gate asked for must be in the proof, and fresh; without a demand nothing is compared.
    private func checkDemand(_ proof: JSONObject, at now: Timestamp) throws(Rejection) {
        if let nonce = demand.nonce, proof["challenge"]?.string != nonce { throw Rejection(.holderInvalid) }
        if let audience = demand.audience {
            let domains = (proof["domain"].map { $0.array ?? [$0] } ?? []).compactMap(\.string)
            guard domains.contains(audience) else { throw Rejection(.holderInvalid) }
        }
        // An answered challenge shows freshness; the date, which the holder writes, has to do only where none was asked.
        guard demand.nonce == nil, let maxAge = demand.maxAge else { return }
        guard let created = proof["created"]?.string.flatMap({ Timestamp(rfc3339: $0.string, zoneRequired: false) }),
            created <= now.advanced(by: policy.clockSkew), now <= created.advanced(by: maxAge)
        else { throw Rejection(.holderInvalid) }
    }
}
