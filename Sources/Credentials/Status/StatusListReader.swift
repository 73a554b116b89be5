import Encoding
import Reasons

/// A reader of stored status lists on behalf of one issuer. A list is a linked-data or JWT credential with a bitstring,
/// or an IETF status list token in JWT or CWT form. Every error in the list causes a refusal.
struct StatusListReader {
    let verificationContext: VerificationContext
    /// The issuer of the credentials in the list.
    let issuer: TrustedIssuer

    /// Returns the list that is stored under `url`; nil if there is none.
    func stored(_ url: Text, at pointer: String) throws(Rejection) -> StoredStatusList? {
        guard let bytes = verificationContext.trust.statusLists[url] else { return nil }
        return try read(bytes, url: url, fetched: verificationContext.trust.listsFetched[url], at: pointer)
    }

    /// Checks a list that is stored, or is to be stored, under `url`. `fetched` is the date at which the list's server
    /// last confirmed the list, if known.
    ///
    /// - Throws: `status.invalid`; `status.stale` for a list that is not valid yet. Also `status.stale` for a list that
    ///   is no longer valid, unless rules decide about stale lists.
    func read(
        _ bytes: [UInt8], url: Text, fetched: Timestamp?, at pointer: String
    ) throws(Rejection) -> StoredStatusList {
        let letters = Token.trimmed(bytes)
        do throws(Rejection) {
            switch letters.first {
            case UInt8(ascii: "{"): return try linkedData(bytes, url)
            case UInt8(ascii: "e"): return try token(letters, url, fetched)
            default:
                return try StatusListToken(verificationContext: verificationContext, issuer: issuer, fetched: fetched)
                    .read(cwt: bytes, url: url)
            }
        } catch {
            switch error.reason.code {
            case .validityExpired, .validityNotYet, .statusStale: throw Rejection(.statusStale, at: pointer)
            default: throw Rejection(.statusInvalid, at: pointer)
            }
        }
    }

    /// Returns the entry in the trust data by which `id` may sign lists for ``issuer``; nil if `id` may not sign them.
    func signer(_ id: Text) -> TrustedIssuer? {
        if id == issuer.id { return issuer }
        guard issuer.statusIssuers.contains(id) else { return nil }
        if let entry = verificationContext.trust.issuer(id) {
            return entry.isValid(at: verificationContext.clock.utc) ? entry : nil
        }
        var entry = TrustedIssuer(id: id, keyPurpose: issuer.keyPurpose, inlineContexts: issuer.inlineContexts)
        entry.documentMaxAge = issuer.documentMaxAge
        (entry.roots, entry.tokenSignerUsages) = (issuer.roots, issuer.tokenSignerUsages)
        return entry
    }

    private func token(
        _ letters: ArraySlice<UInt8>, _ url: Text, _ fetched: Timestamp?
    ) throws(Rejection) -> StoredStatusList {
        let token = try CompactJWS(letters, limits: verificationContext.limits)
        let kind = try CredentialKind(of: token)
        if kind == .statusListToken {
            return try StatusListToken(verificationContext: verificationContext, issuer: issuer, fetched: fetched)
                .read(token, url: url)
        }
        guard [.jwtCredential, .vcJWT].contains(kind) else { throw Rejection(.statusInvalid) }
        let claims = token.claims
        let document = claims["vc"]?.object ?? claims
        let named = claims["iss"]?.string ?? Self.issuer(of: document)
        let dates = try Self.dates(claims, document, verificationContext.profile)
        var check = JWTCheck(
            token, as: kind, verificationContext.quiet(at: try dates.clock(in: verificationContext, at: "")),
            summary: CredentialSummary(format: kind.format))
        let credential = try check.verifyIssued(by: try signer(named: named))
        let signed = StatusListDates(issued: credential.validFrom, until: credential.validUntil)
        return try bitstring(StatusListFacts(text: credential.shape.document), url, signed)
    }

    private func linkedData(_ bytes: [UInt8], _ url: Text) throws(Rejection) -> StoredStatusList {
        guard let document = try? JSON.parse(bytes, limits: verificationContext.limits.json).object else {
            throw Rejection(.statusInvalid)
        }
        let dates = try Self.dates(JSONObject(), document, verificationContext.profile)
        var check = CredentialCheck(
            document, verificationContext.quiet(at: try dates.clock(in: verificationContext, at: "")),
            summary: CredentialSummary(format: .ldpVC))
        let issued = try check.verifyIssued(by: try signer(named: Self.issuer(of: document)))
        guard !check.evidence.unsigned.contains(where: { Pointer.overlap($0, "/credentialSubject") }) else {
            throw Rejection(.statusInvalid)
        }
        let signed = StatusListDates(issued: issued.facts.validFrom, until: issued.facts.validUntil)
        return try bitstring(StatusListFacts(issued), url, signed)
    }

    private func signer(named id: Text?) throws(Rejection) -> TrustedIssuer {
        guard let id, let entry = signer(id) else { throw Rejection(.statusInvalid) }
        return entry
    }

    /// Completes the check of a verified credential: the credential must be the requested status list.
    private func bitstring(
        _ facts: StatusListFacts?, _ url: Text, _ dates: StatusListDates
    ) throws(Rejection) -> StoredStatusList {
        guard let facts, !facts.kinds.isEmpty, isNamed(facts.id, url), let encoded = facts.encodedList,
            let list = try? BitstringStatusList(encoded: encoded, limits: verificationContext.limits)
        else { throw Rejection(.statusInvalid) }
        return dates.list(.bitstring(list, facts), in: verificationContext)
    }

    /// Returns whether a list has an acceptable id. The id is optional (Bitstring Status List 1.0 section 3). A present
    /// id must be that of the requested list, or an alias in the issuer's entry in the trust data.
    private func isNamed(_ id: Text?, _ url: Text) -> Bool {
        guard let id else { return true }
        return id == url || issuer.statusListAliases[url] == id
    }

    private static func issuer(of document: JSONObject) -> Text? {
        document["issuer"]?.string ?? document["issuer"]?["id"]?.string
    }

    /// Returns the dates of a list credential, from any member that states them. The dates are not checked here, but by
    /// the check of the credential.
    static func dates(
        _ claims: JSONObject, _ document: JSONObject, _ profile: Profile
    ) throws(Rejection) -> StatusListDates {
        func date(_ names: [Text], _ claim: Text) -> [Timestamp] {
            let texts = names.compactMap { document[$0]?.string?.string }
            return texts.compactMap { Timestamp(rfc3339: $0, zoneRequired: profile == .strict) }
                + [claims[claim]?.number].compactMap { $0.flatMap(Timestamp.init(numericDate:)) }
        }
        return StatusListDates(
            issued: date(["validFrom", "issuanceDate"], "nbf").max(),
            until: date(["validUntil", "expirationDate"], "exp").min())
    }
}
