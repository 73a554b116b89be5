/// What becomes of a credential of an issuer whose entry names no types by which it admits, where no rule of the gate says what does.
package enum UntypedIssuers: String, Sendable {
    /// It is accepted: for data that no gate is run by.
    case admit
    /// It is accepted with `issuer.untyped` as a warning.
    case warn
    /// It is refused.
    case refuse
}
