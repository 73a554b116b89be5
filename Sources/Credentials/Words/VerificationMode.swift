/// The extent of a verification.
package enum VerificationMode: Sendable {
    /// All checks.
    case full
    /// Syntax, shape, contexts and expansion: the checks that need no key, trust or clock.
    case shape
    /// All checks except those of who vouches for a signing certificate and what it may be used for. It
    /// checks signature, digests, dates and shape of data whose roots are not available. For laboratory use:
    /// no gate may open on it, so neither the replay window nor the policy is applied.
    case issuerDataOnly
}
