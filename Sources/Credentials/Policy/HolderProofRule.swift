package import Encoding

/// The gate's demands on the holder, made before the payload arrives. Tuvali has no message for them, so over
/// Tuvali there are none.
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
    /// There is no proof, or its signer is not the subject of each credential.
    case missing
    /// A valid signature that may have been made for another verifier or long ago.
    case unfit
    /// The subject signed for this gate and recently.
    case proven

    /// The reason code where a proof is required and this one is not enough; nil where it is.
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
/// A proof counts if it is no older than allowed and was made for this gate: it names this gate as its
/// audience, or names no audience. A proof without an audience that answers a challenge which this gate did
/// not give was made for the verifier that gave it. Where the gate has no name, no audience can be its own.
///
/// A proof that does not count is refused in two cases: where the gate made a demand that it does not fulfil,
/// and where the gate has a name and the proof names another audience. RFC 7519 section 4.1.3 requires the
/// latter for `aud`, and Data Integrity 1.0 section 4.4 for `domain`. In all other cases the credentials are
/// treated as if they came without it: neither VCDM nor VC-JOSE-COSE gives a presentation an age, and its
/// credentials are valid by themselves.
struct HolderProofRule {
    let policy: VerificationPolicy
    let demand: HolderDemand
    let now: Timestamp

    /// The signed statements of a proof.
    struct Statement {
        /// The challenges that it answers.
        var nonces: [Text]
        /// The audiences that it was made for; empty where it states none. An audience that is no text is
        /// included as an empty text, which names no gate.
        var audiences: [Text]
        /// The dates at which it was made.
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
