import Reasons

/// The check of a credential before its status. The stages are shape, validity, issuer, contexts, key, proof and signed
/// content, in this order. A format may lack some stages.
protocol FormatCheck {
    /// The evidence so far, up to the stage that failed.
    var evidence: Evidence { get }
    /// The issuer's entry in the trust data; nil until the issuer stage has passed, and for a presentation or an mdoc,
    /// which have no such entry.
    var issuer: TrustedIssuer? { get }
    /// Whether the object is a presentation. The check of a presentation runs the later stages for each credential.
    var isPresentation: Bool { get }
    /// Whether credentials of the format may contain a holder's proof.
    var bringsHolderProof: Bool { get }

    /// Runs all stages of the format and reads what the issuer signed.
    mutating func verify() throws(Rejection)
    /// Checks the shape and, for linked data, the JSON-LD expansion. These stages need no key, trust data or clock.
    mutating func checkShape() throws(Rejection)
    /// Runs the holder stage, after the status stage.
    mutating func checkHolder(_ demand: HolderDemand) throws(Rejection)
}

extension FormatCheck {
    var issuer: TrustedIssuer? { nil }
    var isPresentation: Bool { false }
    var bringsHolderProof: Bool { false }

    /// Runs the holder stage of a format without a holder's proof: a bare credential, or an mdoc, because only its own
    /// transport protocol has such a proof.
    mutating func checkHolder(_ demand: HolderDemand) throws(Rejection) {
        if demand.required { throw Rejection(.holderProofMissing) }
    }
}
