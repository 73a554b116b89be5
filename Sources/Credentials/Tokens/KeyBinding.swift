import Encoding

/// The key binding JWT of an SD-JWT+KB: the holder shows that he has the key which the issuer named in `cnf`, now and to
/// this gate (RFC 9901 sections 4.3 and 7.3). Whatever is wrong with it, the caller makes it `holder.invalid`.
struct KeyBinding {
    let surroundings: Surroundings
    let demand: HolderDemand

    /// Checks the JWT against the `cnf` of the payload that it belongs to.
    func check(_ text: ArraySlice<UInt8>, of token: SDJWT, confirmation: JSON?) throws(Rejection) {
        let invalid = Rejection(.holderInvalid)
        let jwt = try CompactJWS(text, limits: surroundings.limits)
        try TokenType.check(jwt.header, isOneOf: ["kb+jwt"], absent: false)
        let claims = jwt.claims
        // The hash is the one that the issuer's JWT names.
        let hash = try DisclosureHash(of: token.issued.claims)
        guard let nonce = claims["nonce"]?.string, let audience = claims["aud"]?.string,
            claims["sd_hash"]?.string == hash.digest(token.presented)
        else { throw invalid }
        if let wanted = demand.nonce, wanted != nonce { throw invalid }
        if let wanted = demand.audience, wanted != audience { throw invalid }
        try checkAge(TokenDates(claims, profile: .strict))
        try jwt.verify(by: key(confirmation))
    }

    /// The binding must have been made a moment ago, whether or not a nonce was asked for.
    private func checkAge(_ dates: TokenDates) throws(Rejection) {
        let (now, skew) = (surroundings.clock.utc, surroundings.policy.clockSkew)
        let maxAge = demand.maxAge ?? surroundings.policy.holderProofAge
        guard let issued = dates.issued, issued <= now.advanced(by: skew), now <= issued.advanced(by: maxAge) else {
            throw Rejection(.holderInvalid)
        }
        try surroundings.checkValidity(from: dates.validFrom, until: dates.validUntil)
    }

    /// The holder's key: a JWK, or a DID URL in `kid` (RFC 7800 sections 3.2 and 3.4).
    private func key(_ confirmation: JSON?) throws(Rejection) -> PublicKey {
        if let jwk = confirmation?["jwk"] {
            guard KeyEncoding.signs(jwk.object) else { throw Rejection(.keyNotAuthorised) }
            do throws(PublicKey.Failure) {
                return try KeyEncoding.jwk(jwk.object)
            } catch { throw Rejection(error.code) }
        }
        guard let kid = confirmation?["kid"]?.string else { throw Rejection(.holderInvalid) }
        // The method of an identifier that is its own key needs no fragment.
        let isURL = kid.utf8.contains(UInt8(ascii: "#"))
        let url = isURL ? kid : SelfContainedDID.document(kid)?.listedMethods.first?.id ?? kid
        let method = try KeyResolver(trust: surroundings.trust).method(url, at: "/cnf/kid").method
        guard method.signs else { throw Rejection(.keyNotAuthorised) }
        do throws(PublicKey.Failure) {
            return try method.key.get()
        } catch { throw Rejection(error.code) }
    }
}
