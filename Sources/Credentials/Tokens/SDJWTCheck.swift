import Encoding

/// One SD-JWT (RFC 9901 section 7): SD-JWT VC, a credential of VCDM 2.0, or plain.
struct SDJWTCheck: FormatCheck {
    let surroundings: Surroundings
    private let token: SDJWT
    private let format: CredentialFormat
    /// The key that the issuer named for the holder.
    private var confirmation: JSON?
    /// What became known on the way, filled up to the stage that failed.
    private(set) var evidence: Evidence
    /// The issuer's entry once it is known to be trusted.
    private(set) var issuer: TrustedIssuer?

    private var isStrict: Bool { surroundings.policy.profile == .strict }

    init(_ token: SDJWT, as format: CredentialFormat, _ surroundings: Surroundings, summary: CredentialSummary) {
        self.token = token
        self.format = format
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
            let found = try surroundings.trust.issuer(credential.issuer, at: surroundings.clock.utc, pointer: "/iss")
            try found.check(types: credential.types, at: credential.model == .vcdm2 ? "/type" : "/vct")
            return found
        }
        self.issuer = issuer
        if credential.model == .vcdm2 { try surroundings.checkContexts(of: token.issued.claims, issuer) }
        let keys = try surroundings.stage(.key) { () throws(Rejection) in
            let dates = credential.dates.issue + [credential.validFrom].compactMap(\.self)
            let signer = TokenSigner(
                surroundings: surroundings, issuer: issuer, issuedAt: dates, signedAt: issued)
            return try signer.keys(of: token.issued)
        }
        let processed = try surroundings.stage(.proof) { () throws(Rejection) in
            evidence.summary.signed = SignedContent(digest: Digest.sha256(token.issued.signingInput))
            try surroundings.checkSignature(of: token.issued, by: keys)
            let processed = try credential.processed.get()
            if processed.withholdsMembers, !issuer.mayWithholdExpiry { try Self.checkDates(of: credential) }
            return processed
        }
        noteClaims(processed, credential, format, issuer)
        confirmation = processed.object["cnf"]
        evidence.questions = [
            StatusQuestion(
                issuer: issuer, entries: credential.statusEntries.map(StatusEntry.init),
                claim: processed.object["status"].map { .json($0, at: "/status") },
                withheld: withheldStatus(processed, credential))
        ]
    }

    /// An end that the holder may leave out is none: what is withheld could be just that. Nor is a start; but most
    /// issuers of SD-JWTs state no other start than when they signed. A credential of VCDM 2.0 has one of its own.
    private static func checkDates(of credential: SDJWTCredential) throws(Rejection) {
        let isVCDM = credential.model == .vcdm2
        guard credential.validUntil != nil else { throw Rejection.withheldDate(at: isVCDM ? "/validUntil" : "/exp") }
        let start = credential.validFrom ?? (isVCDM ? nil : credential.dates.issued)
        guard start != nil else { throw Rejection.withheldDate(at: isVCDM ? "/validFrom" : "/nbf") }
    }

    /// A status of which a part is withheld is one. Of a member that is there no second can be hidden; where neither is, any
    /// member that is withheld may be one.
    private func withheldStatus(_ processed: DisclosedPayload, _ credential: SDJWTCredential) -> Withheld? {
        let places: [Text] = ["status", "credentialStatus"]
        for name in places where processed.withholds(at: Text("/" + name.string)) {
            return Withheld(place: "/" + name.string, isStated: true)
        }
        guard processed.withholdsMembers else { return nil }
        // What the holder chose to show says nothing of the other.
        let isShown = places.contains { name in
            credential.model == .vcdm2 && name == "status"
                ? token.issued.claims[name] != nil : processed.object[name] != nil
        }
        if isShown { return nil }
        return Withheld(place: credential.model == .vcdm2 ? "/credentialStatus" : "/status", isStated: false)
    }

    mutating func checkShape() throws(Rejection) { _ = try readShape().processed.get() }

    private mutating func readShape() throws(Rejection) -> SDJWTCredential {
        let credential = try surroundings.stage(.shape) { () throws(Rejection) in
            try SDJWTCredential(
                token, as: format, profile: surroundings.policy.profile, limits: surroundings.limits)
        }
        evidence.summary.issuer = surroundings.recordable(credential.issuer)
        evidence.summary.types = surroundings.recordable(credential.types)
        evidence.summary.validFrom = credential.validFrom
        evidence.summary.validUntil = credential.validUntil
        return credential
    }

    /// What the gate's rules may read: the processed payload.
    private mutating func noteClaims(
        _ processed: DisclosedPayload, _ credential: SDJWTCredential, _ format: CredentialFormat,
        _ issuer: TrustedIssuer
    ) {
        evidence.claims = [
            SignedClaims(
                format: format, issuer: issuer.id, types: credential.types,
                text: SignedText(
                    .object(processed.inPlace), withheld: processed.withheldElements, hidesMembers: true),
                validFrom: credential.validFrom, validUntil: credential.validUntil,
                signed: evidence.summary.signed ?? SignedContent(digest: []), subjects: processed.subjects)
        ]
    }

    /// A key binding that is there must be right; one that was asked for must be there.
    mutating func checkHolder(_ demand: HolderDemand) throws(Rejection) {
        guard let keyBinding = token.keyBinding else {
            if demand.required { throw Rejection(.holderProofMissing) }
            return
        }
        do throws(Rejection) {
            try KeyBinding(surroundings: surroundings, demand: demand)
                .check(keyBinding, of: token, confirmation: confirmation)
        } catch { throw Rejection(.holderInvalid) }
        evidence.holderProven = true
    }
}
