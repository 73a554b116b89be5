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
            // No presentation stands in another.
            guard ![.jwtVP, .vpJWT].contains(received.format) else { throw Rejection(.formatUnsupported) }
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
        var own = demand
        own.required = false
        return try received.verify(surroundings, demand: own, isPresented: true, into: &evidence)
    }

    /// Shape and, of linked data, expansion only.
    func checkShape(_ surroundings: Surroundings, into evidence: inout Evidence) throws(Rejection) {
        if case .object(let document) = received.body, document.isEmpty { return }
        var check = try received.check(surroundings, demand: HolderDemand(), mode: .shape, summary: evidence.summary)
        try check.checkShape()
    }
}
