import Encoding
import Reasons

extension Received {
    /// Returns the check for the format. A new format needs a case here.
    ///
    /// - Throws: `format.unsupported`.
    func check(
        _ verificationContext: VerificationContext, demand: HolderDemand, mode: VerificationMode = .full,
        summary: CredentialSummary
    ) throws(Rejection) -> any FormatCheck {
        switch (kind, body) {
        case (.linkedDataPresentation, .object(let document)):
            PresentationCheck(document, verificationContext, demand: demand, summary: summary)
        case (.linkedDataCredential, .object(let document)):
            CredentialCheck(document, verificationContext, summary: summary)
        case (.jwtPresentation, .jwt(let token)), (.vpJWT, .jwt(let token)):
            JWTPresentationCheck(token, as: kind, verificationContext, demand: demand, summary: summary)
        case (.jwtCredential, .jwt(let token)), (.vcJWT, .jwt(let token)):
            JWTCheck(token, as: kind, verificationContext, summary: summary)
        case (_, .sdJWT(let token)): SDJWTCheck(token, as: kind, verificationContext, summary: summary)
        case (.mdoc, .token(let letters)): MdocCheck(letters, verificationContext, mode: mode, summary: summary)
        default: throw Rejection(.formatUnsupported)
        }
    }

    /// Runs all stages from the shape to the holder's proof and fills `evidence`. Returns the issuer's entry in the
    /// trust data; nil if there is none.
    ///
    /// - Parameter isPresented: Whether the credential is in a presentation. If so, the holder stage runs only for a
    ///   format with a holder's proof of its own, because the check of the presentation verifies the holder's proof.
    func verify(
        _ verificationContext: VerificationContext, demand: HolderDemand, mode: VerificationMode = .full,
        isPresented: Bool = false,
        into evidence: inout Evidence
    ) throws(Rejection) -> TrustedIssuer? {
        var check = try check(verificationContext, demand: demand, mode: mode, summary: evidence.summary)
        do throws(Rejection) { try check.verify() } catch {
            evidence = check.evidence
            throw error
        }
        evidence = check.evidence
        if check.isPresentation { return nil }
        guard evidence.credentials.allSatisfy({ CredentialKind.admits($0.claims?.allTypes ?? []) }) else {
            return try verificationContext.stage(.claims) { () throws(Rejection) in throw Rejection(.kindNeverAdmits) }
        }
        try verificationContext.stage(.status) { () throws(Rejection) in
            try verificationContext.answerStatus(into: &evidence)
        }
        guard mode == .full, !isPresented || check.bringsHolderProof else { return check.issuer }
        try verificationContext.stage(.holder) { () throws(Rejection) in try check.checkHolder(demand) }
        evidence.holder = check.evidence.holder
        return check.issuer
    }
}
