/// How much is checked.
package enum VerificationMode: Sendable {
    /// Everything.
    case full
    /// Syntax, shape, contexts and expansion: what needs no key, no trust and no clock.
    case shape
    /// Everything but who vouches for a signing certificate and what it may be used for: signature, digests, dates
    /// and shape of data whose roots nobody has. What a laboratory looks at; no gate may open on it, so neither the
    /// replay window nor the policy is asked.
    case issuerDataOnly
}
