package import Encoding
import Reasons

/// The proof of possession that the gate demands from the holder before the payload arrives. Tuvali has no message for
/// a demand, so over Tuvali the gate demands nothing.
package struct HolderDemand: Sendable {
    /// The challenge that a holder's proof must repeat; nil if the gate set no challenge.
    package var nonce: Text?
    /// The audience or domain that a holder's proof must name; nil if the gate requires none.
    package var audience: Text?
    /// Whether a credential without a holder's proof is refused.
    package var required: Bool
    /// Whether the credential is in a presentation. If a credential names no key of its holder, the proof of the
    /// presentation counts for the credential.
    var isPresented = false
    /// The maximum age of the holder's proof; nil: the policy's value.
    package var maxAge: Duration?

    /// Creates a demand. Without arguments, the demand requires nothing.
    package init(nonce: Text? = nil, audience: Text? = nil, required: Bool = false, maxAge: Duration? = nil) {
        self.nonce = nonce
        self.audience = audience
        self.required = required
        self.maxAge = maxAge
    }
}

/// The result of checking the holder's proof of possession.
enum HolderProof {
    /// The presentation has no proof, or the signer of the proof is not the subject of each credential.
    case missing
    /// The signature is valid, but may be old or made for another verifier.
    case unfit
    /// The subject signed recently and for this gate.
    case proven

    /// The reason code for a proof that is required but not sufficient; nil if the proof is sufficient.
    var complaint: ReasonCode? {
        switch self {
        case .missing: .holderProofMissing
        case .unfit: .holderInvalid
        case .proven: nil
        }
    }
}

/// The rule for proofs by which holders show possession of their keys: key binding JWTs (RFC 9901 section 7.3),
/// presentations in JWTs and linked-data presentations. The caller checks the signature.
///
/// A proof counts if it is not too old and was made for this gate. A proof was made for this gate if it names the gate
/// as its audience or names no audience. A proof without an audience that answers another verifier's challenge was made
/// for that verifier. For a gate without a name, no audience can be the gate.
///
/// A proof that does not count is refused in two cases. In the first case, the gate made a demand that the proof does
/// not fulfil. In the second case, the gate has a name and the proof names another audience; RFC 7519 section 4.1.3
/// requires the refusal for `aud`, and Data Integrity 1.0 section 4.4 for `domain`. In all other cases the credentials
/// are treated as if received without the proof: neither VCDM nor VC-JOSE-COSE limits the age of a presentation, and
/// its credentials are valid by themselves.
struct HolderProofRule {
    let policy: VerificationPolicy
    let demand: HolderDemand
    let now: Timestamp

    /// The signed statements of a proof.
    struct Statement {
        /// The challenges that the proof answers.
        var nonces: [Text]
        /// The audiences for which the proof was made; empty if the proof states none. An audience that is not text is
        /// included as an empty text, which names no gate.
        var audiences: [Text]
        /// The dates of signing that the proof states.
        var made: [Timestamp]
    }

    /// Returns whether the proof counts, that is, whether it is recent and was made for this gate.
    ///
    /// - Throws: `holder.invalid` for a proof that does not count and must be refused.
    func counts(_ stated: Statement) throws(Rejection) -> Bool {
        let names = [demand.audience, policy.audience].compactMap(\.self)
        let isNamed = stated.audiences.contains(where: names.contains)
        let isForeign = !stated.audiences.isEmpty && !isNamed
        if let nonce = demand.nonce, stated.nonces != [nonce] { throw Rejection(.holderInvalid) }
        if let audience = demand.audience, !stated.audiences.contains(audience) { throw Rejection(.holderInvalid) }
        if isForeign, !names.isEmpty { throw Rejection(.holderInvalid) }
        let answersAnother = demand.nonce == nil && !stated.nonces.isEmpty && !isNamed
        let counts = isFresh(stated.made) && !isForeign && !answersAnother
        if demand.required, !counts { throw Rejection(.holderInvalid) }
        return counts
    }

    /// Returns whether a proof is recent. A proof that answers a challenge needs a recent date, too.
    func isFresh(_ made: [Timestamp]) -> Bool {
        let maxAge = demand.maxAge ?? policy.holderProofAge
        return !made.isEmpty
            && made.allSatisfy { $0 <= now.advanced(by: policy.clockSkew) && now <= $0.advanced(by: maxAge) }
    }
}

extension HolderProofRule.Statement {
    /// Reads the statements of a JWT: `nonce` and `aud`. `made` is the `iat` of the JWT or, without `iat`, the `nbf`.
    init(_ claims: JSONObject, made: Timestamp?) {
        nonces = claims["nonce"].map { [$0.string ?? ""] } ?? []
        audiences = claims["aud"].map { member in (member.array ?? [member]).map { $0.string ?? "" } } ?? []
        self.made = [made].compactMap(\.self)
    }
}
