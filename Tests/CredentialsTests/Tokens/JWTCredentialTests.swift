import Encoding
import Reasons
import Testing

@testable import Credentials

private func number(_ text: String) -> JSON { .number(JSONNumber(validated: text)) }

/// `jwt_vc_json` and `vc+jwt`: header, agreement of claims and credential, shape, dates, trust.
@Suite struct JWTCredentialTests {
    private let forge: TokenForge
    init() throws { forge = try TokenForge() }

    private func v1(
        profile: Profile = .strict, type: Text? = "JWT", claims change: (inout JSONObject) -> Void = { _ in },
        credential: (inout JSONObject) -> Void = { _ in }
    ) throws -> Verdict {
        var inner = forge.v1
        credential(&inner)
        var claims = forge.jwtClaims
        claims["vc"] = .object(inner)
        change(&claims)
        return try forge.verify(forge.sign(forge.header(type), claims), profile: profile)
    }

    /// Returns the verdict after changes to the inner credential only.
    private func inner(profile: Profile = .strict, credential: (inout JSONObject) -> Void) throws -> Verdict {
        try v1(profile: profile, credential: credential)
    }

    private func v2(
        profile: Profile = .strict, type: Text? = "vc+jwt", contentType: Text? = "vc",
        change: (inout JSONObject) -> Void = { _ in }
    ) throws -> Verdict {
        var claims = forge.v2
        change(&claims)
        var header = forge.header(type)
        if let contentType { header["cty"] = .string(contentType) }
        return try forge.verify(forge.sign(header, claims), profile: profile)
    }

    // MARK: VCDM 1.1

    @Test func accepted() throws {
        let verdict = try v1()
        #expect(verdict.code == .ok)
        #expect(verdict.credential.format == .jwtVC)
        #expect(verdict.credential.types == ["VerifiableCredential", "EmployeePassCredential"])
        #expect(verdict.credential.validUntil == Timestamp(seconds: 1_799_136_000))
        #expect(try v1(profile: .compat).code == .ok)
    }

    @Test func claimsReplaceMembers() throws {
        let verdict = try inner {
            for name in ["id", "issuer", "issuanceDate", "expirationDate"] as [Text] { $0[name] = nil }
            $0["credentialSubject"] = ["employeeNumber": "E-000077"]
        }
        #expect(verdict.code == .ok)
        #expect(verdict.credential.issuer == forge.id)
        #expect(verdict.credential.validUntil == Timestamp(seconds: 1_799_136_000))
        // Conversely, the credential may state everything itself.
        #expect(try v1(claims: { $0 = ["vc": $0["vc"] ?? .null] }).code == .ok)
    }

    @Test(arguments: ["iss", "sub", "jti"] as [Text]) func textsAgree(name: Text) throws {
        #expect(try v1(claims: { $0[name] = "did:example:other" }).code == .claimsDisagree)
        #expect(try v1(claims: { $0[name] = "did:example:other" }).reasons.first?.pointer == "/" + name.string)
        let wanted: [Text: ReasonCode] = ["iss": .shapeIssuer, "sub": .shapeCredentialSubject, "jti": .shapeID]
        for wrong in [7, nil, ["x"], [:]] as [JSON] {
            #expect(try v1(claims: { $0[name] = wrong }).code == wanted[name])
        }
    }

    @Test func textsAreComparedAsBytes() throws {
        let verdict = try v1(claims: { $0["sub"] = "did:example:e\u{301}" }) {
            $0["credentialSubject"] = ["id": "did:example:\u{E9}", "a": 1]
        }
        #expect(verdict.code == .claimsDisagree)
    }

    @Test func issuerObject() throws {
        #expect(try inner { $0["issuer"] = ["id": .string(forge.id), "name": "x"] }.code == .ok)
        #expect(try inner { $0["issuer"] = ["name": "x"] }.code == .ok)
        #expect(try inner { $0["issuer"] = ["id": "did:example:other"] }.code == .claimsDisagree)
        #expect(try v1(claims: { $0["iss"] = nil }) { $0["issuer"] = nil }.code == .shapeIssuer)
    }

    @Test func subjects() throws {
        let one: JSON = ["id": "did:example:emp-77", "a": 1]
        #expect(try inner { $0["credentialSubject"] = [one] }.code == .ok)
        #expect(try inner { $0["credentialSubject"] = [["a": 1]] }.code == .ok)
        #expect(try inner { $0["credentialSubject"] = [one, ["id": "did:example:x", "a": 1]] }.code == .ok)
        #expect(try inner { $0["credentialSubject"] = [["id": "did:example:x", "a": 1]] }.code == .claimsDisagree)
        #expect(try inner { $0["credentialSubject"] = [["id": "did:example:x"], ["a": 1]] }.code == .claimsDisagree)
        // The subject of a VCDM 2.0 credential may be in `sub` alone.
        let payload = forge.v2.with("credentialSubject", ["a": 1]).with("sub", "did:example:emp-77")
        let second = try JWTCredential(payload: payload, as: .vcJWT, profile: .strict, limits: Limits())
        #expect(second.subjects.areKnown && second.subjects.ids == ["did:example:emp-77"])
        #expect(try inner { $0["credentialSubject"] = nil }.code == .shapeCredentialSubject)
        #expect(try inner { $0["credentialSubject"] = "x" }.code == .shapeCredentialSubject)
    }

    @Test(
        arguments: [
            ("nbf", 1_767_600_001, ReasonCode.claimsDisagree), ("nbf", 1_767_599_999, .claimsDisagree),
            ("exp", 1_799_136_001, .claimsDisagree), ("exp", 1_799_135_999, .claimsDisagree),
            ("nbf", number("1767600000.5"), .ok), ("exp", number("1799135999.5"), .ok),
            ("exp", number("1.799136E9"), .ok),
            ("nbf", "2026-01-05T08:00:00Z", .shapeDates), ("exp", "1799136000", .shapeDates), ("exp", nil, .shapeDates),
            ("exp", true, .shapeDates), ("iat", "2026-01-05T08:00:00Z", .shapeDates),
            ("iat", 1_795_262_500, .validityNotYet),
            ("iat", 1_795_262_450, .ok),
        ] as [(Text, JSON, ReasonCode)]) func dates(name: Text, value: JSON, wanted: ReasonCode) throws
    {
        #expect(try v1(claims: { $0[name] = value }).code == wanted, "\(name) \(value)")
        let compat = name == "iat" ? .ok : wanted
        #expect(try v1(profile: .compat, claims: { $0[name] = value }).code == compat)
    }

    @Test(arguments: [
        "1e400", "-1e400", "99999999999999999999", "9007199254740993", "1e16", "-9007199254740993",
    ]) func impossibleDates(text: String) throws {
        let payload = JSON.object(forge.jwtClaims).compactText.replacing("1799136000", with: text, maxReplacements: 1)
        #expect(try forge.verify(forge.sign(JSON.object(forge.header("JWT")).compactText, payload)).code == .shapeDates)
    }

    @Test func farDates() throws {
        let verdict = try v1(claims: { $0["exp"] = 254_172_941_000 }) { $0["expirationDate"] = nil }
        #expect(verdict.code == .ok && verdict.credential.validUntil == Timestamp(seconds: 254_172_941_000))
        #expect(try v1(claims: { $0["exp"] = -1 }) { $0["expirationDate"] = nil }.code == .shapeDates)
        #expect(try v1(claims: { $0["nbf"] = number("1.7e9") }) { $0["issuanceDate"] = nil }.code == .ok)
    }

    @Test func finerDatesOfTheCredential() throws {
        #expect(try inner { $0["issuanceDate"] = "2026-01-05T08:00:00.505Z" }.code == .ok)
        #expect(try inner { $0["issuanceDate"] = "2026-01-05T09:00:00.5+01:00" }.code == .ok)
        #expect(try inner { $0["issuanceDate"] = "2026-01-05T08:00:01Z" }.code == .claimsDisagree)
        #expect(try inner { $0["issuanceDate"] = "yesterday" }.code == .shapeDates)
        #expect(try inner { $0["issuanceDate"] = "2026-01-05T08:00:00" }.code == .shapeDates)
        #expect(try inner(profile: .compat) { $0["issuanceDate"] = "2026-01-05T08:00:00" }.code == .ok)
    }

    @Test func validity() throws {
        let expired = try v1(claims: { $0["exp"] = 1_790_812_800 }) { $0["expirationDate"] = nil }
        #expect(expired.code == .validityExpired)
        let early = try v1(claims: { $0["nbf"] = 1_798_070_400 }) { $0["issuanceDate"] = nil }
        #expect(early.code == .validityNotYet)
    }

    @Test(arguments: ["at+jwt", "vp+jwt", "kb+jwt", "dc+sd-jwt", "statuslist+jwt", "", "JWT "] as [Text])
    func foreignType(type: Text) throws {
        #expect(try v1(type: type).code == .shapeHeader)
        #expect(try v1(profile: .compat, type: type).code == .shapeHeader)
    }

    @Test func types() throws {
        for type in ["JWT", "jwt", "application/jwt", nil] as [Text?] { #expect(try v1(type: type).code == .ok) }
    }

    @Test func shape() throws {
        #expect(try inner { $0["type"] = ["Other"] }.code == .shapeType)
        #expect(try inner { $0["@context"] = ["https://example.org/"] }.code == .shapeContext)
        #expect(try inner { $0["credentialSchema"] = "x" }.code == .shapeMember)
        #expect(try inner { $0["credentialStatus"] = "x" }.code == .shapeStatus)
        #expect(try v1(claims: { $0["vc"] = "x" }).code == .shapeMember)
        #expect(try v1(claims: { $0["vc"] = nil }).code == .kindNeverAdmits)
        #expect(try v1(claims: { $0["vp"] = [:] }).code == .shapeMember)
        #expect(try inner { $0["type"] = ["Other"] }.reasons.first?.pointer == "/vc/type")
    }

    // MARK: VCDM 2.0

    @Test func second() throws {
        let verdict = try v2()
        #expect(verdict.code == .ok && verdict.credential.format == .vcJWT)
        #expect(try v2(contentType: nil).code == .ok)
        #expect(try v2(type: "application/vc+jwt").code == .ok)
        #expect(try v2(type: "VC+JWT").code == .ok)
    }

    @Test func secondTypes() throws {
        for type in ["at+jwt", "vp+jwt"] as [Text] { #expect(try v2(type: type).code == .shapeHeader) }
        for type in ["JWT", nil] as [Text?] { #expect(try v2(type: type).code == .shapeHeader) }
        // An SD-JWT without its `~`.
        #expect(try v2(type: "vc+sd-jwt").code == .proofMalformed)
        #expect(try v2(profile: .compat, type: "JWT").code == .ok)
        #expect(try v2(profile: .compat, type: "at+jwt").code == .shapeHeader)
        for type in ["vp", "application/json", "JWT"] as [Text] {
            #expect(try v2(contentType: type).code == .shapeHeader)
            #expect(try v2(profile: .compat, contentType: type).code == .shapeHeader)
        }
    }

    @Test func secondAgrees() throws {
        #expect(try v2 { $0["iss"] = .string(forge.id) }.code == .ok)
        #expect(try v2 { $0["iss"] = "did:example:x" }.code == .claimsDisagree)
        #expect(try v2 { $0["jti"] = "urn:uuid:78" }.code == .ok)
        #expect(try v2 { $0["jti"] = "urn:uuid:79" }.code == .claimsDisagree)
        #expect(try v2 { $0["sub"] = "did:example:emp-77" }.code == .ok)
        #expect(try v2 { $0["sub"] = "did:example:x" }.code == .claimsDisagree)
        #expect(try v2 { $0["iss"] = 5 }.code == .shapeIssuer)
        for name in ["vc", "vp"] as [Text] { #expect(try v2 { $0[name] = [:] }.code == .shapeMember) }
    }

    @Test func narrowestDatesCount() throws {
        #expect(try v2 { $0["exp"] = 1_790_812_800 }.code == .validityExpired)
        #expect(try v2 { $0["validUntil"] = "2026-10-01T00:00:00Z" }.code == .validityExpired)
        #expect(try v2 { $0["exp"] = 1_899_136_000 }.code == .ok)
        #expect(try v2 { $0["exp"] = 1_899_136_000 }.credential.validUntil == Timestamp(seconds: 1_799_136_000))
        #expect(try v2 { $0["nbf"] = 1_798_070_400 }.code == .validityNotYet)
        #expect(try v2 { $0["validFrom"] = nil }.code == .ok)
        #expect(try v2 { $0["exp"] = "x" }.code == .shapeDates)
    }

    @Test func secondShape() throws {
        #expect(try v2 { $0["@context"] = ["https://www.w3.org/2018/credentials/v1"] }.code == .shapeDates)
        #expect(
            try v2 {
                $0["@context"] = ["https://www.w3.org/2018/credentials/v1"]
                $0["issuanceDate"] = "2026-01-05T08:00:00Z"
            }.code == .shapeContext)
        #expect(try v2 { $0["issuer"] = nil }.code == .shapeIssuer)
        #expect(try v2 { $0["id"] = 5 }.code == .shapeID)
        #expect(try v2 { $0["relatedResource"] = 5 }.code == .shapeMember)
    }

    // MARK: trust, replay, holder

    @Test func trust() throws {
        let token = try forge.sign(forge.header("JWT"), forge.jwtClaims)
        #expect(try forge.verify(token, material: TrustMaterial()).code == .issuerUntrusted)
        var material = forge.material
        material.issuers[0].types = ["EmployeePassCredential"]
        #expect(try forge.verify(token, material: material).code == .ok)
        material.issuers[0].types = ["VisitorPassCredential"]
        #expect(try forge.verify(token, material: material).code == .issuerNotForType)
        material = forge.material
        material.issuers[0].contexts = ["https://www.w3.org/ns/credentials/v2"]
        #expect(try forge.verify(token, material: material).code == .contextNotPinned)
        material = forge.material
        material.issuers[0].keys = []
        #expect(try forge.verify(token, material: material).code == .keyNotAuthorised)
        material = forge.material
        material.revokedKeys = [RevokedKey(.method(forge.method), since: Timestamp(seconds: 0))]
        #expect(try forge.verify(token, material: material).code == .keyRevoked)
    }

    @Test func replay() throws {
        let first = try v1()
        guard let digest = first.credential.signedDigest else { return #expect(Bool(false)) }
        // ECDSA signatures differ each time, so the signed content counts.
        let again = try forge.verify(forge.sign(forge.header("JWT"), forge.jwtClaims), recent: [digest])
        #expect(again.code == .replaySeen)
        #expect(try v1(claims: { $0["jti"] = "urn:uuid:80" }) { $0["id"] = nil }.credential.signedDigest != digest)
    }

    @Test func noHolder() throws {
        let token = try forge.sign(forge.header("JWT"), forge.jwtClaims)
        #expect(try forge.verify(token, demand: HolderDemand(required: true)).code == .holderProofMissing)
    }
}
