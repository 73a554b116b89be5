import Encoding

/// The decision whether a credential may open the gate: by the types that its issuer's entry names, or by a
/// rule that states what admits.
struct Admission {
    let surroundings: Surroundings

    /// Returns the finding about a credential where no rule states what admits: there are no rules, or the
    /// rule requires nothing of it (``AcceptRule/saysWhatAdmits``). Returns nil where the issuer's entry
    /// names the types, which were compared when the issuer was looked up. A warning does not refuse the
    /// credential.
    func finding(about claims: SignedClaims) -> Reason? {
        let severity: Severity
        switch surroundings.trust.untypedIssuers {
        case .admit: return nil
        case .warn: severity = .warning
        case .refuse: severity = .error
        }
        guard surroundings.trust.issuers[claims.issuer]?.types == nil else { return nil }
        let types = surroundings.recordable(TrustedIssuer.telling(claims.types))
        return Reason(.issuerUntyped, .untyped(issuer: claims.issuer, types: types), severity: severity)
    }
}

extension AcceptRule {
    /// Whether the rule names types or credentials, or requires something of the claims. Otherwise the
    /// issuers' entries decide what admits.
    package var saysWhatAdmits: Bool {
        !selector.types.isEmpty || !selector.credentials.isEmpty || require.contains(where: \.asksOfClaims)
    }
}
