import Encoding
import Reasons

/// The verification of a status list token (draft-ietf-oauth-status-list sections 5 and 8.3) on behalf of an issuer.
/// The draft does not state who may sign. This program permits the issuer of the credential, and the ids that the
/// issuer's entry in the trust data names for status lists.
struct StatusListToken {
    let verificationContext: VerificationContext
    let issuer: TrustedIssuer
    /// The date at which the list's server last sent or confirmed the list; nil if unknown. `ttl` counts from this
    /// date.
    let fetched: Timestamp?

    /// Reads the JWT form.
    func read(_ token: CompactJWS, url: Text) throws(Rejection) -> StoredStatusList {
        try CredentialKind.statusListToken.checkHeader(token.header, .strict)
        let claims = token.claims
        let times = try TokenDates(claims, profile: .strict)
        let dates = try check(
            subject: claims["sub"]?.string, url: url, issued: times.issued, from: times.validFrom,
            until: times.validUntil, lifetime: claims.present("ttl").map { $0.number?.double ?? 0 })
        let clock = try dates.clock(in: verificationContext, at: "")
        try verify(named: claims["iss"], at: clock, issued: times.issued) { (signer, quiet) throws(Rejection) in
            let keys = try self.signer(signer, quiet, times.issued, times.validFrom).keys(of: token)
            try quiet.checkSignature(of: token, by: keys)
        }
        guard let list = try? TokenStatusList(claims["status_list"], limits: verificationContext.limits) else {
            throw Rejection(.statusInvalid)
        }
        return dates.list(.token(list), in: verificationContext)
    }

    /// Reads the CWT form: a tagged COSE_Sign1 message with its type in the protected header.
    func read(cwt bytes: [UInt8], url: Text) throws(Rejection) -> StoredStatusList {
        let invalid = Rejection(.statusInvalid)
        var decoder = CBORDecoder(limits: verificationContext.limits.cbor)
        let item = try decoder.read(bytes[...])
        // The draft forbids the CWT tag around the message. Early editions of the draft required the tag.
        let message = item.tagged(61) ?? item
        guard message.tagged(18) != nil else { throw invalid }
        let signed = try COSESign1(message, decoder: &decoder, at: "")
        guard let type = signed.protectedMember(16)?.text, TokenType.normalized(type) == "statuslist+cwt" else {
            throw invalid
        }
        let claims = try decoder.read(signed.payload)
        let issued = try Self.date(claims, 6)
        let from = try Self.date(claims, 5)
        let dates = try check(
            subject: claims[2]?.text, url: url, issued: issued, from: from, until: try Self.date(claims, 4),
            lifetime: claims[65534].map { Double($0.unsigned ?? 0) })
        let named = claims[1].map { $0.text.map(JSON.string) ?? .null }
        try verify(named: named, at: try dates.clock(in: verificationContext, at: ""), issued: issued) {
            (signer, quiet) throws(Rejection) in
            let keys = try self.signer(signer, quiet, issued, from).keys(of: signed)
            for key in keys where try signed.isSigned(by: key) { return }
            throw Rejection(.proofInvalid)
        }
        guard let list = try? TokenStatusList(claims[65533], limits: verificationContext.limits) else { throw invalid }
        return dates.list(.token(list), in: verificationContext)
    }

    /// Checks the claims of both token forms: the token must be the requested list and state its date of issue. `ttl`,
    /// in seconds, is how long a copy may be kept before a new fetch (section 5.1). After that time the list is
    /// overdue, as after `exp`.
    private func check(
        subject: Text?, url: Text, issued: Timestamp?, from: Timestamp?, until: Timestamp?, lifetime: Double?
    ) throws(Rejection) -> StatusListDates {
        guard let subject, subject == url || issuer.statusListAliases[url] == subject, let issued,
            lifetime.map({ $0 > 0 }) ?? true
        else { throw Rejection(.statusInvalid) }
        let soon = verificationContext.clock.utc.advanced(by: verificationContext.policy.clockSkew)
        guard max(issued, from ?? issued) <= soon else { throw Rejection(.statusStale) }
        return Self.dates(issued: issued, until: until, lifetime: lifetime, fetched)
    }

    /// Returns the dates of a list with the given claims.
    static func dates(
        issued: Timestamp?, until: Timestamp?, lifetime: Double?, _ fetched: Timestamp?
    ) -> StatusListDates {
        var fresh: Timestamp?
        if let fetched, let lifetime {
            // In an unverified list `ttl` may have any value.
            let seconds = lifetime > 0 ? min(lifetime, longestLifetime) : 0
            fresh = fetched.advanced(by: .milliseconds(Int64(seconds * 1000)))
        }
        return StatusListDates(issued: issued, until: [until, fresh].compactMap(\.self).min())
    }

    /// The maximum lifetime in seconds: a century. This is practically no limit, but no sum with a date overflows.
    private static let longestLifetime = 3_155_760_000.0

    /// Tries the permitted signers: only the signer that the token names or, if it names none, all permitted signers.
    private func verify(
        named: JSON?, at clock: WallTime, issued: Timestamp?,
        _ attempt: (TrustedIssuer, VerificationContext) throws(Rejection) -> Void
    ) throws(Rejection) {
        let quiet = verificationContext.quiet(at: clock)
        // An issuer below an X.509 root has no name that a token could contain. The certificates identify the issuer.
        let isUnnamed =
            named == nil || issuer.isRoot && !issuer.statusIssuers.contains { .string($0) == named }
        let ids = isUnnamed ? [issuer.id] + issuer.statusIssuers : [named?.string].compactMap(\.self)
        let reader = StatusListReader(verificationContext: verificationContext, issuer: issuer)
        var refusal = Rejection(.statusInvalid)
        for id in ids {
            guard let signer = reader.signer(id) else { continue }
            do throws(Rejection) { return try attempt(signer, quiet) } catch { refusal = error }
        }
        throw refusal
    }

    private func signer(
        _ entry: TrustedIssuer, _ quiet: VerificationContext, _ issued: Timestamp?, _ from: Timestamp?
    ) -> TokenSigner {
        TokenSigner(
            verificationContext: quiet, issuer: entry, issuedAt: [issued, from].compactMap(\.self), signedAt: issued,
            isStatusList: true)
    }

    /// Reads a NumericDate claim (RFC 8392 section 3.1: untagged); nil if the claim is absent.
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
