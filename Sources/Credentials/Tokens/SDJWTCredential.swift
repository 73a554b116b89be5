import Encoding
import LinkedData
import Reasons

/// The well-formed content of an SD-JWT, with its disclosures.
struct SDJWTCredential {
    /// The payload with the disclosed claims.
    let document: JSONObject
    /// The issuer; nil if only the signer's certificate names the issuer. SD-JWT VC needs no `iss` since draft 10.
    let issuer: Text?
    let types: [Text]
    let validFrom: Timestamp?
    let validUntil: Timestamp?
    /// The start and the end of the validity according to dates that the holder cannot withhold: for VCDM 2.0 the dates
    /// of the credential, otherwise any dates.
    let ownDates: (from: Timestamp?, until: Timestamp?)
    let dates: TokenDates
    /// Entries of bitstring status lists.
    let statusEntries: [Located<JSONObject>]
    /// The payload with its disclosures inserted, or the error in the disclosures. The error is reported after the
    /// verification of the issuer's signature.
    let processed: Result<DisclosedPayload, Rejection>

    /// Runs the shape stage. If the disclosures are unusable, only the claims in the issuer's JWT are read.
    init(_ token: SDJWT, as kind: CredentialKind, profile: Profile, limits: Limits) throws(Rejection) {
        let claims = token.issued.claims
        try kind.checkHeader(token.issued.header, profile)
        let processed = Result { () throws(Rejection) in
            try Self.process(token, claims, neverDisclosed: kind.neverDisclosed, limits: limits)
        }
        let disclosed = try? processed.get().object
        let view = disclosed ?? claims
        if kind == .vcdmSDJWT, disclosed != nil {
            let credential = try JWTCredential(payload: view, as: kind, profile: profile, limits: limits)
            (issuer, types) = (credential.shape.issuer, credential.shape.types)
            (validFrom, validUntil, dates) = (credential.validFrom, credential.validUntil, credential.dates)
            ownDates = (
                claims["validFrom"].flatMap { _ in credential.shape.validFrom },
                claims["validUntil"].flatMap { _ in credential.shape.validUntil }
            )
            statusEntries = credential.shape.statusEntries
        } else {
            try kind.members.check(view)
            let members = Members(view, limits: limits)
            issuer = try Self.issuer(token.issued, kind, members)
            types = try Self.types(view, kind, limits)
            dates = try TokenDates(view, profile: profile)
            (validFrom, validUntil) = try Self.period(members, dates, profile)
            ownDates = try Self.period(Members(claims, limits: limits), TokenDates(claims, profile: profile), profile)
            statusEntries = try members.entries("credentialStatus", .shapeStatus)
        }
        guard statusEntries.count <= limits.statusEntries else {
            throw Rejection(.inputTooLarge, at: "/credentialStatus")
        }
        guard view["status"].map({ $0.object != nil }) ?? true else { throw Rejection(.shapeStatus, at: "/status") }
        document = view
        self.processed = processed
    }

    /// Returns the payload in the form for the relying party (RFC 9901 section 7.1).
    private static func process(
        _ token: SDJWT, _ claims: JSONObject, neverDisclosed: [Text], limits: Limits
    ) throws(Rejection) -> DisclosedPayload {
        let disclosures = try Disclosures(token.disclosures, hash: DisclosureHash(of: claims), limits: limits)
        let processed = try DisclosedPayload(claims, disclosures: disclosures, limits: limits)
        for name in neverDisclosed where claims[name] == nil && processed.object[name] != nil {
            throw Rejection(.disclosureName, at: Pointer.append("", name))
        }
        return processed
    }

    private static func issuer(
        _ token: CompactJWS, _ kind: CredentialKind, _ members: Members
    ) throws(Rejection) -> Text? {
        switch (kind, token.claims["iss"]) {
        case (.vcdmSDJWT, _), (.plainSDJWT, nil): return try members.issuer(describedIn: .v2)
        case (_, nil) where token.header["x5c"] != nil: return nil
        case (_, let member):
            guard let issuer = member?.string, isName(issuer, members.limits) else {
                throw Rejection(.shapeIssuer, at: "/iss")
            }
            if kind == .plainSDJWT, members["issuer"] != nil, try members.issuer(describedIn: .v2) != issuer {
                throw Rejection(.claimsDisagree, at: "/iss")
            }
            return issuer
        }
    }

    /// Returns the narrowest period of the JWT's dates and the dates with names of the W3C data model. MOSIP writes
    /// such dates into SD-JWT VCs.
    private static func period(
        _ members: Members, _ dates: TokenDates, _ profile: Profile
    ) throws(Rejection) -> (Timestamp?, Timestamp?) {
        let zoned = profile == .strict
        let starts = [
            try members.date("issuanceDate", zoneRequired: zoned), try members.date("validFrom", zoneRequired: zoned),
        ]
        let ends = [
            try members.date("expirationDate", zoneRequired: zoned),
            try members.date("validUntil", zoneRequired: zoned),
        ]
        return (
            (starts + [dates.validFrom]).compactMap(\.self).max(), (ends + [dates.validUntil]).compactMap(\.self).min()
        )
    }

    private static func types(_ view: JSONObject, _ kind: CredentialKind, _ limits: Limits) throws(Rejection) -> [Text]
    {
        let types = (view["type"].map { $0.array ?? [$0] } ?? []).compactMap(\.string)
        guard kind == .dcSDJWT || kind == .oldSDJWT else { return types }
        // RFC 7519 section 2: a name with a colon is a URI.
        guard let type = view["vct"]?.string, isName(type, limits),
            !type.utf8.contains(UInt8(ascii: ":")) || IRI.isWellFormed(type)
        else { throw Rejection(.shapeType, at: "/vct") }
        // Include the type of a status list or linkage, which the credential may have in addition to its `vct`.
        return [type] + types.filter { !CredentialKind.admits([$0]) }
    }

    /// Returns whether a text is usable as a name (StringOrURI, RFC 7519 section 2).
    private static func isName(_ text: Text, _ limits: Limits) -> Bool {
        !text.isEmpty && text.utf8.count <= limits.identifierBytes
    }
}
