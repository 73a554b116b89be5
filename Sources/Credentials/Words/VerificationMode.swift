/// The extent of a verification.
package enum VerificationMode: Sendable {
    /// Run all checks.
    case full
    /// Syntax, shape, contexts and expansion: the checks that need no key, trust or clock.
    case shape
    /// Run all checks except two: whether a root vouches for the signing certificate, and for which uses the
    /// certificate is valid. Signature, digests, dates and shape are checked. The mode is for laboratory use
    /// with data whose roots are not available. No gate may open on its result, so neither the replay window
    /// nor the policy is applied.
    case issuerDataOnly
}
