import Encoding

extension Received {
    /// The check of the format. A further format is a case here.
    ///
    /// - Throws: `format.unsupported`.
    func check(
        _ surroundings: Surroundings, demand: HolderDemand, mode: VerificationMode = .full, summary: CredentialSummary
    ) throws(Rejection) -> any FormatCheck {
        switch (format, body) {
        case (.ldpVP, .object(let document)):
            PresentationCheck(document, surroundings, demand: demand, summary: summary)
        case (_, .object(let document)): CredentialCheck(document, surroundings, summary: summary)
        case (.jwtVP, .jwt(let token)), (.vpJWT, .jwt(let token)):
            JWTPresentationCheck(token, as: format, surroundings, demand: demand, summary: summary)
        case (_, .jwt(let token)): JWTCheck(token, as: format, surroundings, summary: summary)
        case (_, .sdJWT(let token)): SDJWTCheck(token, as: format, surroundings, summary: summary)
        case (.mdoc, .token(let letters)): MdocCheck(letters, surroundings, mode: mode, summary: summary)
        default: throw Rejection(.formatUnsupported)
        }
    }

    /// All stages from the shape to the holder's proof, into `evidence`. Returns the entry of the issuer, where there is one.
    ///
    /// - Parameter isPresented: Whether it stands in a presentation, whose holder's proof is looked at there.
    func verify(
        _ surroundings: Surroundings, demand: HolderDemand, mode: VerificationMode = .full, isPresented: Bool = false,
        into evidence: inout Evidence
    ) throws(Rejection) -> TrustedIssuer? {
        var check = try check(surroundings, demand: demand, mode: mode, summary: evidence.summary)
        do throws(Rejection) { try check.verify() } catch {
            evidence = check.evidence
            throw error
        }
        evidence = check.evidence
        if check.isPresentation { return nil }
        try surroundings.stage(.status) { () throws(Rejection) in try surroundings.answerStatus(into: &evidence) }
        guard mode == .full, !isPresented || check.bringsHolderProof else { return check.issuer }
        try surroundings.stage(.holder) { () throws(Rejection) in try check.checkHolder(demand) }
        evidence.holderProven = check.evidence.holderProven
        return check.issuer
    }
}
