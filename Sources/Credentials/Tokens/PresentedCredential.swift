import Encoding

/// A credential inside a presentation: linked data or a token. It goes through all its own stages; who holds it is the
/// presentation's matter.
struct PresentedCredential {
    let received: Received

    /// What an entry of `verifiableCredential` holds.
    ///
    /// - Throws: `shape.member` for text that is no token, else what the token's syntax deserves.
    init(_ entry: JSON, limits: Limits) throws(Rejection) {
        if let (letters, format) = try EnvelopedCredential.token(in: entry) {
            guard Token.kind(of: letters, claimed: format) == .jose else { throw Rejection(.shapeMember) }
            received = try Envelope(limits: limits).token(letters, claimed: format)
        } else if let object = entry.object {
            received = Received(format: .ldpVC, body: .object(object))
        } else {
            throw Rejection(.shapeMember)
        }
    }

    /// All stages of the credential, into `evidence`. Returns the issuer's entry.
    func verify(
        _ surroundings: Surroundings, demand: HolderDemand, into evidence: inout Evidence
    ) throws(Rejection) -> TrustedIssuer? {
        switch (received.format, received.body) {
        case (_, .object(let document)):
            var check = CredentialCheck(surroundings, summary: evidence.summary)
            defer { evidence = check.evidence }
            try check.verify(document)
            return check.issuer
        case (.jwtVC, .jwt(let token)), (.vcJWT, .jwt(let token)):
            var check = JWTCheck(surroundings, summary: evidence.summary)
            defer { evidence = check.evidence }
            try check.verify(token, as: received.format)
            return check.issuer
        case (_, .sdJWT(let token)):
            var own = demand
            own.required = false
            var check = SDJWTCheck(surroundings, demand: own, summary: evidence.summary)
            defer { evidence = check.evidence }
            try check.verify(token, as: received.format)
            return check.issuer
        default: throw Rejection(.formatUnsupported)
        }
    }

    /// Shape and, of linked data, expansion only.
    func checkShape(_ surroundings: Surroundings, into evidence: inout Evidence) throws(Rejection) {
        switch (received.format, received.body) {
        case (_, .object(let document)):
            if document.isEmpty { return }
            var check = CredentialCheck(surroundings, summary: evidence.summary)
            try check.checkShape(document)
        case (.jwtVC, .jwt(let token)), (.vcJWT, .jwt(let token)):
            var check = JWTCheck(surroundings, summary: evidence.summary)
            try check.checkShape(token, as: received.format)
        case (_, .sdJWT(let token)):
            var check = SDJWTCheck(surroundings, demand: HolderDemand(), summary: evidence.summary)
            try check.checkShape(token, as: received.format)
        default: throw Rejection(.formatUnsupported)
        }
    }
}
