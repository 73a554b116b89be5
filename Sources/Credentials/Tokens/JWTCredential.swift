import Encoding
import Reasons

/// The credential in a JWT, with well-formed members that agree with the JWT's own claims.
struct JWTCredential {
    /// The credential, completed with values that only the JWT's claims state.
    let shape: CredentialShape
    /// The start and the end of the validity: the later start and the earlier end of the dates in the credential and in
    /// the JWT.
    let validFrom: Timestamp?
    let validUntil: Timestamp?
    let dates: TokenDates
    /// The subjects of the credential. If the credential names none, `sub` names the subject.
    let subjects: CredentialSubjects
    /// The `status` claim of the JWT, which names an entry of an IETF status list; nil if there is none.
    let status: JSON?

    /// Runs the shape stage of `jwt_vc_json`. The claim `vc` is the credential. `iss`, `sub`, `jti`, `nbf` and `exp`
    /// are its issuer, subject id, id and dates (VCDM 1.1 section 6.3.1). If the credential and a claim both state a
    /// value, the values must agree.
    init(vc claims: JSONObject, profile: Profile, limits: Limits) throws(Rejection) {
        try MemberTable.jwtCredential.check(claims)
        guard let inner = claims["vc"]?.object else { throw Rejection(.shapeMember, at: "/vc") }
        try MemberTable.insideVC.check(inner, at: "/vc")
        let dates = try TokenDates(claims, profile: profile)
        var merge = ClaimMerge(claims, into: inner)
        try merge.mergeIDs()
        let isV2 = inner["@context"]?.array?.first == .string(CredentialShape.Version.v2.rawValue)
        try merge.merge(dates.validFrom, as: isV2 ? "validFrom" : "issuanceDate", claim: "nbf")
        try merge.merge(dates.validUntil, as: isV2 ? "validUntil" : "expirationDate", claim: "exp")
        do throws(Rejection) {
            shape = try CredentialShape(merge.credential, profile: profile, proofRequired: false, limits: limits)
        } catch { throw error.inside("/vc") }
        try merge.checkAgreement()
        (validFrom, validUntil) = Self.narrowest(shape, dates)
        self.dates = dates
        subjects = CredentialSubjects(of: merge.credential)
        status = claims["status"]
    }

    /// Runs the shape stage of a payload that is a credential of VCDM 2.0 (VC-JOSE-COSE section 3.1.1), in a JWT or in
    /// an SD-JWT after disclosure. JWT claims next to the credential's members must not contradict them.
    init(
        payload claims: JSONObject, as kind: CredentialKind, profile: Profile, limits: Limits
    ) throws(Rejection) {
        try (kind == .vcJWT ? MemberTable.vcJWT : .vcdmSDJWT).check(claims)
        let dates = try TokenDates(claims, profile: profile)
        shape = try CredentialShape(claims, profile: profile, proofRequired: false, limits: limits)
        guard shape.version == .v2 else { throw Rejection(.shapeContext, at: "/@context") }
        var merge = ClaimMerge(claims, into: claims)
        try merge.mergeIDs()
        try merge.checkAgreement()
        (validFrom, validUntil) = Self.narrowest(shape, dates)
        self.dates = dates
        subjects = CredentialSubjects(of: merge.credential)
        status = claims["status"]
    }

    private static func narrowest(_ shape: CredentialShape, _ dates: TokenDates) -> (Timestamp?, Timestamp?) {
        (
            [shape.validFrom, dates.validFrom].compactMap(\.self).max(),
            [shape.validUntil, dates.validUntil].compactMap(\.self).min()
        )
    }
}

/// The merge of the registered claims of a JWT into the credential that the JWT contains.
private struct ClaimMerge {
    let claims: JSONObject
    private(set) var credential: JSONObject
    /// The JSON pointers to claims of the JWT that contradict the credential.
    private var contradictions: [String] = []

    init(_ claims: JSONObject, into credential: JSONObject) {
        self.claims = claims
        self.credential = credential
    }

    /// Throws the first contradiction between JWT and credential. Call this function after the shape of both is
    /// checked.
    func checkAgreement() throws(Rejection) {
        if let first = contradictions.first { throw Rejection(.claimsDisagree, at: first) }
    }

    /// Merges `iss`, `jti` and `sub`.
    mutating func mergeIDs() throws(Rejection) {
        if let issuer = try text("iss", .shapeIssuer) {
            if let object = credential["issuer"]?.object {
                credential["issuer"] = .object(setting(issuer, in: object, as: "id", claim: "iss"))
            } else {
                credential = setting(issuer, in: credential, as: "issuer", claim: "iss")
            }
        }
        if let id = try text("jti", .shapeID) {
            // Accept a bare UUID. A UUID is not a URL, but many issuers write one.
            let url = Self.isUUID(id) ? Text("urn:uuid:" + id.string) : id
            credential = setting(url, in: credential, as: "id", claim: "jti")
        }
        guard let subject = try text("sub", .shapeCredentialSubject), let member = credential["credentialSubject"]
        else {
            return
        }
        if let object = member.object {
            credential["credentialSubject"] = .object(setting(subject, in: object, as: "id", claim: "sub"))
        } else if let subjects = member.array, subjects.count == 1, let object = subjects[0].object {
            credential["credentialSubject"] = .array([.object(setting(subject, in: object, as: "id", claim: "sub"))])
        } else if let subjects = member.array, !subjects.contains(where: { $0["id"] == .string(subject) }) {
            contradictions.append("/sub")
        }
    }

    /// Merges a date of the JWT, usually in whole seconds, with a date of the credential, which may be more precise.
    /// Dates that differ by a second or more contradict each other.
    mutating func merge(_ date: Timestamp?, as name: Text, claim: Text) throws(Rejection) {
        guard let date else { return }
        guard let member = credential[name] else {
            if date.isWritable { credential[name] = .text(date.rfc3339) }
            return
        }
        guard let text = member.string, let own = Timestamp(rfc3339: text.string, zoneRequired: false) else { return }
        let second = Duration.seconds(1)
        if own.advanced(by: second) <= date || date.advanced(by: second) <= own {
            contradictions.append(Pointer.append("", claim))
        }
    }

    /// Returns `object` with the member `name` set to `value`. Notes a contradiction if the member has another value.
    private mutating func setting(
        _ value: Text, in object: JSONObject, as name: Text, claim: Text
    ) -> JSONObject {
        var object = object
        if object[name] == nil {
            object[name] = .string(value)
        } else if object[name] != .string(value) {
            contradictions.append(Pointer.append("", claim))
        }
        return object
    }

    /// Returns whether a text is a UUID (RFC 9562 section 4): `8-4-4-4-12` hexadecimal digits.
    private static func isUUID(_ text: Text) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12]
            && groups.joined().allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
    }

    private func text(_ name: Text, _ code: ReasonCode) throws(Rejection) -> Text? {
        guard let member = claims[name] else { return nil }
        guard let text = member.string else { throw Rejection(code, at: Pointer.append("", name)) }
        return text
    }
}
