import Encoding
import Reasons

/// The check of a presentation in a JWT: the claim `vp` (VCDM 1.1 section 6.3.1), or the whole payload of a `vp+jwt`
/// (VC-JOSE-COSE section 3.1.2). The signature of the JWT is the holder's proof and covers every credential in the
/// presentation.
struct JWTPresentationCheck: FormatCheck {
    let verificationContext: VerificationContext
    private let token: CompactJWS
    private let kind: CredentialKind
    let demand: HolderDemand
    /// The evidence so far, up to the stage that failed.
    private(set) var evidence: Evidence

    init(
        _ token: CompactJWS, as kind: CredentialKind, _ verificationContext: VerificationContext, demand: HolderDemand,
        summary: CredentialSummary
    ) {
        self.token = token
        self.kind = kind
        self.verificationContext = verificationContext
        self.demand = demand
        evidence = Evidence(summary)
    }

    var isPresentation: Bool { true }

    /// Runs all stages, including the holder stage.
    mutating func verify() throws(Rejection) {
        let shape = try verificationContext.stage(.shape) { () throws(Rejection) in try read() }
        guard !shape.credentials.isEmpty else { throw Rejection(.shapeMember, at: "/verifiableCredential") }
        for credential in shape.credentials {
            _ = try evidence.present(credential, verificationContext, demand: demand)
        }
        let holder = shape.holder
        let counts = try verificationContext.stage(.holder) { () throws(Rejection) in
            do throws(Rejection) {
                return try checkHolder(token, holder)
            } catch { throw Rejection(.holderInvalid, at: error.reason.pointer) }
        }
        evidence.note(signers: [holder], counting: counts ? [holder] : [])
    }

    /// Checks only the shape of the presentation and its credentials and, for linked data, the JSON-LD expansion.
    mutating func checkShape() throws(Rejection) {
        let shape = try verificationContext.stage(.shape) { () throws(Rejection) in try read() }
        for credential in shape.credentials {
            do throws(Rejection) {
                try PresentedCredential(credential.value, limits: verificationContext.limits)
                    .checkShape(verificationContext, into: &evidence)
            } catch { throw error.inside(credential.pointer) }
        }
    }

    /// Returns the presentation's credentials and the holder's id. `iss` or `holder` must name the holder.
    private func read() throws(Rejection) -> (holder: Text, credentials: [Located<JSON>]) {
        let claims = token.claims
        try kind.checkHeader(token.header, verificationContext.profile)
        let document: JSONObject
        if kind == .vpJWT {
            try MemberTable.vpJWT.check(claims)
            document = claims
        } else {
            try MemberTable.jwtPresentation.check(claims)
            guard let inner = claims["vp"]?.object else { throw Rejection(.shapeMember, at: "/vp") }
            try MemberTable.insideVP.check(inner, at: "/vp")
            document = inner
        }
        let shape = try PresentationShape(document, limits: verificationContext.limits)
        let holder = try self.holder(named: "iss", or: shape.holder)
        // A subject of the token must be the holder.
        if claims["sub"] != nil { _ = try self.holder(named: "sub", or: holder) }
        return (holder, shape.credentials)
    }

    /// Returns the holder's id in the claim `name`. If `other` is not nil, the claim must equal `other` or be absent.
    private func holder(named name: Text, or other: Text?) throws(Rejection) -> Text {
        let place = Pointer.append("", name)
        guard let claim = token.claims[name] else {
            guard let other else { throw Rejection(.shapeMember, at: "/holder") }
            return other
        }
        guard let holder = claim.string else { throw Rejection(.shapeMember, at: place) }
        guard other.map({ $0 == holder }) ?? true else { throw Rejection(.claimsDisagree, at: place) }
        return holder
    }

    /// Runs the holder stage: the dates, the rule for proofs, and the signature by one of the holder's authentication
    /// keys. Returns whether the proof counts.
    private func checkHolder(_ token: CompactJWS, _ holder: Text) throws(Rejection) -> Bool {
        let dates = try TokenDates(token.claims, profile: .strict)
        try verificationContext.checkValidity(from: dates.validFrom, until: dates.validUntil, issued: dates.issued)
        let counts = try HolderProofRule(
            policy: verificationContext.policy, demand: demand, now: verificationContext.clock.utc
        )
        .counts(HolderProofRule.Statement(token.claims, made: dates.issued ?? dates.validFrom))
        let signer = TokenSigner(
            verificationContext: verificationContext, issuer: TrustedIssuer(id: holder), issuedAt: dates.issue,
            purpose: .authentication)
        try verificationContext.checkSignature(of: token, by: signer.keys(of: token))
        return counts
    }
}
