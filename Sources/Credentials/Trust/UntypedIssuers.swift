/// The treatment of a credential if the issuer's entry names no types and no rule of the gate states what it admits.
package enum UntypedIssuers: String, Sendable {
    /// The credential is accepted. This case is only for trust data that no gate uses.
    case admit
    /// The credential is accepted with the warning `issuer.untyped`.
    case warn
    /// The credential is refused with `issuer.untyped`.
    case refuse
}
