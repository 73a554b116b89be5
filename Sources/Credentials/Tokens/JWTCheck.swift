import Encoding
import Reasons

/// The check of one credential in a JWT: `jwt_vc_json` (VCDM 1.1) or `vc+jwt` (VCDM 2.0). Contexts are not processed,
/// because the signature covers the text.
struct JWTCheck: FormatCheck {
    let verificationContext: VerificationContext
    private let token: CompactJWS
    private let kind: CredentialKind
    /// The evidence so far, up to the stage that failed.
    private(set) var evidence: Evidence
    /// The issuer's entry in the trust data; nil until the issuer stage has passed.
    private(set) var issuer: TrustedIssuer?

    init(
        _ token: CompactJWS, as kind: CredentialKind, _ verificationContext: VerificationContext,
        summary: CredentialSummary
    ) {
        self.token = token
        self.kind = kind
        self.verificationContext = verificationContext
        evidence = Evidence(summary)
    }

    mutating func verify() throws(Rejection) {
        let credential = try verifyIssued()
        evidence.question = StatusQuestion(
            issuer: issuer, entries: credential.shape.statusEntries.map(StatusEntry.init),
            claim: credential.status.map { .json($0, at: "/status") })
    }

    /// Runs all stages except the status stage, as a status list credential requires. If `entry` is not nil, the
    /// credential's issuer must have the id of `entry`, and the issuer stage does not search the trust data: the signer
    /// of a status list need not be one of the issuers there.
    mutating func verifyIssued(by entry: TrustedIssuer? = nil) throws(Rejection) -> JWTCredential {
        let credential = try readShape()
        let isStrict = verificationContext.profile == .strict
        try verificationContext.stage(.validity) { () throws(Rejection) in
            try verificationContext.checkValidity(
                from: credential.validFrom, until: credential.validUntil,
                issued: isStrict ? credential.dates.issued : nil)
        }
        let issuer = try verificationContext.stage(.issuer) { () throws(Rejection) in
            if let entry {
                guard entry.id == credential.shape.issuer else { throw Rejection(.issuerUntrusted, at: "/iss") }
                return entry
            }
            let found = try verificationContext.trust.issuer(
                credential.shape.issuer, at: verificationContext.clock.utc, pointer: "/iss")
            try found.check(types: credential.shape.types, at: kind == .jwtCredential ? "/vc/type" : "/type")
            return found
        }
        self.issuer = issuer
        if entry == nil { try verificationContext.checkContexts(of: credential.shape.document, issuer) }
        let keys = try verificationContext.stage(.key) { () throws(Rejection) in
            let dates = credential.dates.issue + [credential.shape.validFrom].compactMap(\.self)
            let signer = TokenSigner(
                verificationContext: verificationContext, issuer: issuer, issuedAt: dates,
                signedAt: isStrict ? credential.dates.issued : nil)
            return try signer.keys(of: token)
        }
        try verificationContext.stage(.proof) { () throws(Rejection) in
            evidence.summary.signed = SignedContent(digest: Digest.sha256(token.signingInput))
            try verificationContext.checkSignature(of: token, by: keys)
        }
        noteClaims(credential, issuer)
        return credential
    }

    mutating func checkShape() throws(Rejection) { _ = try readShape() }

    private mutating func readShape() throws(Rejection) -> JWTCredential {
        let (profile, limits) = (verificationContext.profile, verificationContext.limits)
        let credential = try verificationContext.stage(.shape) { () throws(Rejection) in
            try kind.checkHeader(token.header, profile)
            return kind == .vcJWT
                ? try JWTCredential(payload: token.claims, as: kind, profile: profile, limits: limits)
                : try JWTCredential(vc: token.claims, profile: profile, limits: limits)
        }
        evidence.summary.issuer = verificationContext.recordable(credential.shape.issuer)
        evidence.summary.types = verificationContext.recordable(credential.shape.types)
        evidence.summary.validFrom = credential.validFrom
        evidence.summary.validUntil = credential.validUntil
        return credential
    }

    private mutating func noteClaims(_ credential: JWTCredential, _ issuer: TrustedIssuer) {
        evidence.claims = SignedClaims(
            format: kind.format ?? .jwtVC, issuer: issuer.id, types: credential.shape.types,
            text: SignedText(.object(credential.shape.document)), validFrom: credential.validFrom,
            validUntil: credential.validUntil, signed: evidence.summary.signed ?? SignedContent(digest: []),
            subjects: credential.subjects)
    }
}
