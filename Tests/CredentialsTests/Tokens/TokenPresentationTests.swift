import Crypto
import Encoding
import Reasons
import Testing

@testable import Credentials

/// Tokens inside presentations and wallet records, and presentations that are tokens themselves.
@Suite struct TokenPresentationTests {
    private let forge: TokenForge
    private let holder: TestIssuer
    private let holderForge: TokenForge

    init() throws {
        forge = try TokenForge()
        holder = try TestIssuer(seed: 21)
        holderForge = try TokenForge(seed: 5)
    }

    private var material: TrustMaterial {
        var material = forge.material
        for url in ["https://www.w3.org/2018/credentials/v1", "https://www.w3.org/ns/credentials/v2"] as [Text] {
            material.contexts[url] = BuiltInContexts.document(url)?.bytes
        }
        for (url, bytes) in holder.material.contexts { material.contexts[url] = bytes }
        return material
    }

    private func jwt() throws -> String { try forge.sign(forge.header("JWT"), forge.jwtClaims) }
    private func v2() throws -> String { try forge.sign(forge.header("vc+jwt"), forge.v2) }

    private func enveloped(_ token: String, as type: String = "application/vc+jwt") -> JSON {
        [
            "@context": "https://www.w3.org/ns/credentials/v2", "id": .text("data:\(type),\(token)"),
            "type": "EnvelopedVerifiableCredential",
        ]
    }

    /// Returns a linked-data presentation, signed by a did:key holder.
    private func presentation(_ credentials: JSON, version: Text = "https://www.w3.org/ns/credentials/v2") throws
        -> JSON
    {
        let document: JSONObject = [
            "@context": [.string(version), "https://w3id.org/security/suites/ed25519-2020/v1"],
            "type": ["VerifiablePresentation"], "holder": .string(holder.id), "verifiableCredential": credentials,
        ]
        let trust = try TrustStore(material)
        var proof: JSONObject = [
            "type": "Ed25519Signature2020",
            "created": .text(Timestamp(seconds: Int64(TokenForge.now - 5)).rfc3339),
            "verificationMethod": .string(holder.method), "proofPurpose": "authentication",
        ]
        let content = try LinkedDataDocument(document, processor: trust.processor)
        let options = try #require(
            ProofOptions(
                proof, of: .ed25519Signature2020, under: .document, documentContext: content.context, trust: trust))
        let message =
            try options.dataset.canonicalDigest() + content.dataset.canonicalDigest()
        proof["proofValue"] = .text(Multibase.encodeBase58(try holder.key.signature(for: message)))
        var signed = document
        signed["proof"] = .object(proof)
        return .object(signed)
    }

    private func verify(_ json: JSON, demand: HolderDemand = .init(), profile: Profile = .strict) throws -> Verdict {
        try forge.verify(json.compactText, profile: profile, demand: demand, material: material)
    }

    // MARK: envelopes

    @Test func walletRecords() throws {
        let (jwt, sdJWT) = (JSON.text(try jwt()), JSON.text(try forge.sdJWT()))
        for token in [jwt, sdJWT] {
            let name: JSON = token == jwt ? "jwt_vc_json" : "vc+sd-jwt"
            let shapes: [JSON] = [
                token, ["credential": token], ["credential": token, "format": name],
                ["verifiableCredential": token, "vcMetadata": ["format": name]],
                ["verifiableCredential": ["credential": token, "format": name], "isVerified": true],
                ["verifiableCredential": ["credential": token], "vcMetadata": ["format": name]],
                .text(JSON.object(["verifiableCredential": ["credential": token]]).compactText),
            ]
            for shape in shapes { #expect(try verify(shape).code == .ok, "\(shape.compactText.utf8.prefix(40))") }
        }
    }

    @Test func bareEnvelopes() throws {
        #expect(try verify(enveloped(v2())).code == .ok)
        #expect(try verify(enveloped(forge.sdJWT(), as: "application/dc+sd-jwt")).code == .ok)
        #expect(try verify(enveloped(v2(), as: "application/vc+cose")).code == .formatUnsupported)
        #expect(try verify(enveloped("x")).code == .proofMalformed)
        for id in ["https://example.org/", "data:", "vc+jwt,eyJ", 5, nil] as [JSON] {
            var object = enveloped(try v2()).object ?? JSONObject()
            object["id"] = id
            #expect(try verify(.object(object)).code == .shapeID)
        }
    }

    // MARK: linked-data presentations

    @Test func envelopedInPresentation() throws {
        let token = try v2()
        let good = try presentation([enveloped(token)])
        #expect(try verify(good).code == .ok)
        #expect(try verify(good, profile: .compat).code == .ok)
        let verdict = try verify(presentation([enveloped(String(token.dropLast()) + "*")]))
        #expect(verdict.code == .proofMalformed)
        #expect(verdict.reasons.first?.pointer == "/verifiableCredential/0")
        // The holder's signature covers the token.
        var object = good.object ?? JSONObject()
        object["verifiableCredential"] = [enveloped(try v2())]
        #expect(try verify(.object(object)).code == .holderInvalid)
        // VCDM 2.0 has no bare tokens.
        #expect(try verify(presentation([.text(token)])).code == .shapeMember)
        #expect(try verify(presentation([enveloped("")])).code == .shapeMember)
    }

    @Test func sdJWTInPresentation() throws {
        let good = try presentation([enveloped(forge.sdJWT(), as: "application/dc+sd-jwt"), enveloped(v2())])
        #expect(try verify(good).code == .ok)
        let bound = try enveloped(forge.sdJWT() + "garbage", as: "application/dc+sd-jwt")
        #expect(try verify(presentation([bound])).code == .holderInvalid)
        let required = HolderDemand(required: true)
        #expect(try verify(good, demand: required).code == .ok)
        // The signer of the presentation does not have the key that the issuer named.
        let confirmed = try forge.sdJWT { $0["cnf"] = ["jwk": holderForge.jwk] }
        let wrapped = try presentation([enveloped(confirmed, as: "application/dc+sd-jwt")])
        #expect(try verify(wrapped).code == .ok)
        #expect(try verify(wrapped, demand: required).code == .holderProofMissing)
    }

    @Test func textInFirstVersion() throws {
        let version: Text = "https://www.w3.org/2018/credentials/v1"
        #expect(try verify(presentation([.text(jwt())], version: version)).code == .ok)
        #expect(try verify(presentation(.text(jwt()), version: version)).code == .ok)
        #expect(try verify(presentation(["no token"], version: version)).code == .shapeMember)
        let mallory = try TokenForge(seed: 9)
        let foreign = try mallory.sign(mallory.header("JWT"), mallory.jwtClaims)
        #expect(try verify(presentation([.text(foreign)], version: version)).code == .issuerUntrusted)
        let inner = try holderForge.sign(holderForge.header("JWT"), ["iss": .string(holderForge.id), "vp": [:]])
        #expect(try verify(presentation([.text(inner)], version: version)).code == .formatUnsupported)
    }

    // MARK: JWT presentations

    private func vp(
        _ credentials: JSON, changes: (inout JSONObject) -> Void = { _ in },
        header: (inout JSONObject) -> Void = { _ in }, by signer: TokenForge? = nil
    ) throws -> String {
        var claims: JSONObject = [
            "@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiablePresentation"],
            "holder": .string(holderForge.id), "iss": .string(holderForge.id), "nonce": "n-1",
            "aud": "https://gate.example", "iat": .int(TokenForge.now - 5), "verifiableCredential": credentials,
        ]
        changes(&claims)
        var head = holderForge.header("vp+jwt")
        header(&head)
        return try (signer ?? holderForge).sign(head, claims)
    }

    private let demand = HolderDemand(nonce: "n-1", audience: "https://gate.example", required: true)

    private func code(_ token: String) throws -> ReasonCode {
        try forge.verify(token, demand: demand, material: material).code
    }

    @Test func second() throws {
        let credentials: JSON = [enveloped(try v2())]
        #expect(try code(vp(credentials)) == .ok)
        let envelope: JSON = [
            "@context": "https://www.w3.org/ns/credentials/v2", "type": "EnvelopedVerifiablePresentation",
            "id": .text("data:application/vp+jwt," + (try vp(credentials))),
        ]
        #expect(try code(envelope.compactText) == .ok)
        #expect(try verify(presentation([envelope])).code == .formatUnsupported)
        #expect(try code(vp(credentials, changes: { $0["iss"] = nil })) == .ok)
        #expect(try code(vp(credentials, changes: { $0["holder"] = nil })) == .ok)
        #expect(try code(vp(credentials, changes: { $0["aud"] = ["x", "https://gate.example"] })) == .ok)
        for (name, value) in [
            ("nonce", "x"), ("nonce", nil), ("aud", "x"), ("aud", nil), ("exp", 1), ("iat", .int(TokenForge.now + 100)),
        ] as [(Text, JSON)] {
            #expect(try code(vp(credentials, changes: { $0[name] = value })) == .holderInvalid, "\(name)")
        }
        #expect(try code(vp(credentials, changes: { $0["iss"] = .string(forge.id) })) == .claimsDisagree)
        #expect(try code(vp(credentials, changes: { ($0["iss"], $0["holder"]) = (nil, nil) })) == .shapeMember)
        #expect(try code(vp(credentials, changes: { $0["vp"] = [:] })) == .shapeMember)
        #expect(try code(vp([])) == .shapeMember)
        #expect(try code(vp(credentials, by: forge)) == .holderInvalid)
        #expect(try code(vp(credentials, header: { $0["kid"] = .string(forge.method) }, by: forge)) == .holderInvalid)
        #expect(try code(vp(credentials, header: { $0["alg"] = "none" })) == .holderInvalid)
        #expect(try code(vp(credentials, header: { $0["typ"] = "JWT" })) == .shapeHeader)
        #expect(try code(vp(credentials, header: { $0["cty"] = "vc" })) == .shapeHeader)
        #expect(try code(vp([enveloped(String(v2().dropLast(2)) + "AA")])) == .proofInvalid)
    }

    @Test func first() throws {
        func token(_ credentials: JSON, type: Text? = "JWT", date: Text = "iat") throws -> String {
            let presentation: JSON = [
                "@context": ["https://www.w3.org/2018/credentials/v1"], "type": ["VerifiablePresentation"],
                "verifiableCredential": credentials,
            ]
            return try holderForge.sign(
                holderForge.header(type),
                [
                    "iss": .string(holderForge.id), "nonce": "n-1", "aud": "https://gate.example",
                    date: .int(TokenForge.now - 5), "vp": presentation,
                ])
        }
        #expect(try code(token([.text(jwt())])) == .ok)
        #expect(try code(token([.text(jwt())], date: "nbf")) == .ok)
        #expect(try code(token([.text(jwt())], date: "exp")) == .holderInvalid, "nothing says when it was made")
        #expect(try code(token([.text(jwt())], type: nil)) == .ok)
        #expect(try code(token([.text(jwt())], type: "at+jwt")) == .shapeHeader)
        #expect(try code(token(["x"])) == .shapeMember)
        #expect(try forge.verify(token([.text(jwt())]), material: material).credential.signedDigest?.count == 32)
    }

    @Test func holderIsTheSubject() throws {
        let credential = try forge.sign(
            forge.header("JWT"),
            {
                var claims = forge.jwtClaims
                claims["sub"] = .string(holderForge.id)
                var inner = forge.v1
                inner["credentialSubject"] = ["employeeNumber": "E-1"]
                claims["vc"] = .object(inner)
                return claims
            }())
        for (token, proven) in [(credential, true), (try jwt(), false)] {
            let verificationContext = VerificationContext(
                trust: try TrustStore(material), policy: VerificationPolicy(), limits: Limits(),
                clock: TokenForge.clock, onStage: nil)
            let text = try vp([enveloped(token, as: "application/jwt")])
            let jws = try CompactJWS(text.utf8, limits: Limits())
            var check = JWTPresentationCheck(
                jws, as: .vpJWT, verificationContext, demand: demand, summary: CredentialSummary())
            try check.verify()
            #expect((check.evidence.holder == .proven) == proven)
        }
    }
}
