/// The extent of a verification.
package enum VerificationMode: Sendable {
    /// All checks.
    case full
    /// Syntax, shape, contexts and expansion: the checks without key, trust data or clock.
    case shape
    /// All checks except two: whether a root vouches for the signing certificate, and which uses the certificate
    /// allows. Signature, digests, dates and shape are checked. The mode is for laboratory data whose roots are not
    /// available. No gate may open on its result, so the replay window and the policy are not applied.
    case issuerDataOnly
}
