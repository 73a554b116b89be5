import Encoding
import Reasons

extension VerificationContext {
    /// Runs the issuer stage of a token without `iss`: returns the entry in the trust data to which the token's
    /// certificate belongs.
    ///
    /// - Throws: `issuer.untrusted` if there is no such entry, or more than one; `chain.invalid`.
    func issuer(certifying token: CompactJWS) throws(Rejection) -> TrustedIssuer {
        guard let id = try trust.issuer(certifying: token, limits: limits) else {
            throw Rejection(.issuerUntrusted, at: "/iss")
        }
        return try trust.issuer(id, at: clock.utc, pointer: "/iss")
    }
}

extension TrustStore {
    /// Returns the issuer to which the signer's certificate of a token without `iss` belongs
    /// (draft-ietf-oauth-sd-jwt-vc since draft 10, section 2.2.2.2). Only entries in the trust data that list a root of
    /// the certificate count. The issuer is the entry whose id the certificate names or, if it names none of these
    /// entries, the only entry. Returns nil if there is no such entry, or more than one.
    ///
    /// The result only selects the entry whose rules apply. The key stage checks that the chain ends at a root of the
    /// entry and names no other issuer.
    ///
    /// - Throws: `chain.invalid`.
    func issuer(certifying token: CompactJWS, limits: Limits) throws(Rejection) -> Text? {
        let texts = (token.header["x5c"]?.array ?? []).prefix(limits.certificates).map { $0.string }
        let chain = texts.compactMap { $0.flatMap { Base64.decodeAny($0.string) } }
            .filter { $0.count <= limits.certificateBytes }.compactMap { X509Certificate($0) }
        guard let leaf = chain.first, chain.count == texts.count else {
            throw Rejection(.chainInvalid, .encoding, at: token.pointer)
        }
        let names = leaf.extensions.subjectNames
        let roots = Set(
            chain.flatMap { certificate in
                (self.roots.pinned(certificate).map { [$0] } ?? self.roots.named(certificate.issuer))
                    .map { CertificateRoots.id(ofDigest: $0.digest) }
            })
        let entries = issuers.values.filter { !roots.isDisjoint(with: $0.roots) }
        let choices: [(TrustedIssuer) -> Bool] = [
            { names.uris.contains($0.id) }, { names.bearing(on: $0.id) == .itself }, { _ in true },
        ]
        for isChosen in choices {
            let chosen = entries.filter(isChosen)
            guard chosen.count < 2 else { break }
            if let id = chosen.first?.id { return id }
        }
        return nil
    }
}
