import Encoding

@testable import Credentials

/// A kind of credential that is a token.
enum TokenKind: String, CaseIterable, Sendable {
    case jwtVC = "jwt_vc_json"
    case vcJWT = "vc+jwt"
    case dcSDJWT = "dc+sd-jwt"
    case vcSDJWT = "vc+sd-jwt"
    case vcdmSDJWT = "vc+sd-jwt of VCDM 2.0"
    case plainSDJWT = "sd-jwt"

    /// The `typ` of its header.
    fileprivate var header: Text? {
        switch self {
        case .jwtVC: "JWT"
        case .vcJWT: "vc+jwt"
        case .dcSDJWT: "dc+sd-jwt"
        case .vcSDJWT, .vcdmSDJWT: "vc+sd-jwt"
        case .plainSDJWT: nil
        }
    }

    fileprivate var isDisclosing: Bool { self != .jwtVC && self != .vcJWT }
    fileprivate var isVCDM: Bool { [.jwtVC, .vcJWT, .vcdmSDJWT].contains(self) }
    var root: String { isVCDM ? "/credentialSubject/" : "/" }
    /// The type by which rules select the credential.
    var type: Text { isVCDM ? "EmployeePassCredential" : "https://credentials.example/employee-pass" }
}

/// Makes twins of tokens, with the same facts in the members of each kind.
struct TokenTwins {
    let forge: TokenForge
    let kind: TokenKind
    private let lists: RespellingTwins
    private static let list: Text = "https://issuer.example/tokens/1"
    static let subject: Text = "did:example:emp-77"

    init(_ kind: TokenKind) throws {
        self.kind = kind
        forge = try TokenForge()
        lists = try RespellingTwins(.eddsaRDFC2022)
    }

    /// The facts that decide about a credential.
    struct Facts {
        var start = "2026-01-05T08:00:00Z"
        var end = "2027-01-05T08:00:00Z"
        /// Whether only the inner credential states the end, and the claims of the token do not.
        var isInside = false
        /// The status list of which it names an entry, if any.
        var list: String?
    }

    private func seconds(_ date: String) -> JSON { .int(Int(Timestamp(rfc3339: date)?.seconds ?? 0)) }

    /// Returns the claims and their disclosures.
    private func claims(_ facts: Facts) -> (JSONObject, [String]) {
        let level = Disclose.member("level", 3)
        var claims: JSONObject
        switch kind {
        case .jwtVC:
            var inner = forge.v1.with("issuanceDate", .text(facts.start)).with("expirationDate", .text(facts.end))
            inner["credentialSubject"] = ["id": .string(Self.subject), "employeeNumber": "E-77", "level": 3]
            inner["credentialStatus"] = facts.list.map { RespellingTwins.entry($0) }
            claims = forge.jwtClaims.with("vc", .object(inner))
            (claims["nbf"], claims["exp"]) = (seconds(facts.start), facts.isInside ? nil : seconds(facts.end))
            return (claims, [])
        case .vcJWT, .vcdmSDJWT:
            claims = forge.v2.with("validFrom", .text(facts.start)).with("validUntil", .text(facts.end))
            claims["credentialSubject"] = ["id": .string(Self.subject), "employeeNumber": "E-77", "level": 3]
            claims["credentialStatus"] = facts.list.map { RespellingTwins.entry($0) }
            return (claims, [])
        case .dcSDJWT, .vcSDJWT, .plainSDJWT:
            claims = forge.claims.with("sub", .string(Self.subject)).with("_sd", Disclose.digests([level]))
            (claims["nbf"], claims["exp"]) = (seconds(facts.start), seconds(facts.end))
            if kind == .plainSDJWT { claims["vct"] = nil }
            claims["status"] = facts.list.map {
                ["status_list": ["idx": 7, "uri": .text(Self.list.string + $0)]]
            }
            return (claims, [level])
        }
    }

    private func token(_ facts: Facts, by signer: TokenForge? = nil) throws -> [UInt8] {
        let (claims, disclosures) = claims(facts)
        let signer = signer ?? forge
        let jwt = try signer.sign(signer.header(kind.header), claims)
        return Array((kind.isDisclosing ? ([jwt] + disclosures).joined(separator: "~") + "~" : jwt).utf8)
    }

    /// Returns a status list token with its seventh entry set or not.
    private func list(_ name: String, set: Bool) throws -> (Text, [UInt8]) {
        let url = Text(Self.list.string + name)
        var bits = [UInt8](repeating: 0, count: 1024)
        if set { bits[0] = 0x80 }
        let claims: JSONObject = [
            "sub": .string(url), "iat": .int(TokenForge.now - 3600), "exp": .int(TokenForge.now + 3600),
            "status_list": ["bits": 1, "lst": .text(Base64.encode(try Gzip.deflate(bits, container: .zlib)))],
        ]
        return (url, Array(try forge.sign(forge.header("statuslist+jwt"), claims).utf8))
    }

    func maker() throws -> TwinMaker {
        var entry = TrustedIssuer(id: forge.id)
        entry.statusIssuers = [lists.issuer.id]
        entry.plainSDJWT = kind == .plainSDJWT
        var material = TrustMaterial(issuers: [entry])
        for (name, isSet) in [("clean", false), ("dirty", true)] {
            let (url, token) = try list(name, set: isSet)
            material.statusLists[url] = token
            let (other, document) = try lists.list(name, set: isSet)
            material.statusLists[other] = document.compactBytes
        }
        return try TwinMaker(
            kind.rawValue, material, clock: TokenForge.clock, root: kind.root,
            label: kind == .plainSDJWT ? .sdJWT : nil)
    }

    func all() throws -> [ConfusionTwin] {
        let maker = try maker()
        var (past, future, inside) = (Facts(), Facts(), Facts())
        past.end = "2026-06-01T00:00:00Z"
        future.start = "2026-12-24T00:00:00Z"
        inside.isInside = true
        inside.end = past.end
        let good = try token(Facts())
        let stated: [(String, String, Facts)] = [
            ("expired", "validity.expired", past), ("not yet valid", "validity.not-yet", future),
            ("not revoked", "ok", Facts(list: "clean")), ("revoked", "status.revoked", Facts(list: "dirty")),
            ("of an unknown list", "status.unavailable", Facts(list: "unknown")),
        ]
        var own = try stated.map { try maker.twin(token($2), TwinState(name: $0, code: $1)) }
        if kind == .jwtVC {
            // The end in the inner credential counts, with or without an end of the token.
            let state = TwinState(name: "expired by its credential alone", code: "shape.dates")
            own.append(try maker.twin(token(inside), state))
        }
        let stranger = try maker.twin(
            token(Facts(), by: TokenForge(seed: 8)), TwinState(name: "stranger's", code: "issuer.key-mismatch"))
        let states = TwinState.ruled(subject: Self.subject, type: kind.type)
            // A plain SD-JWT has no type that a rule could name.
            .filter { kind != .plainSDJWT || !$0.name.contains("type") }
        return own + [stranger] + (try states.map { try maker.twin(good, $0) })
    }

    // MARK: - Tokens that are no credentials

    /// Returns tokens that the issuer of credentials signs for other purposes. None of them admits a visitor.
    static func others() throws -> [ConfusionTwin] {
        let twins = try TokenTwins(.jwtVC)
        let maker = try twins.maker()
        let forge = twins.forge
        let base: JSONObject = [
            "iss": .string(forge.id), "sub": .string(subject), "iat": .int(TokenForge.now - 60),
            "exp": .int(TokenForge.now + 3600),
        ]
        let clients: JSON = ["openid_credential_issuer": ["credential_issuer": .string(forge.id)]]
        let tokens: [(String, Text?, JSONObject)] = [
            ("access token", "at+jwt", base.with("client_id", "wallet").with("scope", "employee")),
            ("entity statement", "entity-statement+jwt", base.with("jwks", ["keys": []]).with("metadata", clients)),
            ("identity token", "JWT", base.with("aud", "wallet").with("nonce", "n-1")),
            ("identity token without type", nil, base.with("aud", "wallet").with("level", 3)),
            ("security event", "secevent+jwt", base.with("events", [:])),
            ("proof of a key", "openid4vci-proof+jwt", base.with("aud", "issuer").with("nonce", "n-1")),
            ("request", "oauth-authz-req+jwt", base.with("client_id", "verifier").with("nonce", "n-1")),
            ("key binding", "kb+jwt", base.with("aud", "gate.example").with("nonce", "n-1").with("sd_hash", "AAAA")),
            ("introspection", "token-introspection+jwt", base.with("token_introspection", ["active": true])),
        ]
        var all: [(String, [UInt8])] = try tokens.map { name, type, claims in
            (name, Array(try forge.sign(forge.header(type), claims).utf8))
        }
        all.append(("status list token", try twins.list("clean", set: false).1))
        return try all.map { name, token in try maker.twin(token, TwinState(name: name, code: "")) }
    }
}
