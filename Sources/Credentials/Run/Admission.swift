import Encoding

/// By what a credential opens the gate: the types that its issuer's entry names, or a rule that says what admits.
struct Admission {
    let surroundings: Surroundings

    /// What there is to say about a credential that is admitted by no rule, or by one that is about anything
    /// (``AcceptRule/saysWhatAdmits``): nil where its issuer's entry names the types, which were compared when the issuer was
    /// looked up. A warning does not refuse it.
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
    /// Whether the rule names types or credentials, or requires something of the claims. Else it is the issuers' entries that say
    /// what admits.
    package var saysWhatAdmits: Bool {
        !selector.types.isEmpty || !selector.credentials.isEmpty || require.contains(where: \.asksOfClaims)
    }
}
