import Encoding

/// A credential inside a presentation: linked data or a token. It goes through all its own stages; who holds it is the
/// presentation's matter.
struct PresentedCredential {
    let received: Received

    /// What an entry of `verifiableCredential` holds.
    ///
    /// - Throws: `shape.member` for text that is no token, else what the token's syntax deserves.
    init(_ entry: JSON, limits: Limits) throws(Rejection) {
        if let enveloped = try EnvelopedCredential(entry) {
            received = try Envelope(limits: limits).token(enveloped)
        } else if let object = entry.object, let kind = try CredentialKind(of: object, claimed: .ldpVC) {
            received = Received(kind: kind, body: .object(object))
        } else {
            throw Rejection(.shapeMember)
        }
        // No presentation stands in another.
        guard !received.kind.isPresentation else { throw Rejection(.formatUnsupported) }
    }

    /// Shape and, of linked data, expansion only.
    func checkShape(_ surroundings: Surroundings, into evidence: inout Evidence) throws(Rejection) {
        if case .object(let document) = received.body, document.isEmpty { return }
        var check = try received.check(surroundings, demand: HolderDemand(), mode: .shape, summary: evidence.summary)
        try check.checkShape()
    }
}

extension Evidence {
    /// Takes a credential of a presentation through all its stages. Returns the issuer's entry.
    mutating func present(
        _ credential: Located<JSON>, _ surroundings: Surroundings, demand: HolderDemand
    ) throws(Rejection) -> TrustedIssuer? {
        var demand = demand
        demand.isPresented = true
        return try present(at: credential.pointer) { (found) throws(Rejection) in
            let received = try PresentedCredential(credential.value, limits: surroundings.limits).received
            found.summary.format = received.format
            return try received.verify(surroundings, demand: demand, isPresented: true, into: &found)
        }
    }
}
