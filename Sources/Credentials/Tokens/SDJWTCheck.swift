import Encoding

/// One SD-JWT (RFC 9901 section 7): SD-JWT VC, a credential of VCDM 2.0, or plain.
struct SDJWTCheck: FormatCheck {
    let surroundings: Surroundings
    private let token: SDJWT
    private let kind: CredentialKind
    /// The key that the issuer named for the holder.
    private var confirmation: JSON?
    /// What became known on the way, filled up to the stage that failed.
    private(set) var evidence: Evidence
    /// The issuer's entry once it is known to be trusted.
    private(set) var issuer: TrustedIssuer?

    private var isStrict: Bool { surroundings.profile == .strict }

    init(_ token: SDJWT, as kind: CredentialKind, _ surroundings: Surroundings, summary: CredentialSummary) {
        self.token = token
        self.kind = kind
        self.surroundings = surroundings
        evidence = Evidence(summary)
    }

    var bringsHolderProof: Bool { true }

    mutating func verify() throws(Rejection) {
        let credential = try readShape()
        let issued = isStrict ? credential.dates.issued : nil
        try surroundings.stage(.validity) { () throws(Rejection) in
            try surroundings.checkValidity(from: credential.validFrom, until: credential.validUntil, issued: issued)
        }
        let issuer = try surroundings.stage(.issuer) { () throws(Rejection) in
            let found =
                if let id = credential.issuer {
                    try surroundings.trust.issuer(id, at: surroundings.clock.utc, pointer: "/iss")
                } else {
                    try surroundings.issuer(certifying: token.issued)
                }
            guard kind != .plainSDJWT || found.plainSDJWT else {
                throw Rejection(.issuerNotForType, .plainSDJWT(issuer: found.id))
            }
            let isTyped = [.vcdmSDJWT, .plainSDJWT].contains(kind)
            try found.check(types: credential.types, at: isTyped ? "/type" : "/vct")
            return found
        }
        self.issuer = issuer
        evidence.summary.issuer = surroundings.recordable(issuer.id)
        try surroundings.checkContexts(of: credential.document, issuer)
        let keys = try surroundings.stage(.key) { () throws(Rejection) in
            // A withheld `iat` may be later than all dates that are shown.
            let withholds = (try? credential.processed.get().withholdsMembers) ?? true
            let isStated = !withholds || token.issued.claims["iat"] != nil
            let dates = isStated ? credential.dates.issue + [credential.validFrom].compactMap(\.self) : []
            let signer = TokenSigner(
                surroundings: surroundings, issuer: issuer, issuedAt: dates, signedAt: issued)
            return try signer.keys(of: token.issued)
        }
        let processed = try surroundings.stage(.proof) { () throws(Rejection) in
            evidence.summary.signed = SignedContent(digest: Digest.sha256(token.issued.signingInput))
            try surroundings.checkSignature(of: token.issued, by: keys)
            let processed = try credential.processed.get()
            if processed.withholdsMembers, !issuer.mayWithholdExpiry { try checkDates(of: credential) }
            // One of several types may say that it is no credential for a gate.
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

    /// An end that the holder may leave out is none: what is withheld could be just that, whatever other end he shows. Nor is
    /// a start; but most
    /// issuers of SD-JWTs state no other start than when they signed, and their specifications tell them not to make
    /// another one a matter of the holder's choice. A credential of VCDM 2.0 has dates of its own: those of the JWT are
    /// about the signature.
    private func checkDates(of credential: SDJWTCredential) throws(Rejection) {
        let isVCDM = kind == .vcdmSDJWT
        let (from, until) = credential.ownDates
        guard until != nil else { throw Rejection.withheldDate(at: isVCDM ? "/validUntil" : "/exp") }
        guard from != nil || !isVCDM && token.issued.claims["iat"] != nil else {
            throw Rejection.withheldDate(at: isVCDM ? "/validFrom" : "/nbf")
        }
    }

    /// A status of which a part is withheld is one. The issuer who shows a member to everybody conceals no second one; what
    /// the holder chose to show says nothing of the rest, so any member that is withheld may be a status then.
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
        let credential = try surroundings.stage(.shape) { () throws(Rejection) in
            try SDJWTCredential(
                token, as: kind, profile: surroundings.profile, limits: surroundings.limits)
        }
        evidence.summary.issuer = credential.issuer.flatMap(surroundings.recordable)
        evidence.summary.types = surroundings.recordable(credential.types)
        evidence.summary.validFrom = credential.validFrom
        evidence.summary.validUntil = credential.validUntil
        return credential
    }

    /// What the gate's rules may read: the processed payload.
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

    /// A key binding that is there must be right; one that was asked for must be there. The signature of a presentation does
    /// not stand for it where the issuer named the holder's key: anybody can sign a presentation.
    mutating func checkHolder(_ demand: HolderDemand) throws(Rejection) {
        guard let keyBinding = token.keyBinding else {
            if demand.required, !demand.isPresented || confirmation != nil { throw Rejection(.holderProofMissing) }
            return
        }
        do throws(Rejection) {
            let counts = try KeyBinding(surroundings: surroundings, demand: demand)
                .check(keyBinding, of: token, confirmation: confirmation)
            evidence.holder = counts ? .proven : .unfit
        } catch { throw Rejection(.holderInvalid) }
    }
}
