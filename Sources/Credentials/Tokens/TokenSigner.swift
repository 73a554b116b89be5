import Encoding
import Reasons

/// The key stage of a token: finds the keys that may have signed the token in the name of its issuer. Keys come only
/// from the trust data. The header supplies only the name of a key, or certificates that lead to a pinned certificate
/// (RFC 7515 section 4.1, RFC 9052 section 3.1, RFC 9360).
struct TokenSigner {
    let verificationContext: VerificationContext
    /// The issuer in whose name the token is signed.
    let issuer: TrustedIssuer
    /// The token's own dates of issue.
    let issuedAt: [Timestamp]
    /// The date of the signature according to the token; nil if the date is unknown or not checked.
    var signedAt: Timestamp?
    /// The purpose for which the key must be listed. Certificates are accepted for issuers only.
    var purpose = ControllerDocument.Purpose.assertionMethod
    /// Whether the token is a status list. The certificates below a root also sign the status lists for mdocs of the
    /// root.
    var isStatusList = false

    /// The maximum number of keys to try if a token names no key. An issuer's document rarely has more than two fitting
    /// keys.
    private static let candidates = 8

    private var trust: TrustStore { verificationContext.trust }
    private var authority: KeyResolver.Authority { KeyResolver.Authority(issuer) }

    /// Returns the key that the token names or, without a name, the keys that fit the token's algorithm. The result has
    /// at least one key.
    func keys(of token: CompactJWS) throws(Rejection) -> [PublicKey] {
        let algorithm = try token.algorithm()
        if let chain = token.header["x5c"], purpose == .assertionMethod {
            return [try certified(try Self.chain(chain, token.pointer), token.pointer)]
        }
        guard let member = token.header["kid"] else { return try fitting(algorithm, token.pointer) }
        guard let kid = member.string else {
            // RFC 7515 section 4.1.4 requires a text. Some issuers write a number, which cannot name a key.
            if verificationContext.profile == .compat { return try fitting(algorithm, token.pointer) }
            throw Rejection(.proofMalformed, at: token.pointer)
        }
        return [try key(named: kid, token.pointer)]
    }

    /// Returns the keys of a token in CBOR. The `kid` is the name of a key, as in JSON, but in bytes.
    func keys(of message: COSESign1) throws(Rejection) -> [PublicKey] {
        let algorithm = try message.algorithm()
        if !message.certificates.isEmpty { return [try certified(message.certificates, message.pointer)] }
        guard let bytes = message.keyID else { return try fitting(algorithm, message.pointer) }
        guard let kid = Text(utf8: bytes) else { throw Rejection(.keyUnknown, at: message.pointer) }
        return [try key(named: kid, message.pointer)]
    }

    private func key(named kid: Text, _ pointer: String) throws(Rejection) -> PublicKey {
        guard kid.utf8.count <= verificationContext.limits.identifierBytes else {
            throw Rejection(.proofMalformed, at: pointer)
        }
        return try key(try method(kid, pointer), pointer)
    }

    /// Returns the URL of the verification method that `kid` names: a DID URL, a fragment of a DID URL, the `kid` of a
    /// JWK in the issuer's document, or an identifier with a single key.
    private func method(_ kid: Text, _ pointer: String) throws(Rejection) -> Text {
        if kid.hasPrefix("#") { return Text(issuer.id.string + kid.string) }
        if kid.utf8.contains(UInt8(ascii: "#")) { return kid }
        if let own = SelfContainedDID.document(kid)?.listedMethods.first { return own.id }
        if trust.document(kid)?.isSingleKey ?? false { return kid }
        for id in signers {
            let methods = methods(of: id)
            if id == kid, methods.count == 1 { return methods[0].id }
            let url = Text(id.string + "#" + kid.string)
            let named = methods.filter { $0.keyID == kid || $0.id == url }
            let listed = named.first { document(id)?.lists($0.id, for: purpose) ?? false }
            if let method = listed ?? named.first { return method.id }
        }
        throw Rejection(.keyUnknown, at: pointer)
    }

    /// Returns the keys that fit `algorithm`, of the issuer or of the ids that sign for the issuer.
    private func fitting(_ algorithm: SignatureAlgorithm, _ pointer: String) throws(Rejection) -> [PublicKey] {
        var keys: [PublicKey] = []
        var refusal: Rejection?
        for id in signers {
            for method in methods(of: id) {
                do throws(Rejection) {
                    let key = try key(method.id, pointer)
                    guard algorithm.fits(key) else { throw Rejection(.proofAlgorithm, at: pointer) }
                    keys.append(key)
                } catch { refusal = refusal ?? error }
            }
        }
        guard !keys.isEmpty else { throw refusal ?? Rejection(.keyUnknown, at: pointer) }
        return Array(keys.prefix(Self.candidates))
    }

    private var signers: [Text] { [issuer.id] + issuer.controllers }

    private func document(_ id: Text) -> ControllerDocument? { SelfContainedDID.document(id) ?? trust.document(id) }

    /// Returns the verification methods of the stored document `id`. If only single keys are stored, returns the
    /// methods that name `id` as their controller.
    private func methods(of id: Text) -> [VerificationMethod] {
        if let document = document(id) { return document.listedMethods }
        let keys = trust.documents.values.filter(\.isSingleKey).flatMap(\.listedMethods)
        return keys.filter { $0.controller == id }.sorted { $0.id < $1.id }
    }

    private func key(_ method: Text, _ pointer: String) throws(Rejection) -> PublicKey {
        try KeyResolver(trust: trust, now: verificationContext.clock.utc).key(
            method, for: purpose, of: authority, issuedAt: issuedAt, at: pointer)
    }

    /// Reads a certificate chain (RFC 7515 section 4.1.6): base64, not base64url.
    private static func chain(_ member: JSON, _ pointer: String) throws(Rejection) -> [[UInt8]] {
        let chain = member.array?.map { $0.string.flatMap { Base64.decodeAny($0.string) } } ?? [nil]
        let certificates = chain.compactMap(\.self)
        guard certificates.count == chain.count else { throw Rejection(.chainInvalid, .encoding, at: pointer) }
        return certificates
    }

    /// Returns the key of the leaf of a certificate chain that ends at a pinned root.
    private func certified(_ chain: [[UInt8]], _ pointer: String) throws(Rejection) -> PublicKey {
        guard chain.count <= verificationContext.limits.certificates else {
            throw Rejection(.inputTooLarge, at: pointer)
        }
        let skew = verificationContext.policy.clockSkew
        let signer = try CertificatePath.signer(
            of: chain, role: isStatusList ? SignerRole.statusList(of: issuer) : .token(of: issuer), roots: trust.roots,
            at: verificationContext.clock.utc, skew: skew, profile: verificationContext.profile,
            limits: verificationContext.limits)
        // The id of a root cannot be a name in a certificate, so no names are compared for a root's status list.
        guard issuer.isNamed(by: signer) || isStatusList && issuer.isRoot else {
            throw Rejection(.issuerKeyMismatch, at: "/iss")
        }
        if let signedAt, !signer.isValid(at: signedAt, skew: skew) {
            throw Rejection(.chainExpired, .signingDate, at: pointer)
        }
        guard trust.revocations.allow(signer, issuedAt: issuedAt) else { throw Rejection(.keyRevoked, at: pointer) }
        guard issuer.allows(signer.key) else { throw Rejection(.keyNotAuthorised, at: pointer) }
        return signer.key
    }
}

extension TrustedIssuer {
    /// Returns whether the names in a signer's certificate belong to this issuer. A pinned certificate or key may have
    /// any names. Otherwise names are compared, because a root may have certified several issuers, which must not sign
    /// for each other.
    func isNamed(by signer: CertificateSigner) -> Bool {
        signer.path.count == 1 || keys != nil || signer.names.bearing(on: id) != .others
    }

    /// Returns whether `key` may sign for the issuer. If the issuer's entry in the trust data lists keys, only the
    /// listed keys may sign.
    func allows(_ key: PublicKey) -> Bool {
        guard let keys else { return true }
        return KeyFingerprint(key).map(keys.contains) ?? false
    }
}
