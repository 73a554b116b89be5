import Encoding

@testable import Credentials

/// A valid credential or presentation of one kind. A test sets a member in one part. All criteria of a gate are active:
/// contexts and subjects are restricted, and a holder's proof is required if the kind has one.
struct MemberSample {
    let table: MemberTable
    /// Returns the verdict after these members are set in the part. The whole payload is signed.
    let verdict: (JSONObject) throws -> Verdict

    static let banned: Text = "did:example:banned"
    fileprivate static func policy() throws -> VerificationPolicy {
        let rules = try PolicyFixture.parse(
            "[[deny]]\nid = \"no\"\nsubjects = [ \"\(banned)\" ]\n[[accept]]\nid = \"all\"\n")
        return VerificationPolicy(rules)
    }

    fileprivate static func set(_ members: JSONObject, in object: JSONObject) -> JSONObject {
        var object = object
        for member in members.members { object[member.name] = member.value }
        return object
    }

    /// Returns a sample for each table except that of mdocs, whose members are CBOR.
    static func all() throws -> [MemberSample] { try TokenSamples().all() + [linkedData()] }

    private static func linkedData() throws -> MemberSample {
        let issuer = try TestIssuer(seed: 7)
        var material = issuer.material
        material.issuers[0].contexts = Array(material.contexts.keys)
        let verifier = Verifier(trust: try TrustStore(material), policy: try policy())
        return MemberSample(table: .linkedDataCredential) { members in
            var members = members
            let proof = members["proof"]
            members["proof"] = nil
            // The proof covers the text, so that every member is signed.
            var signed = try issuer.signText(set(members, in: issuer.template)).object ?? JSONObject()
            if let proof { signed["proof"] = proof }
            return verifier.verify(JSON.object(signed).compactBytes, at: TestIssuer.clock)
        }
    }

    /// Returns a value for which a stage that reads the member gives another verdict.
    static func hostile(_ name: Text) -> JSON {
        let (past, future): (JSON, JSON) = ("2026-02-01T00:00:00Z", "2026-12-20T00:00:00Z")
        return switch name {
        case "exp": 1_769_904_000
        case "nbf", "iat": 1_797_724_800
        case "expirationDate", "validUntil": past
        case "issuanceDate", "validFrom": future
        case "@context": ["https://evil.example/context"]
        case "type": ["EndorsementCredential"]
        case "sub": .string(banned)
        case "credentialSubject": ["id": .string(banned)]
        case "status": ["status_list": ["idx": 1, "uri": "https://issuer.example/1"]]
        case "credentialStatus": ["id": "urn:entry", "type": "Other", "statusPurpose": "revocation"]
        case "cnf": ["jwk": ["kty": "EC"]]
        case "iss", "issuer", "holder": "did:example:other"
        case "aud", "nonce": "other"
        case "_sd": "no list"
        case "_sd_alg": "md5"
        default: 7
        }
    }

    /// Returns a valid value of a member that decides nothing.
    static func harmless(_ name: Text) -> JSON {
        switch name {
        case "credentialSchema", "refreshService", "termsOfUse", "evidence":
            ["id": "https://issuer.example/x", "type": "JsonSchema"]
        case "relatedResource": ["id": "https://issuer.example/x", "digestSRI": "sha256-x"]
        default: "urn:uuid:78"
        }
    }
}

/// The samples that are signed as tokens. The holder is the subject.
private struct TokenSamples {
    private let forge: TokenForge
    private let holder: TokenForge
    private let verifier: Verifier

    init() throws {
        forge = try TokenForge()
        holder = try TokenForge(seed: 5)
        var material = forge.material
        material.issuers[0].plainSDJWT = true
        material.issuers[0].contexts = [
            "https://www.w3.org/2018/credentials/v1", "https://www.w3.org/ns/credentials/v2",
        ]
        for url in material.issuers[0].contexts ?? [] {
            material.contexts[url] = BuiltInContexts.document(url)?.bytes
        }
        verifier = Verifier(trust: try TrustStore(material), policy: try MemberSample.policy())
    }

    func all() throws -> [MemberSample] {
        var (v1, v2) = (forge.v1, forge.v2)
        v1["credentialSubject"] = ["id": .string(holder.id)]
        v2["credentialSubject"] = ["id": .string(holder.id)]
        var around = forge.jwtClaims
        around["sub"] = .string(holder.id)
        let inner = try forge.sign(forge.header("JWT"), set(["vc": .object(v1)], in: around))
        let enveloped: JSONObject = [
            "@context": "https://www.w3.org/ns/credentials/v2", "type": "EnvelopedVerifiableCredential",
            "id": .text("data:application/vc+jwt," + (try forge.sign(forge.header("vc+jwt"), v2))),
        ]
        let presentation: JSONObject = [
            "@context": ["https://www.w3.org/2018/credentials/v1"], "type": ["VerifiablePresentation"],
            "verifiableCredential": [.text(inner)],
        ]
        let v2Presentation: JSONObject = [
            "@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiablePresentation"],
            "verifiableCredential": [.object(enveloped)],
        ]
        var plain = forge.claims
        (plain["vct"], plain["iss"], plain["issuer"]) = (nil, nil, plain["iss"])
        return [
            jwt(.jwtCredential, "JWT") { set($0, in: forge.jwtClaims) },
            jwt(.insideVC, "JWT") { set(["vc": .object(set($0, in: forge.v1))], in: forge.jwtClaims) },
            jwt(.vcJWT, "vc+jwt") { set($0, in: forge.v2) },
            MemberSample(table: .envelope) { members in
                verifier.verify(JSON.object(set(members, in: enveloped)).compactBytes, at: TokenForge.clock)
            },
            sdJWT(.sdJWTVC, "dc+sd-jwt", forge.claims), sdJWT(.sdJWTVC, "vc+sd-jwt", forge.claims),
            sdJWT(.vcdmSDJWT, "vc+sd-jwt", forge.v2), sdJWT(.plainSDJWT, "example+sd-jwt", plain),
            presented(.jwtPresentation, "JWT") { set($0, in: ["vp": .object(presentation)]) },
            presented(.insideVP, "JWT") { ["vp": .object(set($0, in: presentation))] },
            presented(.vpJWT, "vp+jwt") { set($0, in: v2Presentation) },
        ]
    }

    private func set(_ members: JSONObject, in object: JSONObject) -> JSONObject {
        MemberSample.set(members, in: object)
    }

    private func verify(_ token: String, demand: HolderDemand = .init()) -> Verdict {
        verifier.verify(Array(token.utf8), demand: demand, at: TokenForge.clock)
    }

    private var demand: HolderDemand {
        HolderDemand(nonce: "n-1", audience: "https://gate.example", required: true)
    }

    private func jwt(
        _ table: MemberTable, _ type: Text, _ claims: @escaping (JSONObject) -> JSONObject
    ) -> MemberSample {
        MemberSample(table: table) { verify(try forge.sign(forge.header(type), claims($0))) }
    }

    private func sdJWT(_ table: MemberTable, _ type: Text, _ claims: JSONObject) -> MemberSample {
        MemberSample(table: table) { members in
            let selective: JSONObject = [
                "sub": "did:example:emp-77", "cnf": ["jwk": holder.jwk], "_sd_alg": "sha-256", "_sd": ["d"],
            ]
            let claims = set(members, in: set(selective, in: claims))
            let token = try forge.sign(forge.header(type), claims) + "~"
            let binding = try holder.sign(
                ["alg": "ES256", "typ": "kb+jwt"],
                [
                    "iat": .int(TokenForge.now - 10), "aud": "https://gate.example", "nonce": "n-1",
                    "sd_hash": Disclose.digest(token),
                ])
            return verify(token + binding, demand: demand)
        }
    }

    private func presented(
        _ table: MemberTable, _ type: Text, _ claims: @escaping (JSONObject) -> JSONObject
    ) -> MemberSample {
        MemberSample(table: table) { members in
            let base: JSONObject = [
                "iss": .string(holder.id), "nonce": "n-1", "aud": "https://gate.example",
                "iat": .int(TokenForge.now - 5),
            ]
            let claims = claims(members)
            return verify(try holder.sign(holder.header(type), set(claims, in: base)), demand: demand)
        }
    }
}
