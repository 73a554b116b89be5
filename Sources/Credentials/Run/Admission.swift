import Encoding
import Reasons

/// The decision whether a credential may open the gate. A credential may open the gate if its issuer's entry in the
/// trust data names its types, or if a rule states which credentials it admits.
struct Admission {
    let verificationContext: VerificationContext

    /// Returns the finding about a credential that no rule restricts: the gate has no rules, or the accepting rule
    /// requires nothing of the credential (``AcceptRule/namesWhatAdmits``). Returns nil if the issuer's entry in the
    /// trust data names types, because the issuer stage has compared them. A finding with the severity
    /// ``Severity/warning`` does not refuse the credential.
    func finding(about claims: SignedClaims) -> Reason? {
        let severity: Severity
        switch verificationContext.trust.untypedIssuers {
        case .admit: return nil
        case .warn: severity = .warning
        case .refuse: severity = .error
        }
        guard verificationContext.trust.issuers[claims.issuer]?.types == nil else { return nil }
        let types = verificationContext.recordable(TrustedIssuer.telling(claims.types))
        return Reason(.issuerUntyped, .untyped(issuer: claims.issuer, types: types), severity: severity)
    }
}

extension AcceptRule {
    /// Whether the rule names types or credentials, or requires claims. Without such a rule, the issuers' entries in
    /// the trust data determine which credentials are admitted.
    package var namesWhatAdmits: Bool {
        !selector.types.isEmpty || !selector.credentials.isEmpty || require.contains(where: \.asksOfClaims)
    }
}
