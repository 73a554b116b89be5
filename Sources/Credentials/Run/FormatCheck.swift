/// What a credential of some format has to pass before its status is asked for: shape, validity, issuer, contexts, key, proof and
/// what is signed, in this order as far as the format knows them.
protocol FormatCheck {
    /// What became known on the way, filled up to the stage that failed.
    var evidence: Evidence { get }
    /// The issuer's entry once it is known to be trusted; nil for what has none of its own.
    var issuer: TrustedIssuer? { get }
    /// Whether the stages behind are its own matter: a presentation asks for each of its credentials.
    var isPresentation: Bool { get }
    /// Whether it came with a holder's proof of its own.
    var bringsHolderProof: Bool { get }

    /// All of them; ends with what the issuer signed.
    mutating func verify() throws(Rejection)
    /// Shape, and of linked data expansion: what needs no key, no trust and no clock.
    mutating func checkShape() throws(Rejection)
    /// Holder stage, behind the status.
    mutating func checkHolder(_ demand: HolderDemand) throws(Rejection)
}

extension FormatCheck {
    var issuer: TrustedIssuer? { nil }
    var isPresentation: Bool { false }
    var bringsHolderProof: Bool { false }

    /// What says nothing about who holds it: a bare credential, an mdoc outside its own transport.
    mutating func checkHolder(_ demand: HolderDemand) throws(Rejection) {
        if demand.required { throw Rejection(.holderProofMissing) }
    }
}
