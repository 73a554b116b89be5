package import Encoding

/// What the gate asked of the holder before the payload came. Over Tuvali there is no way to ask, so nothing is.
package struct HolderDemand: Sendable {
    /// The challenge that a holder's proof must repeat.
    package var nonce: Text?
    /// The audience or domain that a holder's proof must name.
    package var audience: Text?
    /// Whether a credential without a holder's proof is refused.
    package var required: Bool
    /// Whether the credential stands in a presentation, whose own proof answers for all that name no key of their holder.
    var isPresented = false
    /// Age of the holder's proof at most; nil takes the policy's.
    package var maxAge: Duration?

    /// A demand; without arguments: none.
    package init(nonce: Text? = nil, audience: Text? = nil, required: Bool = false, maxAge: Duration? = nil) {
        self.nonce = nonce
        self.audience = audience
        self.required = required
        self.maxAge = maxAge
    }
}

/// What a payload shows of who presents it.
enum HolderProof {
    /// No proof, or one of somebody who is not the subject of each credential.
    case missing
    /// A right signature that may have been made for another verifier or long ago.
    case unfit
    /// The subject signed, for this gate and now.
    case proven

    /// Why it does not do where a proof is required; nil where it does.
    var complaint: ReasonCode? {
        switch self {
        case .missing: .holderProofMissing
        case .unfit: .holderInvalid
        case .proven: nil
        }
    }
}

/// The one rule for what a holder signs to show that he has his key: key binding JWTs (RFC 9901 section 7.3), presentations in JWTs
/// and linked-data presentations. The caller checks the signature.
///
/// A proof counts if it is no older than allowed and made for this gate: it names this gate as its audience, or nobody. One that
/// names nobody but answers a challenge which this gate did not give was made for the verifier who gave it. Where the gate has no
/// name, no audience can be its own.
///
/// A proof that does not count is refused where the gate asked for something and this is not the answer, and where it names another
/// than this gate by its name: RFC 7519 section 4.1.3 demands that of `aud`, and Data Integrity 1.0 section 4.4 of `domain`.
/// Elsewhere it is as if the credentials came without it: neither VCDM nor VC-JOSE-COSE gives a presentation an age, and what
/// is in it stands by itself.
struct HolderProofRule {
    let policy: VerificationPolicy
    let demand: HolderDemand
    let now: Timestamp

    /// What a proof states under its signature.
    struct Statement {
        /// The challenges that it answers.
        var nonces: [Text]
        /// For whom it was made; empty where it does not say. What is no text names nobody and must be in it as an empty one.
        var audiences: [Text]
        /// When it was made.
        var made: [Timestamp]
    }

    /// Whether the proof counts.
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

    /// Whether something was made a moment ago. An answered challenge does not replace the date.
    func isFresh(_ made: [Timestamp]) -> Bool {
        let maxAge = demand.maxAge ?? policy.holderProofAge
        return !made.isEmpty
            && made.allSatisfy { $0 <= now.advanced(by: policy.clockSkew) && now <= $0.advanced(by: maxAge) }
    }
}

extension HolderProofRule.Statement {
    /// What the claims of a JWT state: `nonce`, `aud`, and `iat` or else `nbf`.
    init(_ claims: JSONObject, made: Timestamp?) {
        nonces = claims["nonce"].map { [$0.string ?? ""] } ?? []
        audiences = claims["aud"].map { member in (member.array ?? [member]).map { $0.string ?? "" } } ?? []
        self.made = [made].compactMap(\.self)
    }
}
