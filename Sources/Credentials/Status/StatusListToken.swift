import Encoding

/// Verifies a status list token (draft-ietf-oauth-status-list sections 5 and 8.3) on behalf of an issuer. The draft leaves
/// open who may sign; here it is the issuer of the credential, or who its entry names for that.
struct StatusListToken {
    let surroundings: Surroundings
    let issuer: TrustedIssuer
    /// When its server last gave or confirmed it, as far as that is known: `ttl` counts from there.
    let fetched: Timestamp?

    /// The JWT form.
    func read(_ token: CompactJWS, url: Text) throws(Rejection) -> StoredStatusList {
        try CredentialKind.statusListToken.checkHeader(token.header, .strict)
        let claims = token.claims
        let times = try TokenDates(claims, profile: .strict)
        let dates = try check(
            subject: claims["sub"]?.string, url: url, issued: times.issued, from: times.validFrom,
            until: times.validUntil, lifetime: claims.present("ttl").map { $0.number?.double ?? 0 })
        let clock = try dates.clock(in: surroundings, at: "")
        try verify(named: claims["iss"], at: clock, issued: times.issued) { (signer, quiet) throws(Rejection) in
            if signer.isRoot, let chain = token.header["x5c"]?.array {
                let certificates = chain.compactMap { $0.string.flatMap { Base64.decodeAny($0.string) } }
                guard certificates.count == chain.count else { throw Rejection(.chainInvalid, .encoding) }
                let key = try certified(certificates, signer, quiet, times.issued)
                return try token.verify(by: key)
            }
            let keys = try TokenSigner(
                surroundings: quiet, issuer: signer, issuedAt: times.issue, signedAt: times.issued
            ).keys(of: token)
            try quiet.checkSignature(of: token, by: keys)
        }
        guard let list = try? TokenStatusList(claims["status_list"], limits: surroundings.limits) else {
            throw Rejection(.statusInvalid)
        }
        return dates.list(.token(list), in: surroundings)
    }

    /// The CWT form: a tagged COSE_Sign1 whose protected header names its type.
    func read(cwt bytes: [UInt8], url: Text) throws(Rejection) -> StoredStatusList {
        let invalid = Rejection(.statusInvalid)
        var decoder = CBORDecoder(limits: surroundings.limits.cbor)
        let item = try decoder.read(bytes[...])
        // The draft forbids the tag of CWTs around the message; its early editions asked for it.
        let message = item.tagged(61) ?? item
        guard message.tagged(18) != nil else { throw invalid }
        let signed = try COSESign1(message, decoder: &decoder, at: "")
        guard let type = signed.protectedMember(16)?.text, TokenType.normalized(type) == "statuslist+cwt" else {
            throw invalid
        }
        let claims = try decoder.read(signed.payload)
        let issued = try Self.date(claims, 6)
        let dates = try check(
            subject: claims[2]?.text, url: url, issued: issued, from: try Self.date(claims, 5),
            until: try Self.date(claims, 4),
            lifetime: claims[65534].map { Double($0.unsigned ?? 0) })
        let named = claims[1].map { $0.text.map(JSON.string) ?? .null }
        try verify(named: named, at: try dates.clock(in: surroundings, at: ""), issued: issued) {
            (signer, quiet) throws(Rejection) in
            if !signed.certificates.isEmpty {
                return try signed.verify(by: certified(signed.certificates, signer, quiet, issued))
            }
            try verify(signed, signer, quiet, issued)
        }
        guard let list = try? TokenStatusList(claims[65533], limits: surroundings.limits) else { throw invalid }
        return dates.list(.token(list), in: surroundings)
    }

    /// Claims that both forms have: it must be the list asked for, and say when it was issued. `ttl`, in seconds, is how long
    /// a copy may be kept before a fresh one is fetched (section 5.1); after that it is as overdue as after `exp`.
    private func check(
        subject: Text?, url: Text, issued: Timestamp?, from: Timestamp?, until: Timestamp?, lifetime: Double?
    ) throws(Rejection) -> StatusListDates {
        guard let subject, subject == url || issuer.statusListAliases[url] == subject, let issued,
            lifetime.map({ $0 > 0 }) ?? true
        else { throw Rejection(.statusInvalid) }
        let soon = surroundings.clock.utc.advanced(by: surroundings.policy.clockSkew)
        guard max(issued, from ?? issued) <= soon else { throw Rejection(.statusStale) }
        return Self.dates(issued: issued, until: until, lifetime: lifetime, fetched)
    }

    /// The dates of a list that states these claims.
    static func dates(
        issued: Timestamp?, until: Timestamp?, lifetime: Double?, _ fetched: Timestamp?
    ) -> StatusListDates {
        var fresh: Timestamp?
        if let fetched, let lifetime {
            // Of a list that nobody has checked it may be anything.
            let seconds = lifetime > 0 ? min(lifetime, longestLifetime) : 0
            fresh = fetched.advanced(by: .milliseconds(Int64(seconds * 1000)))
        }
        return StatusListDates(issued: issued, until: [until, fresh].compactMap(\.self).min())
    }

    /// A century is as good as for ever, and can be added to any date.
    private static let longestLifetime = 3_155_760_000.0

    /// Tries everybody who may sign: the one that the token names or, when it names nobody, each in turn.
    private func verify(
        named: JSON?, at clock: WallTime, issued: Timestamp?,
        _ attempt: (TrustedIssuer, Surroundings) throws(Rejection) -> Void
    ) throws(Rejection) {
        let quiet = surroundings.quiet(at: clock)
        // What is issued below an X.509 root has no name that a token could repeat: its certificates say who it is.
        let isUnnamed =
            named == nil || issuer.isRoot && !issuer.statusIssuers.contains { .string($0) == named }
        let ids = isUnnamed ? [issuer.id] + issuer.statusIssuers : [named?.string].compactMap(\.self)
        let reader = StatusListReader(surroundings: surroundings, issuer: issuer)
        var refusal = Rejection(.statusInvalid)
        for id in ids {
            guard let signer = reader.signer(id) else { continue }
            do throws(Rejection) { return try attempt(signer, quiet) } catch { refusal = error }
        }
        throw refusal
    }

    /// The key of a certificate whose path ends at a root of the issuer and that names nobody else. A root has no name that a
    /// certificate could repeat.
    private func certified(
        _ chain: [[UInt8]], _ signer: TrustedIssuer, _ quiet: Surroundings, _ issued: Timestamp?
    ) throws(Rejection) -> PublicKey {
        let (trust, skew) = (quiet.trust, quiet.policy.clockSkew)
        let found = try CertificatePath.signer(
            of: chain, role: SignerRole.statusList(of: signer), roots: trust.roots, at: quiet.clock.utc, skew: skew,
            profile: quiet.profile, limits: quiet.limits)
        guard signer.isRoot || signer.isNamed(by: found) else { throw Rejection(.issuerKeyMismatch) }
        if let issued, !found.isValid(at: issued, skew: skew) { throw Rejection(.chainExpired, .signingDate) }
        guard trust.revocations.allow(found, issuedAt: [issued].compactMap(\.self)) else {
            throw Rejection(.keyRevoked)
        }
        guard signer.allows(found.key) else { throw Rejection(.keyNotAuthorised) }
        return found.key
    }

    /// A message without certificates: one of the keys of the signer's document, the one that `kid` names if it does.
    private func verify(
        _ message: COSESign1, _ signer: TrustedIssuer, _ quiet: Surroundings, _ issued: Timestamp?
    ) throws(Rejection) {
        let name = message.keyID.flatMap { Text(utf8: $0) }
        let resolver = KeyResolver(trust: quiet.trust, now: quiet.clock.utc)
        var refusal = Rejection(.keyUnknown)
        for id in [signer.id] + signer.controllers {
            let document = SelfContainedDID.document(id) ?? quiet.trust.document(id)
            for method in document?.listedMethods.prefix(Self.candidates) ?? [] {
                let names = [method.id, method.keyID, Self.fragment(of: method.id)]
                guard message.keyID == nil || name != nil && names.contains(name) else { continue }
                do throws(Rejection) {
                    let key = try resolver.key(
                        method.id, for: .assertionMethod, of: KeyResolver.Authority(signer),
                        issuedAt: [issued].compactMap(\.self), at: "")
                    return try message.verify(by: key)
                } catch { refusal = error }
            }
        }
        throw refusal
    }

    private static let candidates = 8

    private static func fragment(of url: Text) -> Text? {
        url.utf8.lastIndex(of: UInt8(ascii: "#")).map { mark in
            Text(String(decoding: url.utf8[mark...].dropFirst(), as: UTF8.self))
        }
    }

    /// A NumericDate claim (RFC 8392 section 3.1: untagged).
    static func date(_ claims: CBOR, _ label: Int64) throws(Rejection) -> Timestamp? {
        guard let member = claims[label] else { return nil }
        switch member.value {
        case .unsigned(let seconds) where seconds <= 1 << 53: return Timestamp(seconds: Int64(seconds))
        case .float(let seconds) where (0...9_007_199_254_740_992).contains(seconds):
            return Timestamp(seconds: Int64(seconds))
        default: throw Rejection(.statusInvalid)
        }
    }
}
