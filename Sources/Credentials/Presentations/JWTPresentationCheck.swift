import Encoding

/// A presentation in a JWT: the claim `vp` (VCDM 1.1 section 6.3.1) or, as `vp+jwt`, the payload itself (VC-JOSE-COSE
/// section 3.1.2). Its signature is the holder's proof, and covers every credential in it.
struct JWTPresentationCheck: FormatCheck {
    let surroundings: Surroundings
    private let token: CompactJWS
    private let format: CredentialFormat
    let demand: HolderDemand
    /// What became known on the way, filled up to the stage that failed.
    private(set) var evidence: Evidence

    init(
        _ token: CompactJWS, as format: CredentialFormat, _ surroundings: Surroundings, demand: HolderDemand,
        summary: CredentialSummary
    ) {
        self.token = token
        self.format = format
        self.surroundings = surroundings
        self.demand = demand
        evidence = Evidence(summary)
    }

    var isPresentation: Bool { true }

    /// All stages up to the holder's.
    mutating func verify() throws(Rejection) {
        let shape = try surroundings.stage(.shape) { () throws(Rejection) in try read(token, format) }
        guard !shape.credentials.isEmpty else { throw Rejection(.shapeMember, at: "/verifiableCredential") }
        for credential in shape.credentials {
            var inner = Evidence(evidence.summary)
            defer { evidence.absorb(inner, at: credential.pointer) }
            do throws(Rejection) {
                _ = try PresentedCredential(credential.value, limits: surroundings.limits)
                    .verify(surroundings, demand: demand, into: &inner)
            } catch { throw error.inside(credential.pointer) }
        }
        let holder = shape.holder
        try surroundings.stage(.holder) { () throws(Rejection) in
            do throws(Rejection) {
                try checkHolder(token, holder)
            } catch { throw Rejection(.holderInvalid, at: error.reason.pointer) }
        }
        // A credential of several subjects is his only if he is each of them.
        evidence.holderProven = evidence.claims.allSatisfy { $0.subjects.areKnown && $0.subjects.ids == [holder] }
    }

    /// Shape and, of linked data inside, expansion only.
    mutating func checkShape() throws(Rejection) {
        let shape = try surroundings.stage(.shape) { () throws(Rejection) in try read(token, format) }
        for credential in shape.credentials {
            do throws(Rejection) {
                try PresentedCredential(credential.value, limits: surroundings.limits)
                    .checkShape(surroundings, into: &evidence)
            } catch { throw error.inside(credential.pointer) }
        }
    }

    /// The presentation and the id of its holder, which `iss` or `holder` must name.
    private func read(
        _ token: CompactJWS, _ format: CredentialFormat
    ) throws(Rejection) -> (holder: Text, credentials: [Located<JSON>]) {
        let (claims, isStrict) = (token.claims, surroundings.policy.profile == .strict)
        let document: JSONObject
        if format == .vpJWT {
            try TokenType.check(token.header, isOneOf: isStrict ? ["vp+jwt"] : ["vp+jwt", "jwt"], absent: false)
            try TokenType.check(token.header, isOneOf: ["vp"], absent: true, member: "cty")
            for name in ["vc", "vp"] as [Text] where claims[name] != nil {
                throw Rejection(.shapeMember, at: Pointer.append("", name))
            }
            document = claims
        } else {
            try TokenType.check(token.header, isOneOf: ["jwt"], absent: true)
            guard let inner = claims["vp"]?.object else { throw Rejection(.shapeMember, at: "/vp") }
            document = inner
        }
        let shape = try PresentationShape(document, limits: surroundings.limits)
        guard let named = claims["iss"] else {
            guard let holder = shape.holder else { throw Rejection(.shapeMember, at: "/holder") }
            return (holder, shape.credentials)
        }
        guard let holder = named.string else { throw Rejection(.shapeMember, at: "/iss") }
        guard shape.holder.map({ $0 == holder }) ?? true else { throw Rejection(.claimsDisagree, at: "/iss") }
        return (holder, shape.credentials)
    }

    /// Holder stage: what the gate asked for, the dates, and the signature of a key that the holder authenticates with.
    private func checkHolder(_ token: CompactJWS, _ holder: Text) throws(Rejection) {
        let (claims, invalid) = (token.claims, Rejection(.holderInvalid))
        let dates = try TokenDates(claims, profile: .strict)
        try surroundings.checkValidity(from: dates.validFrom, until: dates.validUntil, issued: dates.issued)
        if let nonce = demand.nonce, claims["nonce"]?.string != nonce { throw invalid }
        if let audience = demand.audience {
            let named = (claims["aud"].map { $0.array ?? [$0] } ?? []).compactMap(\.string)
            guard named.contains(audience) else { throw invalid }
        }
        // An answered challenge shows freshness; the date has to do only where none was asked.
        if demand.nonce == nil, let maxAge = demand.maxAge {
            guard let issued = dates.issued, surroundings.clock.utc <= issued.advanced(by: maxAge) else {
                throw invalid
            }
        }
        let signer = TokenSigner(
            surroundings: surroundings, issuer: TrustedIssuer(id: holder), issuedAt: dates.issue,
            purpose: .authentication)
        try surroundings.checkSignature(of: token, by: signer.keys(of: token))
    }
}
