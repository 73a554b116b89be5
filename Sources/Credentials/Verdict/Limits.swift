import Encoding

/// Bounds on what one verification may take. Complexity is counted in work, never in time.
package struct Limits: Sendable {
    /// Bytes of a payload: 8 MiB, Tuvali's bound on what may be inflated.
    package var payloadBytes = 8 * 1024 * 1024
    /// Containers inside each other in JSON.
    package var jsonDepth = 64
    /// Proofs on one document.
    package var proofs = 8
    /// Credentials in one presentation.
    package var credentials = 8
    /// Status entries of one credential.
    package var statusEntries = 8
    /// Letters of a `jws` or `proofValue`; the longest real one (RSA 8192 bits, header with certificate hash) is below.
    package var signatureLetters = 8 * 1024
    /// Letters of an identifier or key reference; did:jwk with a large RSA key stays below.
    package var identifierLetters = 16 * 1024
    /// Bytes of an inflated status list.
    package var statusListBytes = 16 * 1024 * 1024
    /// Entries that a bitstring status list must at least have (Bitstring Status List 1.0 section 3.1).
    package var statusListEntries = 131_072
    /// Pointers of unsigned members that a verdict lists.
    package var unsignedPointers = 64
    /// Letters of an issuer or type that goes into a record; longer ones are left out.
    package var recordedLetters = 2048
    /// Types that go into a record.
    package var recordedTypes = 16

    /// The documented defaults.
    package init() {}

    var json: JSON.Limits {
        var limits = JSON.Limits()
        limits.depth = jsonDepth
        limits.bytes = payloadBytes
        return limits
    }
}
