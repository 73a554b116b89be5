import Encoding
import Reasons
import Testing

@testable import Credentials

/// No wrapper, suffix or label turns a token into an object that its issuer did not sign.
@Suite struct WrapperTests {
    private let forge: TokenForge
    private let holder: TokenForge

    init() throws {
        forge = try TokenForge()
        holder = try TokenForge(seed: 5)
    }

    /// The maximum that an operator can allow: plain SD-JWTs, with all dates and the status withheld.
    private var material: TrustMaterial {
        var material = forge.material
        material.issuers[0].plainSDJWT = true
        (material.issuers[0].mayWithholdExpiry, material.issuers[0].mayWithholdStatus) = (true, true)
        for url in ["https://www.w3.org/2018/credentials/v1", "https://www.w3.org/ns/credentials/v2"] as [Text] {
            material.contexts[url] = BuiltInContexts.document(url)?.bytes
        }
        return material
    }

    /// Returns every form in which a wallet can present a token.
    private func wrapped(_ token: String) throws -> [(name: String, payload: String)] {
        let text = JSON.text(token)
        var ways: [(String, JSON)] = [
            ("text", text), ("credential", ["credential": text]), ("record", ["verifiableCredential": text]),
            ("nested record", ["verifiableCredential": ["credential": text]]),
            ("text of a record", .text(JSON.object(["credential": text]).compactText)),
            ("presentation of a record", ["verifiablePresentation": text]),
        ]
        for label in CredentialFormat.allCases {
            ways.append(("labelled \(label)", ["credential": text, "format": .text(label.rawValue)]))
            ways.append(
                ("noted as \(label)", ["verifiableCredential": text, "vcMetadata": ["format": .text(label.rawValue)]]))
        }
        for media in ["vc+jwt", "jwt", "vc+sd-jwt", "dc+sd-jwt", "vp+jwt"] {
            for type in ["EnvelopedVerifiableCredential", "EnvelopedVerifiablePresentation"] {
                let enveloped: JSON = [
                    "@context": "https://www.w3.org/ns/credentials/v2", "type": .text(type),
                    "id": .text("data:application/\(media),\(token)"),
                ]
                ways.append(("\(type) as \(media)", enveloped))
                ways.append(("\(type) as \(media) in ldp_vp", presenting(enveloped, version: "ns/credentials/v2")))
                ways.append(("\(type) as \(media) in vp+jwt", .text(try vpJWT(enveloped))))
            }
        }
        ways.append(("text in ldp_vp", presenting(text, version: "2018/credentials/v1")))
        ways.append(("text in jwt_vp_json", .text(try jwtVP(text))))
        return [("bare", token)] + ways.map { ($0.0, $0.1.string?.string ?? $0.1.compactText) }
    }

    private func presenting(_ credential: JSON, version: String) -> JSON {
        [
            "@context": [.text("https://www.w3.org/" + version)], "type": ["VerifiablePresentation"],
            "holder": .string(holder.id), "verifiableCredential": [credential],
            "proof": ["type": "Ed25519Signature2020"],
        ]
    }

    private func vpJWT(_ credential: JSON) throws -> String {
        try holder.sign(
            holder.header("vp+jwt"),
            [
                "@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiablePresentation"],
                "holder": .string(holder.id), "iat": .int(TokenForge.now - 5), "verifiableCredential": [credential],
            ])
    }

    private func jwtVP(_ credential: JSON) throws -> String {
        let presentation: JSON = [
            "@context": ["https://www.w3.org/2018/credentials/v1"], "type": ["VerifiablePresentation"],
            "verifiableCredential": [credential],
        ]
        return try holder.sign(
            holder.header("JWT"), ["iss": .string(holder.id), "iat": .int(TokenForge.now - 5), "vp": presentation])
    }

    /// Returns the names of the accepted forms, under any label of the sender.
    private func accepted(_ token: String, _ profile: Profile) throws -> [String] {
        let verifier = Verifier(trust: try TrustStore(material), policy: VerificationPolicy(profile: profile))
        let labels = [nil] + CredentialFormat.allCases.map(Optional.some)
        return try wrapped(token).filter { way in
            labels.contains { label in
                verifier.verify(Array(way.payload.utf8), claimed: label, at: TokenForge.clock).isAccepted
            }
        }.map(\.name)
    }

    /// Returns one valid credential, and credentials that are revoked, expired or not valid yet.
    private func credentials() throws -> [(String, JSONObject)] {
        func with(_ change: (inout JSONObject) -> Void) -> JSONObject {
            var (claims, inner) = (forge.jwtClaims, forge.v1)
            for name in ["nbf", "exp"] as [Text] { claims[name] = nil }
            change(&inner)
            claims["vc"] = .object(inner)
            return claims
        }
        let entry: JSON = [
            "id": "urn:entry", "type": "BitstringStatusListEntry", "statusPurpose": "revocation",
            "statusListIndex": "7", "statusListCredential": "https://issuer.example/status/1",
        ]
        return [
            ("good", with { _ in }), ("revoked", with { $0["credentialStatus"] = entry }),
            ("expired", with { $0["expirationDate"] = "2026-02-01T00:00:00Z" }),
            ("not yet valid", with { $0["issuanceDate"] = "2026-12-20T00:00:00Z" }),
        ]
    }

    @Test(arguments: [Profile.strict, .compat]) func aJWTCredentialWithATildeIsRefused(_ profile: Profile) throws {
        for (name, claims) in try credentials() {
            let token = try forge.sign(forge.header("JWT"), claims)
            let plain = try forge.verify(token, profile: profile, material: material)
            #expect(plain.isAccepted == (name == "good"), "\(name): \(plain.code)")
            for suffix in ["~", "~~", "~" + Disclose.member("a", 1) + "~"] {
                #expect(try accepted(token + suffix, profile).isEmpty, "\(name) with \(suffix)")
            }
            #expect(try forge.verify(token + "~", profile: profile, material: material).code == .kindDisagrees)
        }
        let second = try forge.sign(forge.header("vc+jwt"), forge.v2)
        #expect(try accepted(second + "~", profile).isEmpty)
    }

    /// Returns tokens that are not meant to admit people: public lists, tokens of servers, statements about
    /// people.
    private func others() throws -> [(String, String)] {
        let claims = forge.claims
        func token(_ type: Text?, _ change: (inout JSONObject) -> Void) throws -> String {
            var body = claims
            body["vct"] = nil
            change(&body)
            return try forge.sign(forge.header(type), body)
        }
        return [
            ("status list token", try token("statuslist+jwt") { $0["status_list"] = ["bits": 1, "lst": "eNo"] }),
            ("untyped status list", try token(nil) { $0["status_list"] = ["bits": 1, "lst": "eNo"] }),
            ("access token", try token("at+jwt") { $0["scope"] = "read" }),
            ("untyped access token", try token("JWT") { $0["scope"] = "read" }),
            ("entity statement", try token("entity-statement+jwt") { $0["metadata"] = [:] }),
            ("key binding", try token("kb+jwt") { ($0["nonce"], $0["aud"], $0["sd_hash"]) = ("n", "a", "h") }),
            ("event", try token("secevent+jwt") { $0["events"] = [:] }),
            ("list in a JWT credential", try token("JWT") { $0["vc"] = .object(list(forge.v1)) }),
            ("list as vc+jwt", try forge.sign(forge.header("vc+jwt"), list(forge.v2))),
        ]
    }

    private func list(_ credential: JSONObject) -> JSONObject {
        var list = credential
        list["type"] = ["VerifiableCredential", "BitstringStatusListCredential"]
        list["id"] = "https://issuer.example/status/1"
        list["credentialSubject"] = [
            "id": "https://issuer.example/status/1#list", "type": "BitstringStatusList",
            "statusPurpose": "revocation", "encodedList": "uH4sIAAAAAAAA",
        ]
        return list
    }

    @Test(arguments: [Profile.strict, .compat]) func tokensForSomethingElseNeverAdmit(_ profile: Profile) throws {
        for (name, token) in try others() {
            for suffix in ["", "~", "~~"] {
                #expect(try accepted(token + suffix, profile).isEmpty, "\(name)\(suffix)")
            }
        }
    }

    @Test func aTokenForSomethingElseIsCalledSo() throws {
        for (name, token) in try others().prefix(7) {
            #expect(try forge.verify(token, material: material).code == .kindNeverAdmits, "\(name)")
            #expect(try forge.verify(token + "~", material: material).code == .kindNeverAdmits, "\(name)")
        }
    }

    /// An issuer that wants a part to be withheld must use an SD-JWT.
    @Test func aJWTCredentialWithDigestsIsRefused() throws {
        let places: [(String, (inout JSONObject) -> Void)] = [
            ("/vc/credentialSubject/_sd", { $0["credentialSubject"] = ["id": "did:example:emp-77", "_sd": ["d"]] }),
            ("/vc/evidence/0/...", { $0["evidence"] = [["...": "d"]] }), ("/vc/_sd", { $0["_sd"] = ["d"] }),
        ]
        for (place, change) in places {
            var (claims, inner) = (forge.jwtClaims, forge.v1)
            change(&inner)
            claims["vc"] = .object(inner)
            let verdict = try forge.verify(forge.sign(forge.header("JWT"), claims))
            #expect(verdict.code == .kindMember && verdict.reasons.first?.pointer == place)
        }
        var second = forge.v2
        second["credentialSubject"] = ["id": "did:example:emp-77", "_sd": ["d"]]
        #expect(try forge.verify(forge.sign(forge.header("vc+jwt"), second)).code == .kindMember)
        second = forge.v2
        second["_sd_alg"] = "sha-256"
        #expect(try forge.verify(forge.sign(forge.header("vc+jwt"), second)).code == .kindMember)
    }

    // MARK: - Labels

    @Test func labelsAgreeOrNothingIsBelieved() throws {
        let tokens: [(String, Set<CredentialFormat>)] = [
            (try forge.sign(forge.header("JWT"), forge.jwtClaims), [.jwtVC, .vcJWT]),
            (try forge.sign(forge.header("vc+jwt"), forge.v2), [.jwtVC, .vcJWT]),
            (try forge.sdJWT(), [.dcSDJWT, .vcSDJWT, .sdJWT]),
            (try forge.sign(forge.header("vc+sd-jwt"), forge.v2) + "~", [.vcSDJWT, .sdJWT]),
            (try forge.sdJWT(type: "example+sd-jwt") { $0["vct"] = nil }, [.sdJWT]),
        ]
        for (token, labels) in tokens {
            for label in CredentialFormat.allCases {
                let wanted: ReasonCode = labels.contains(label) ? .ok : .kindDisagrees
                #expect(try forge.verify(token, claimed: label, material: material).code == wanted, "\(label)")
                for name in [label.rawValue, label.rawValue.uppercased(), "application/\(label.rawValue)"] {
                    let record: JSON = ["credential": .text(token), "format": .text(name)]
                    #expect(try forge.verify(record.compactText, material: material).code == wanted, "\(name)")
                }
            }
            let unknown: JSON = ["credential": .text(token), "format": "jwt_vc"]
            #expect(try forge.verify(unknown.compactText, material: material).code == .ok)
        }
    }
}
