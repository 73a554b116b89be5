/// The stages of a verification in their order. Cheaper stages come first.
package enum Stage: String, CaseIterable, Comparable, Sendable {
    /// The check of the size limits.
    case input
    /// The check of the strict JSON, CBOR or token syntax.
    case syntax
    /// The removal of the envelope, and the determination of the format.
    case envelope
    /// The check of the members of the data model. A missing proof is found last.
    case shape
    /// The check of the validity dates against the clock.
    case validity
    /// The lookup of the issuer in the trust list. The lookup precedes all cryptography, so an untrusted issuer causes
    /// no cryptography.
    case issuer
    /// The check of the pinned contexts, JSON-LD expansion and deserialisation to RDF.
    case contexts
    /// The check of proof suite and purpose, key lookup, authorisation and controller.
    case key
    /// Canonicalisation and the check of the signature.
    case proof
    /// The search for members that the signature does not cover.
    case claims
    /// The check for revocation and suspension.
    case status
    /// The check of the holder's proof, if the gate demands a proof.
    case holder
    /// The check whether the credential was presented within the replay window.
    case replay
    /// The evaluation of the gate's own rules.
    case policy

    package static func < (left: Stage, right: Stage) -> Bool { left.position < right.position }

    private var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
