package import Encoding
import Reasons

/// The proof of possession that the gate demands from the holder before the payload arrives. Tuvali has no
/// message for such a demand, so over Tuvali the gate makes no demand.
package struct HolderDemand: Sendable {
    /// The challenge that a holder's proof must repeat.
    package var nonce: Text?
    /// The audience or domain that a holder's proof must name.
    package var audience: Text?
    /// Whether a credential without a holder's proof is refused.
    package var required: Bool
    /// Whether the credential is in a presentation. The presentation's own proof counts for all credentials
    /// that name no key of their holder.
    var isPresented = false
    /// The maximum age of the holder's proof; nil: the policy's value.
    package var maxAge: Duration?

    /// Creates a demand; without arguments it demands nothing.
    package init(nonce: Text? = nil, audience: Text? = nil, required: Bool = false, maxAge: Duration? = nil) {
        self.nonce = nonce
        self.audience = audience
        self.required = required
        self.maxAge = maxAge
    }
}

/// The proof that the holder presents the payload.
enum HolderProof {
    /// The presentation has no proof, or the signer of its proof is not the subject of each credential.
    case missing
    /// A valid signature that may have been made for another verifier or long ago.
    case unfit
    /// The subject signed for this gate and recently.
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

/// The rule for proofs by which holders show possession of their keys: key binding JWTs (RFC 9901 section
/// 7.3), presentations in JWTs and linked-data presentations. The caller checks the signature.
///
/// A proof counts if it is no older than allowed and was made for this gate: the proof names this gate as its
/// audience, or names no audience. If a proof without an audience answers a challenge that this gate did not
/// give, it was made for the verifier that gave the challenge. If the gate has no name, no audience can be
/// this gate.
///
/// A proof that does not count is refused in two cases. In the first case the gate made a demand that the
/// proof does not fulfil. In the second case the gate has a name and the proof names another audience; RFC
/// 7519 section 4.1.3 requires this refusal for `aud`, and Data Integrity 1.0 section 4.4 for `domain`. In
/// all other cases the credentials are treated as if they had been received without this proof: neither VCDM
/// nor VC-JOSE-COSE gives a presentation an age, and its credentials are valid by themselves.
struct HolderProofRule {
    let policy: VerificationPolicy
    let demand: HolderDemand
    let now: Timestamp

    /// The signed statements of a proof.
    struct Statement {
        /// The challenges that the proof answers.
        var nonces: [Text]
        /// The audiences for which the proof was made; empty if it states none. An audience that is no text
        /// is included as an empty text, which names no gate.
        var audiences: [Text]
        /// The dates at which the proof was made, as it states them.
        var made: [Timestamp]
    }

    /// Returns whether the proof counts.
    ///
    /// - Throws: `holder.invalid`.
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

    /// Returns whether a proof is recent. An answered challenge does not replace the date.
    func isFresh(_ made: [Timestamp]) -> Bool {
        let maxAge = demand.maxAge ?? policy.holderProofAge
        return !made.isEmpty
            && made.allSatisfy { $0 <= now.advanced(by: policy.clockSkew) && now <= $0.advanced(by: maxAge) }
    }
}

extension HolderProofRule.Statement {
    /// Reads the statements of a JWT: `nonce` and `aud`. `made` is its `iat`, or its `nbf` where it has no
    /// `iat`.
    init(_ claims: JSONObject, made: Timestamp?) {
        nonces = claims["nonce"].map { [$0.string ?? ""] } ?? []
        audiences = claims["aud"].map { member in (member.array ?? [member]).map { $0.string ?? "" } } ?? []
        self.made = [made].compactMap(\.self)
    }
}
