/// The treatment of a credential whose issuer's entry names no admitting types, where no rule of the gate
/// states what admits.
package enum UntypedIssuers: String, Sendable {
    /// It is accepted; only for trust data that is not used at a gate.
    case admit
    /// It is accepted with `issuer.untyped` as a warning.
    case warn
    /// It is refused.
    case refuse
}
