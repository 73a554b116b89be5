import Encoding

/// The stages that all tokens share.
extension Surroundings {
    /// Validity stage: the token's or credential's own dates at the clock. `issued` in the future is refused, too.
    func checkValidity(from: Timestamp?, until: Timestamp?, issued: Timestamp? = nil) throws(Rejection) {
        guard policy.trusts(clock) else { throw Rejection(.clockUntrusted) }
        let (now, skew) = (clock.utc, policy.clockSkew)
        for start in [from, issued] {
            if let start, now.advanced(by: skew) < start { throw Rejection(.validityNotYet) }
        }
        if let until, until.advanced(by: skew) < now { throw Rejection(.validityExpired) }
    }

    /// Contexts stage of a token: nothing is expanded, but where the operator says which contexts an issuer may use, its
    /// tokens may name no others.
    func checkContexts(of document: JSONObject, _ issuer: TrustedIssuer) throws(Rejection) {
        guard let urls = issuer.contexts else { return }
        try stage(.contexts) { () throws(Rejection) in
            let inlineAllowed = issuer.inlineContexts || policy.profile == .compat
            try ContextRules(trust: trust, inlineAllowed: inlineAllowed, urls: urls).check(document)
        }
    }

    /// Proof stage: the signature is that of one of these keys.
    func checkSignature(of token: CompactJWS, by keys: [PublicKey]) throws(Rejection) {
        for key in keys where try token.isSigned(by: key) { return }
        throw Rejection(.proofInvalid, at: token.pointer)
    }

    /// What a record may keep of the types that a stranger wrote.
    func recordable(_ types: [Text]) -> [Text] {
        Array(types.filter { $0.utf8.count <= limits.recordedLetters }.prefix(limits.recordedTypes))
    }

    /// The same of an id.
    func recordable(_ id: Text) -> Text? { id.utf8.count <= limits.recordedLetters ? id : nil }
}
