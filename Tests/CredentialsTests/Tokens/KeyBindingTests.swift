import Encoding
import Reasons
import Testing

@testable import Credentials

/// The holder's proof on an SD-JWT: the key binding JWT (RFC 9901 sections 4.3 and 7.3).
@Suite struct KeyBindingTests {
    private let forge: TokenForge
    private let holder: TokenForge
    private let name = Disclose.member("given_name", "Asha")
    private let demand = HolderDemand(nonce: "n-1", audience: "https://gate.example", required: true)

    init() throws {
        forge = try TokenForge()
        holder = try TokenForge(seed: 5)
    }

    private func presented(_ confirmation: JSON?, hash: DisclosureHash = .sha256) throws -> String {
        try forge.sdJWT([name]) {
            $0["_sd"] = [Disclose.digest(name, hash)]
            if hash != .sha256 { $0["_sd_alg"] = .string(hash.rawValue) }
            $0["cnf"] = confirmation
        }
    }

    private func binding(
        over token: String, hash: DisclosureHash = .sha256, by signer: TokenForge? = nil,
        header change: (inout JSONObject) -> Void = { _ in }, claims: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        var header: JSONObject = ["alg": "ES256", "typ": "kb+jwt"]
        change(&header)
        var body: JSONObject = [
            "iat": .int(TokenForge.now - 10), "aud": "https://gate.example", "nonce": "n-1",
            "sd_hash": Disclose.digest(token, hash),
        ]
        claims(&body)
        return try (signer ?? holder).sign(header, body)
    }

    private func code(
        _ token: String, _ binding: String, demand: HolderDemand? = nil, material: TrustMaterial? = nil
    ) throws -> ReasonCode {
        try forge.verify(token + binding, demand: demand ?? self.demand, material: material).code
    }

    private var jwk: JSON { ["jwk": holder.jwk] }

    @Test func accepted() throws {
        let token = try presented(jwk)
        let bound = try token + binding(over: token)
        #expect(try forge.verify(bound, demand: demand).code == .ok)
        #expect(try forge.verify(bound).code == .ok)
        #expect(try forge.verify(token, demand: demand).code == .holderProofMissing)
        #expect(try forge.verify(token).code == .ok)
        // The credential is the same with and without a key binding.
        let digest = Set([try forge.verify(token).credential.signedDigest].compactMap(\.self))
        #expect(try forge.verify(bound, recent: digest).code == .replaySeen)
    }

    /// A holder's key as did:jwk in `kid`, padded as MOSIP's wallets write it, with and without a fragment;
    /// and a key that the issuer named for another use.
    @Test func keysInTheirOwnName() throws {
        func outcome(_ confirmation: JSON) throws -> ReasonCode {
            let token = try presented(confirmation)
            return try code(token, binding(over: token))
        }
        func text(_ more: String) throws -> String {
            let members = String(holder.jwk.compactText.dropLast())
            // The spaces give each length of padding.
            return "did:jwk:" + Base64.encode(Array((members + more + "}").utf8), .url)
        }
        for spaces in ["", " ", "  "] {
            let id = try text(spaces)
            let padded = id + String(repeating: "=", count: (4 - id.dropFirst(8).count % 4) % 4)
            for kid in [id, padded, id + "#0", padded + "#0"] {
                #expect(try outcome(["kid": .text(kid)]) == .ok, "\(kid)")
            }
        }
        #expect(try outcome(["kid": .text(text(#","key_ops":["encrypt"]"#))]) == .holderInvalid)
        #expect(try outcome(["kid": .text(text(#","use":"enc""#))]) == .holderInvalid)
        var key = try #require(holder.jwk.object)
        key["key_ops"] = ["encrypt"]
        #expect(try outcome(["jwk": .object(key)]) == .holderInvalid)
    }

    @Test func hashOfTheIssuer() throws {
        for hash in [DisclosureHash.sha384, .sha512] {
            let token = try presented(jwk, hash: hash)
            #expect(try code(token, binding(over: token, hash: hash)) == .ok)
            #expect(try code(token, binding(over: token)) == .holderInvalid)
        }
    }

    @Test func keys() throws {
        for confirmation in [["kid": .string(holder.method)], ["kid": .string(holder.id)]] as [JSON] {
            let token = try presented(confirmation)
            #expect(try code(token, binding(over: token)) == .ok)
            #expect(try code(token, binding(over: token, by: forge)) == .holderInvalid)
        }
        let wrong: [JSON?] = [
            nil, [:], "x", ["jwk": "x"], ["jwk": [:]], ["jwk": forge.jwk], ["kid": "did:example:unknown#1"], ["kid": 5],
            ["jkt": "x"], ["kid": .string(forge.method)],
        ]
        for confirmation in wrong {
            let token = try presented(confirmation)
            #expect(try code(token, binding(over: token)) == .holderInvalid, "\(String(describing: confirmation))")
        }
    }

    @Test func storedDocumentOfTheHolder() throws {
        let token = try presented(["kid": "did:web:holder.example#1"])
        var material = forge.material
        let document: JSON = [
            "id": "did:web:holder.example",
            "verificationMethod": [
                ["id": "#1", "type": "JsonWebKey", "controller": "did:web:holder.example", "publicKeyJwk": holder.jwk]
            ],
        ]
        #expect(try code(token, binding(over: token), material: material) == .holderInvalid)
        material.documents = [document.compactBytes]
        #expect(try code(token, binding(over: token), material: material) == .ok)
    }

    @Test(
        arguments: [
            ("nonce", "other"), ("nonce", nil), ("nonce", 1), ("aud", "https://other.example"), ("aud", nil),
            ("aud", ["https://gate.example"]), ("sd_hash", "x"), ("sd_hash", nil), ("iat", nil), ("iat", "now"),
            ("iat", .int(TokenForge.now - 301)), ("iat", .int(TokenForge.now + 61)), ("exp", .int(TokenForge.now - 61)),
            ("nbf", .int(TokenForge.now + 61)), ("exp", "x"),
        ] as [(Text, JSON)]) func claims(_ name: Text, _ value: JSON) throws
    {
        let token = try presented(jwk)
        #expect(try code(token, binding(over: token, claims: { $0[name] = value })) == .holderInvalid)
    }

    @Test(arguments: ["nonce", "aud", "sd_hash", "iat"] as [Text]) func missingClaims(_ name: Text) throws {
        let token = try presented(jwk)
        for demand in [demand, HolderDemand()] {
            #expect(try code(token, binding(over: token, claims: { $0[name] = nil }), demand: demand) == .holderInvalid)
        }
    }

    @Test func window() throws {
        let token = try presented(jwk)
        func code(age: Int, _ demand: HolderDemand) throws -> ReasonCode {
            try self.code(
                token, binding(over: token, claims: { $0["iat"] = .int(TokenForge.now - age) }), demand: demand)
        }
        #expect(try code(age: 300, demand) == .ok)
        #expect(try code(age: -60, demand) == .ok)
        #expect(try code(age: 301, HolderDemand()) == .holderInvalid)
        #expect(try code(age: 31, HolderDemand(maxAge: .seconds(30))) == .holderInvalid)
        #expect(try code(age: 3600, HolderDemand(maxAge: .seconds(3600))) == .ok)
    }

    @Test(
        arguments: [
            ("typ", "JWT"), ("typ", nil), ("typ", 1), ("alg", "none"), ("alg", "HS256"), ("alg", "ES384"),
            ("crit", ["x"]),
            ("b64", false),
        ] as [(Text, JSON)]) func header(_ name: Text, _ value: JSON) throws
    {
        let token = try presented(jwk)
        #expect(try code(token, binding(over: token, header: { $0[name] = value })) == .holderInvalid)
        #expect(try code(token, binding(over: token, header: { $0["typ"] = nil })) == .holderInvalid)
    }

    @Test func garbage() throws {
        let token = try presented(jwk)
        for binding in ["x", "a.b.c", "..", "eyJ", "!", try binding(over: token) + "="] {
            #expect(try code(token, binding) == .holderInvalid)
            #expect(try code(token, binding, demand: HolderDemand()) == .holderInvalid)
        }
    }

    /// The binding covers exactly this presentation, not other disclosures and not another issuer-signed JWT.
    @Test func boundToThePresentation() throws {
        let token = try presented(jwk)
        let bare = try #require(token.split(separator: "~").first) + "~"
        #expect(try code(String(bare), binding(over: token)) == .holderInvalid)
        #expect(try code(token, binding(over: String(bare))) == .holderInvalid)
        #expect(try code(presented(jwk), binding(over: token)) == .holderInvalid)
        // The hash is over the text without its last `~`.
        #expect(try code(token, binding(over: String(token.dropLast()))) == .holderInvalid)
    }

    @Test func theCredentialIsCheckedFirst() throws {
        let mallory = try TokenForge(seed: 9)
        let token = try mallory.sdJWT { $0["cnf"] = jwk }
        #expect(try code(token, "garbage") == .issuerUntrusted)
    }

    /// A key that the operator withdrew or whose document ended it proves nothing, in whatever way the issuer named it.
    @Test func aWithdrawnOrEndedKey() throws {
        let did = Text("did:jwk:" + Base64.encode(Array(holder.jwk.compactText.utf8), .url))
        let stored = Text("did:web:holder.example")
        func document(_ more: JSONObject) -> [UInt8] {
            var method: JSONObject = [
                "id": .string(Text("\(stored)#1")), "type": "JsonWebKey2020", "controller": .string(stored),
                "publicKeyJwk": holder.jwk,
            ]
            for member in more.members { method[member.name] = member.value }
            let whole: JSON = ["id": .string(stored), "verificationMethod": [.object(method)]]
            return Array(whole.compactText.utf8)
        }
        let names: [JSON] = [jwk, ["kid": .string(did)], ["kid": .string(Text("\(stored)#1"))]]
        for confirmation in names {
            let token = try presented(confirmation)
            let bound = try binding(over: token)
            var material = forge.material
            material.documents.append(document([:]))
            #expect(try code(token, bound, material: material) == .ok)
            material.revokedKeys = [RevokedKey(.method(Text("\(did)#0")), since: Timestamp(seconds: 0))]
            #expect(try code(token, bound, material: material) == .holderInvalid)
        }
        let token = try presented(["kid": .string(Text("\(stored)#1"))])
        for (end, wanted) in [("2026-01-01T00:00:00Z", ReasonCode.holderInvalid), ("2099-01-01T00:00:00Z", .ok)] {
            var material = forge.material
            material.documents.append(document(["expires": .text(end)]))
            #expect(try code(token, binding(over: token), material: material) == wanted)
        }
    }
}
