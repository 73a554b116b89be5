import Encoding
import Reasons

/// A credential inside a presentation: linked data or a token. The credential passes all stages of its format; the
/// presentation determines the holder.
struct PresentedCredential {
    let received: Received

    /// Reads an entry of `verifiableCredential`.
    ///
    /// - Throws: `shape.member` for text that is not a token; otherwise the token parser's error.
    init(_ entry: JSON, limits: Limits) throws(Rejection) {
        if let enveloped = try EnvelopedCredential(entry) {
            received = try Envelope(limits: limits).token(enveloped)
        } else if let object = entry.object, let kind = try CredentialKind(of: object, claimed: .ldpVC) {
            received = Received(kind: kind, body: .object(object))
        } else {
            throw Rejection(.shapeMember)
        }
        // A presentation must not contain another presentation.
        guard !received.kind.isPresentation else { throw Rejection(.formatUnsupported) }
    }

    /// Checks only the shape of the credential and, for linked data, the JSON-LD expansion.
    func checkShape(_ verificationContext: VerificationContext, into evidence: inout Evidence) throws(Rejection) {
        if case .object(let document) = received.body, document.isEmpty { return }
        var check = try received.check(
            verificationContext, demand: HolderDemand(), mode: .shape, summary: evidence.summary)
        try check.checkShape()
    }
}

extension Evidence {
    /// Runs all stages of a credential in a presentation. Returns the issuer's entry in the trust data; nil if there is
    /// none.
    mutating func present(
        _ credential: Located<JSON>, _ verificationContext: VerificationContext, demand: HolderDemand
    ) throws(Rejection) -> TrustedIssuer? {
        var demand = demand
        demand.isPresented = true
        return try present(at: credential.pointer) { (found) throws(Rejection) in
            let received = try PresentedCredential(credential.value, limits: verificationContext.limits).received
            found.summary.format = received.format
            return try received.verify(verificationContext, demand: demand, isPresented: true, into: &found)
        }
    }
}
