import Encoding
import Reasons

/// The check of one SD-JWT (RFC 9901 section 7): an SD-JWT VC, a credential of VCDM 2.0, or a plain SD-JWT.
struct SDJWTCheck: FormatCheck {
    let verificationContext: VerificationContext
    private let token: SDJWT
    private let kind: CredentialKind
    /// The holder's key as the issuer states it in `cnf`; nil before the end of the proof stage, and without `cnf`.
    private var confirmation: JSON?
    /// The evidence so far, up to the stage that failed.
    private(set) var evidence: Evidence
    /// The issuer's entry in the trust data; nil until the issuer stage has passed.
    private(set) var issuer: TrustedIssuer?

    private var isStrict: Bool { verificationContext.profile == .strict }

    init(
        _ token: SDJWT, as kind: CredentialKind, _ verificationContext: VerificationContext, summary: CredentialSummary
    ) {
        self.token = token
        self.kind = kind
        self.verificationContext = verificationContext
        evidence = Evidence(summary)
    }

    var bringsHolderProof: Bool { true }

    mutating func verify() throws(Rejection) {
        let credential = try readShape()
        let issued = isStrict ? credential.dates.issued : nil
        try verificationContext.stage(.validity) { () throws(Rejection) in
            try verificationContext.checkValidity(
                from: credential.validFrom, until: credential.validUntil, issued: issued)
        }
        let issuer = try verificationContext.stage(.issuer) { () throws(Rejection) in
            let found =
                if let id = credential.issuer {
                    try verificationContext.trust.issuer(id, at: verificationContext.clock.utc, pointer: "/iss")
                } else {
                    try verificationContext.issuer(certifying: token.issued)
                }
            guard kind != .plainSDJWT || found.plainSDJWT else {
                throw Rejection(.issuerNotForType, .plainSDJWT(issuer: found.id))
            }
            let isTyped = [.vcdmSDJWT, .plainSDJWT].contains(kind)
            try found.check(types: credential.types, at: isTyped ? "/type" : "/vct")
            return found
        }
        self.issuer = issuer
        evidence.summary.issuer = verificationContext.recordable(issuer.id)
        try verificationContext.checkContexts(of: credential.document, issuer)
        let keys = try verificationContext.stage(.key) { () throws(Rejection) in
            // If the holder may have withheld `iat`, pass no dates of issue: `iat` may be later than all shown dates.
            let withholds = (try? credential.processed.get().withholdsMembers) ?? true
            let isStated = !withholds || token.issued.claims["iat"] != nil
            let dates = isStated ? credential.dates.issue + [credential.validFrom].compactMap(\.self) : []
            let signer = TokenSigner(
                verificationContext: verificationContext, issuer: issuer, issuedAt: dates, signedAt: issued)
            return try signer.keys(of: token.issued)
        }
        let processed = try verificationContext.stage(.proof) { () throws(Rejection) in
            evidence.summary.signed = SignedContent(digest: Digest.sha256(token.issued.signingInput))
            try verificationContext.checkSignature(of: token.issued, by: keys)
            let processed = try credential.processed.get()
            if processed.withholdsMembers, !issuer.mayWithholdExpiry { try checkDates(of: credential) }
            // A withheld type could state that the object is not a credential for a gate.
            guard !processed.withholds(at: "/type") else { throw Rejection(.shapeType, at: "/type") }
            return processed
        }
        noteClaims(processed, credential, issuer)
        confirmation = processed.object["cnf"]
        evidence.namesHolderKey = confirmation != nil
        evidence.question = StatusQuestion(
            issuer: issuer, entries: credential.statusEntries.map(StatusEntry.init),
            claim: processed.object["status"].map { .json($0, at: "/status") },
            withheld: withheldStatus(processed, credential))
    }

    /// Checks that the dates are not withheld. If the holder can withhold an end, the shown end does not count, because
    /// a withheld end could be earlier. The same is true for a start. For most SD-JWTs, a shown `iat` is a sufficient
    /// start: their issuers state only the date of signing, and the specifications forbid that the holder withholds
    /// another start. For a credential of VCDM 2.0 a shown `iat` is not sufficient: the credential has its own dates,
    /// and the dates of the JWT concern the signature.
    private func checkDates(of credential: SDJWTCredential) throws(Rejection) {
        let isVCDM = kind == .vcdmSDJWT
        let (from, until) = credential.ownDates
        guard until != nil else { throw Rejection.withheldDate(at: isVCDM ? "/validUntil" : "/exp") }
        guard from != nil || !isVCDM && token.issued.claims["iat"] != nil else {
            throw Rejection.withheldDate(at: isVCDM ? "/validFrom" : "/nbf")
        }
    }

    /// Returns the place of a status that the holder may have withheld; nil if there is none. A status of which a part
    /// is withheld counts as withheld. If the issuer shows a status member to every verifier, no second status member
    /// is assumed. A status member that the holder chose to show proves nothing about other members, so any withheld
    /// member may then be a status.
    private func withheldStatus(_ processed: DisclosedPayload, _ credential: SDJWTCredential) -> Withheld? {
        let places: [Text] = ["status", "credentialStatus"]
        for name in places where processed.withholds(at: Text("/" + name.string)) {
            return Withheld(place: "/" + name.string, isStated: true)
        }
        guard processed.withholdsMembers else { return nil }
        if places.contains(where: { token.issued.claims[$0] != nil }) { return nil }
        return Withheld(place: kind == .vcdmSDJWT ? "/credentialStatus" : "/status", isStated: false)
    }

    mutating func checkShape() throws(Rejection) { _ = try readShape().processed.get() }

    private mutating func readShape() throws(Rejection) -> SDJWTCredential {
        let credential = try verificationContext.stage(.shape) { () throws(Rejection) in
            try SDJWTCredential(
                token, as: kind, profile: verificationContext.profile, limits: verificationContext.limits)
        }
        evidence.summary.issuer = credential.issuer.flatMap(verificationContext.recordable)
        evidence.summary.types = verificationContext.recordable(credential.types)
        evidence.summary.validFrom = credential.validFrom
        evidence.summary.validUntil = credential.validUntil
        return credential
    }

    /// Stores the claims that the gate's rules may read: the processed payload.
    private mutating func noteClaims(
        _ processed: DisclosedPayload, _ credential: SDJWTCredential, _ issuer: TrustedIssuer
    ) {
        evidence.claims = SignedClaims(
            format: kind.format ?? .sdJWT, issuer: issuer.id, types: credential.types,
            text: SignedText(
                .object(processed.inPlace), withheld: processed.withheldElements, hidesMembers: true),
            validFrom: credential.validFrom, validUntil: credential.validUntil,
            signed: evidence.summary.signed ?? SignedContent(digest: []), subjects: processed.subjects)
    }

    /// Runs the holder stage. A present key binding must be valid, and a demanded key binding must be present. The
    /// signature of a presentation does not replace a key binding for the holder's key, because anyone can sign a
    /// presentation.
    mutating func checkHolder(_ demand: HolderDemand) throws(Rejection) {
        guard let keyBinding = token.keyBinding else {
            if demand.required, !demand.isPresented || confirmation != nil { throw Rejection(.holderProofMissing) }
            return
        }
        do throws(Rejection) {
            let counts = try KeyBinding(verificationContext: verificationContext, demand: demand)
                .check(keyBinding, of: token, confirmation: confirmation)
            evidence.holder = counts ? .proven : .unfit
        } catch { throw Rejection(.holderInvalid) }
    }
}
