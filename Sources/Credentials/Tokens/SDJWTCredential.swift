import Encoding
import LinkedData

/// What an SD-JWT states, well-formed, with the disclosures that came with it.
struct SDJWTCredential {
    /// What kind of statement it makes.
    enum Model {
        /// SD-JWT VC: the claims are named by `vct` (draft-ietf-oauth-sd-jwt-vc).
        case vct
        /// A credential of VCDM 2.0 (VC-JOSE-COSE section 3.2.1).
        case vcdm2
        /// Any claims at all (RFC 9901).
        case plain
    }

    let model: Model
    let issuer: Text
    let types: [Text]
    let validFrom: Timestamp?
    let validUntil: Timestamp?
    let dates: TokenDates
    /// Entries of bitstring status lists.
    let statusEntries: [Located<JSONObject>]
    /// The payload with its disclosures, or what is wrong with them: that counts only once the issuer's signature is known
    /// to be right.
    let processed: Result<DisclosedPayload, Rejection>

    /// Shape stage. Where the disclosures are unusable only what the issuer's JWT itself shows is looked at.
    init(_ token: SDJWT, as format: CredentialFormat, profile: Profile, limits: Limits) throws(Rejection) {
        let (claims, header) = (token.issued.claims, token.issued.header)
        let model = Self.model(claims, header, format)
        try Self.checkHeader(header, model, profile)
        let processed = Result { () throws(Rejection) in
            try Self.process(token, claims, isCredential: model == .vct, limits: limits)
        }
        let disclosed = try? processed.get().object
        let view = disclosed ?? claims
        if model == .vcdm2, disclosed != nil {
            let credential = try JWTCredential(vcdm2: view, profile: profile, limits: limits)
            (issuer, types) = (credential.shape.issuer, credential.shape.types)
            (validFrom, validUntil, dates) = (credential.validFrom, credential.validUntil, credential.dates)
            statusEntries = credential.shape.statusEntries
        } else {
            let members = Members(view, limits: limits)
            issuer = try Self.issuer(claims, model, members)
            types = try Self.types(view, model, limits)
            dates = try TokenDates(view, profile: profile)
            (validFrom, validUntil) = try Self.period(members, dates, model, profile)
            statusEntries = try members.entries("credentialStatus", .shapeStatus)
        }
        guard statusEntries.count <= limits.statusEntries else {
            throw Rejection(.inputTooLarge, at: "/credentialStatus")
        }
        guard view["status"].map({ $0.object != nil }) ?? true else { throw Rejection(.shapeStatus, at: "/status") }
        self.model = model
        self.processed = processed
    }

    /// The payload as the relying party sees it (RFC 9901 section 7.1).
    private static func process(
        _ token: SDJWT, _ claims: JSONObject, isCredential: Bool, limits: Limits
    ) throws(Rejection) -> DisclosedPayload {
        let disclosures = try Disclosures(token.disclosures, hash: DisclosureHash(of: claims), limits: limits)
        let processed = try DisclosedPayload(claims, disclosures: disclosures, limits: limits)
        for name in isCredential ? neverDisclosed : ["iss"] where claims[name] == nil && processed.object[name] != nil {
            throw Rejection(.disclosureName, at: Pointer.append("", name))
        }
        return processed
    }

    /// The claims that say who issued what to whom and until when: no holder may choose to hide them
    /// (draft-ietf-oauth-sd-jwt-vc section 2.2.2.2).
    private static let neverDisclosed: [Text] = ["iss", "nbf", "exp", "cnf", "vct", "vct#integrity", "status"]

    private static func model(_ claims: JSONObject, _ header: JSONObject, _ format: CredentialFormat) -> Model {
        if format == .sdJWT { return .plain }
        let isVCDM = claims["vct"] == nil && claims["@context"] != nil
        return isVCDM && TokenType.named(by: header) != "dc+sd-jwt" ? .vcdm2 : .vct
    }

    private static func checkHeader(_ header: JSONObject, _ model: Model, _ profile: Profile) throws(Rejection) {
        let absent = profile == .compat
        switch model {
        case .vct: try TokenType.check(header, isOneOf: ["dc+sd-jwt", "vc+sd-jwt"], absent: absent)
        case .vcdm2:
            try TokenType.check(header, isOneOf: ["vc+sd-jwt"], absent: absent)
            try TokenType.check(header, isOneOf: ["vc"], absent: true, member: "cty")
        case .plain: break
        }
    }

    private static func issuer(_ claims: JSONObject, _ model: Model, _ members: Members) throws(Rejection) -> Text {
        switch (model, claims["iss"]) {
        case (.vcdm2, _), (.plain, nil): return try members.issuer(describedIn: .v2)
        case (_, let member):
            guard let issuer = member?.string, isName(issuer, members.limits) else {
                throw Rejection(.shapeIssuer, at: "/iss")
            }
            return issuer
        }
    }

    /// The dates of the JWT and, in a plain SD-JWT that uses the names of the W3C data model, the credential's, too.
    private static func period(
        _ members: Members, _ dates: TokenDates, _ model: Model, _ profile: Profile
    ) throws(Rejection) -> (Timestamp?, Timestamp?) {
        let context = members.document["@context"]?.array?.first?.string
        guard model == .plain, let context, CredentialShape.Version(rawValue: context) != nil else {
            return (dates.validFrom, dates.validUntil)
        }
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

    private static func types(_ view: JSONObject, _ model: Model, _ limits: Limits) throws(Rejection) -> [Text] {
        switch model {
        case .vct:
            // RFC 7519 section 2: a name with a colon is a URI.
            guard let type = view["vct"]?.string, isName(type, limits),
                !type.utf8.contains(UInt8(ascii: ":")) || IRI.isWellFormed(type)
            else { throw Rejection(.shapeType, at: "/vct") }
            return [type]
        case .plain: return [view["vct"]?.string].compactMap(\.self)
        case .vcdm2: return (view["type"].map { $0.array ?? [$0] } ?? []).compactMap(\.string)
        }
    }

    /// Whether a text (StringOrURI, RFC 7519 section 2) names something.
    private static func isName(_ text: Text, _ limits: Limits) -> Bool {
        !text.isEmpty && text.utf8.count <= limits.identifierLetters
    }
}
