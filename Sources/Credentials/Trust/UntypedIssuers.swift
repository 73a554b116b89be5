/// The treatment of a credential whose issuer's entry names no admitting types, where no rule of the gate
/// states what admits.
package enum UntypedIssuers: String, Sendable {
    /// A credential of an issuer without types is accepted. This is only for trust data that is not used at a
    /// gate.
    case admit
    /// A credential of an issuer without types is accepted with `issuer.untyped` as a warning.
    case warn
    /// A credential of an issuer without types is refused.
    case refuse
}
