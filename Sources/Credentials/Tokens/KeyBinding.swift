import Encoding
import Reasons

/// The check of the key binding JWT of an SD-JWT+KB. With a key binding JWT, the holder proves to this gate the present
/// possession of the key that the issuer named in `cnf` (RFC 9901 sections 4.3 and 7.3). The caller reports every error
/// as `holder.invalid`.
struct KeyBinding {
    let verificationContext: VerificationContext
    let demand: HolderDemand

    /// Checks the JWT against the `cnf` of the SD-JWT's payload. Returns whether the JWT counts (``HolderProofRule``):
    /// a valid JWT may have been made for another verifier.
    func check(_ text: ArraySlice<UInt8>, of token: SDJWT, confirmation: JSON?) throws(Rejection) -> Bool {
        let invalid = Rejection(.holderInvalid)
        let jwt = try CompactJWS(text, limits: verificationContext.limits)
        try CredentialKind.keyBinding.checkHeader(jwt.header, .strict)
        let claims = jwt.claims
        // The payload of the issuer's JWT names the hash algorithm.
        let hash = try DisclosureHash(of: token.issued.claims)
        guard claims["nonce"]?.string != nil, claims["aud"]?.string != nil,
            claims["sd_hash"]?.string == hash.digest(token.presented)
        else { throw invalid }
        let dates = try TokenDates(claims, profile: .strict)
        let rule = HolderProofRule(
            policy: verificationContext.policy, demand: demand, now: verificationContext.clock.utc)
        // The JWT proves possession of the key only at its date of issue. Section 7.3 refuses an old key binding, even
        // without a demand.
        guard let issued = dates.issued, rule.isFresh([issued]) else { throw invalid }
        try verificationContext.checkValidity(from: dates.validFrom, until: dates.validUntil)
        let counts = try rule.counts(HolderProofRule.Statement(claims, made: issued))
        try jwt.verify(by: key(confirmation, usedAt: issued))
        return counts
    }

    /// Returns the holder's key: a JWK, or a DID URL in `kid` (RFC 7800 sections 3.2 and 3.4). Throws `key.revoked` for
    /// a key that the operator has withdrawn, and for a key after the end date in its document.
    private func key(_ confirmation: JSON?, usedAt date: Timestamp) throws(Rejection) -> PublicKey {
        if let jwk = confirmation?["jwk"] {
            guard KeyEncoding.signs(jwk.object) else { throw Rejection(.keyNotAuthorised) }
            return try usable(Result { () throws(PublicKey.Failure) in try KeyEncoding.jwk(jwk.object) }, "", date)
        }
        guard let kid = confirmation?["kid"]?.string else { throw Rejection(.holderInvalid) }
        // For an identifier that contains its own key, the fragment is optional.
        let isURL = kid.utf8.contains(UInt8(ascii: "#"))
        let url = isURL ? kid : SelfContainedDID.document(kid)?.listedMethods.first?.id ?? kid
        let method = try KeyResolver(trust: verificationContext.trust).method(url, at: "/cnf/kid").method
        guard method.signs else { throw Rejection(.keyNotAuthorised) }
        if let end = method.end, end <= verificationContext.clock.utc { throw Rejection(.keyRevoked) }
        return try usable(method.key, method.id, date)
    }

    private func usable(
        _ key: Result<PublicKey, PublicKey.Failure>, _ method: Text, _ date: Timestamp
    ) throws(Rejection) -> PublicKey {
        let found: PublicKey
        do throws(PublicKey.Failure) { found = try key.get() } catch { throw Rejection(error.code) }
        guard verificationContext.trust.revocations.allow(found, method: method, issuedAt: [date]) else {
            throw Rejection(.keyRevoked)
        }
        return found
    }
}
