import Reasons

/// The check of a credential before its status: shape, validity, issuer, contexts, key, proof and signed
/// content, in this order, as far as the format has them.
protocol FormatCheck {
    /// The evidence so far, up to the stage that failed.
    var evidence: Evidence { get }
    /// The issuer's entry, once the issuer is known to be trusted; nil for a format without one: a
    /// presentation or an mdoc.
    var issuer: TrustedIssuer? { get }
    /// Whether the object is a presentation. A presentation itself runs the later stages for each of its
    /// credentials.
    var isPresentation: Bool { get }
    /// Whether credentials of the format may contain a holder's proof of their own.
    var bringsHolderProof: Bool { get }

    /// Runs all stages of the format and reads what the issuer signed.
    mutating func verify() throws(Rejection)
    /// Checks the shape and, for linked data, the expansion: the stages that need no key, trust or clock.
    mutating func checkShape() throws(Rejection)
    /// Runs the holder stage, after the status stage.
    mutating func checkHolder(_ demand: HolderDemand) throws(Rejection)
}

extension FormatCheck {
    var issuer: TrustedIssuer? { nil }
    var isPresentation: Bool { false }
    var bringsHolderProof: Bool { false }

    /// Runs the holder stage of a format that proves nothing about its holder: a bare credential, an mdoc
    /// outside its own transport.
    mutating func checkHolder(_ demand: HolderDemand) throws(Rejection) {
        if demand.required { throw Rejection(.holderProofMissing) }
    }
}
