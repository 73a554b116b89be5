/// The stages of a verification in their order, the cheaper ones first.
package enum Stage: String, CaseIterable, Comparable, Sendable {
    /// Size limits.
    case input
    /// Strict JSON, CBOR or token syntax.
    case syntax
    /// Removal of the envelope; determination of the format.
    case envelope
    /// The members of the data model; a missing proof is the last check.
    case shape
    /// The validity dates at the clock.
    case validity
    /// Whether the issuer is in the trust list. This stage comes before any cryptography for untrusted
    /// issuers.
    case issuer
    /// Pinned contexts, JSON-LD expansion and deserialisation to RDF.
    case contexts
    /// Proof suite and purpose, key lookup, authorisation, controller.
    case key
    /// Canonicalisation and signature.
    case proof
    /// Members that the signature does not cover.
    case claims
    /// Revocation and suspension.
    case status
    /// The holder's proof, where the gate asks for one.
    case holder
    /// Whether the credential was presented before within the replay window.
    case replay
    /// The gate's own rules.
    case policy

    package static func < (left: Stage, right: Stage) -> Bool { left.position < right.position }

    private var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
