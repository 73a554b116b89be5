import Encoding
import Reasons
import Testing

@testable import Credentials

/// One rule for all proofs of possession: the maximum age, the audience, and whose challenge a proof may answer.
@Suite struct HolderProofRuleTests {
    enum Kind: CaseIterable {
        case keyBinding, firstToken, secondToken, statements, text

        var hasChoice: Bool { self != .keyBinding }
    }

    /// The signed facts of a holder's proof. A key binding states all of them.
    struct Proof {
        var age: Int? = 5
        var nonce: Text?
        var audience: JSON?
    }

    private static let gate: Text = "North-Gate"
    private static let mine = "[[accept]]\nid = \"mine\"\nholder = \"required\"\n"
    private static let open = "[[accept]]\nid = \"open\"\n"

    private let forge: TokenForge
    private let holderForge: TokenForge
    private let issuer: GraphSigner

    init() throws {
        forge = try TokenForge()
        holderForge = try TokenForge(seed: 5)
        issuer = try GraphSigner(.eddsaRDFC2022)
    }

    private func payload(_ kind: Kind, _ proof: Proof) throws -> [UInt8] {
        var claims: JSONObject = ["iss": .string(holderForge.id)]
        if let age = proof.age { claims["iat"] = .int(TokenForge.now - age) }
        claims["nonce"] = proof.nonce.map { .string($0) }
        claims["aud"] = proof.audience
        switch kind {
        case .keyBinding:
            let token = try forge.sdJWT { $0["cnf"] = ["jwk": holderForge.jwk] }
            claims["iss"] = nil
            claims["sd_hash"] = Disclose.digest(token)
            claims["nonce"] = claims["nonce"] ?? "x"
            claims["aud"] = claims["aud"] ?? .string(Self.gate)
            return Array((token + (try holderForge.sign(["alg": "ES256", "typ": "kb+jwt"], claims))).utf8)
        case .firstToken:
            var about = forge.jwtClaims
            about["sub"] = .string(holderForge.id)
            about["vc"] = .object(forge.v1.with("credentialSubject", ["id": .string(holderForge.id)]))
            claims["vp"] = [
                "@context": ["https://www.w3.org/2018/credentials/v1"], "type": ["VerifiablePresentation"],
                "verifiableCredential": [.text(try forge.sign(forge.header("JWT"), about))],
            ]
            return Array(try holderForge.sign(holderForge.header("JWT"), claims).utf8)
        case .secondToken:
            let about = forge.v2.with("credentialSubject", ["id": .string(holderForge.id)])
            claims["@context"] = [.string(GraphSigner.base)]
            claims["type"] = ["VerifiablePresentation"]
            claims["verifiableCredential"] = [
                [
                    "@context": .string(GraphSigner.base), "type": "EnvelopedVerifiableCredential",
                    "id": .text("data:application/vc+jwt," + (try forge.sign(forge.header("vc+jwt"), about))),
                ]
            ]
            return Array(try holderForge.sign(holderForge.header("vp+jwt"), claims).utf8)
        case .statements, .text:
            let holder = try GraphSigner(kind == .text ? .eddsaJCS2022 : .eddsaRDFC2022, seed: 32)
            let credential = try issuer.sign([
                "@context": issuer.heads(), "type": ["VerifiableCredential"], "issuer": .string(issuer.id),
                "validFrom": "2026-01-01T00:00:00Z", "credentialSubject": ["id": .string(holder.id)],
            ])
            return try holder.sign(
                [
                    "@context": holder.heads(), "type": ["VerifiablePresentation"],
                    "verifiableCredential": [credential],
                ], purpose: "authentication"
            ) {
                $0["created"] = proof.age.map { .text(Timestamp(seconds: Int64(TokenForge.now - $0)).rfc3339) }
                $0["challenge"] = proof.nonce.map { .string($0) }
                $0["domain"] = proof.audience
            }.compactBytes
        }
    }

    /// The effect of a proof. `counts`: the proof fulfils a rule that requires a holder's proof. `idle`: the proof does
    /// not count, but the credential is accepted without it. `refused`: nothing is accepted.
    private enum Worth { case counts, idle, refused }

    private func worth(
        _ kind: Kind, _ proof: Proof, gate: Text? = HolderProofRuleTests.gate, _ demand: HolderDemand = .init()
    ) throws -> Worth {
        var material = TrustMaterial(issuers: [TrustedIssuer(id: forge.id), TrustedIssuer(id: issuer.id)])
        material.contexts = issuer.contexts.mapValues(\.compactBytes)
        let (trust, payload) = (try TrustStore(material), try payload(kind, proof))
        func code(_ rules: String, _ demand: HolderDemand) throws -> ReasonCode {
            var policy = VerificationPolicy(try PolicyFixture.parse(rules))
            policy.audience = gate
            return Credentials.Verifier(trust: trust, policy: policy)
                .verify(payload, demand: demand, at: TokenForge.clock).code
        }
        let (mine, open) = (try code(Self.mine, demand), try code(Self.open, demand))
        var required = demand
        required.required = true
        // Requiring a proof in the demand has the same effect.
        let isEnough = try code(Self.open, required) == .ok
        #expect(isEnough == (mine == .ok) && (mine != .ok || open == .ok), "\(kind) \(proof): \(mine)")
        return isEnough ? .counts : open == .ok ? .idle : .refused
    }

    /// For an SD-JWT that names its holder's key, only that key proves possession. A presentation signed by the subject
    /// does not.
    @Test func theNamedKey() throws {
        for namesKey in [false, true] {
            let token = try forge.sdJWT {
                $0["sub"] = .string(holderForge.id)
                if namesKey { $0["cnf"] = ["jwk": holderForge.jwk] }
            }
            let claims: JSONObject = [
                "iss": .string(holderForge.id), "iat": .int(TokenForge.now), "@context": [.string(GraphSigner.base)],
                "type": ["VerifiablePresentation"],
                "verifiableCredential": [
                    [
                        "@context": .string(GraphSigner.base), "type": "EnvelopedVerifiableCredential",
                        "id": .text("data:application/dc+sd-jwt," + token),
                    ]
                ],
            ]
            let payload = try holderForge.sign(holderForge.header("vp+jwt"), claims)
            let verifier = Credentials.Verifier(
                trust: try TrustStore(TrustMaterial(issuers: [TrustedIssuer(id: forge.id)])),
                policy: VerificationPolicy(try PolicyFixture.parse(Self.mine)))
            let code = verifier.verify(Array(payload.utf8), at: TokenForge.clock).code
            #expect(code == (namesKey ? .holderProofMissing : .ok))
        }
    }

    @Test(arguments: Kind.allCases) func age(kind: Kind) throws {
        let old: Worth = kind.hasChoice ? .idle : .refused
        for (age, wanted) in [(0, .counts), (300, .counts), (301, old), (200 * 86_400, old), (-60, .counts)]
            as [(Int, Worth)]
        {
            #expect(try worth(kind, Proof(age: age)) == wanted, "\(kind) \(age) s old")
        }
        #expect(try worth(kind, Proof(age: -61)) == .refused, "\(kind) from tomorrow")
        let strict = HolderDemand(maxAge: .seconds(30))
        #expect(try worth(kind, Proof(age: 30), strict) == .counts && worth(kind, Proof(age: 31), strict) == old)
        // An answered challenge does not replace the date.
        let asked = HolderDemand(nonce: "n-1", audience: Self.gate)
        let answer = Proof(age: 301, nonce: "n-1", audience: .string(Self.gate))
        #expect(try worth(kind, answer, asked) == old)
    }

    @Test(arguments: Kind.allCases.filter(\.hasChoice)) func undated(kind: Kind) throws {
        // A Data Integrity 1.0 proof may omit the date.
        #expect(try worth(kind, Proof(age: nil)) == .idle, "\(kind)")
    }

    @Test(arguments: Kind.allCases) func audience(kind: Kind) throws {
        let (own, other): (JSON, JSON) = (.string(Self.gate), "did:web:other.example")
        #expect(try worth(kind, Proof(audience: own)) == .counts)
        #expect(try worth(kind, Proof(audience: other)) == .refused)
        // A gate without a name cannot tell whether it is the named audience or not.
        #expect(try worth(kind, Proof(audience: other), gate: nil) == .idle)
        #expect(try worth(kind, Proof(audience: own), gate: nil) == .idle)
        let asked = HolderDemand(audience: Self.gate)
        #expect(try worth(kind, Proof(audience: own), gate: nil, asked) == .counts)
        #expect(try worth(kind, Proof(audience: other), gate: nil, asked) == .refused)
        guard kind.hasChoice else { return }
        #expect(try worth(kind, Proof()) == .counts && worth(kind, Proof(), gate: nil) == .counts)
        #expect(try worth(kind, Proof(), asked) == .refused)
        #expect(try worth(kind, Proof(audience: [other, own])) == .counts)
        for nobody in [5, [5]] as [JSON] {
            #expect(try worth(kind, Proof(audience: nobody)) != .counts, "\(kind) \(nobody)")
        }
    }

    @Test(arguments: Kind.allCases) func challenge(kind: Kind) throws {
        let own: JSON = .string(Self.gate)
        let asked = HolderDemand(nonce: "n-1")
        #expect(try worth(kind, Proof(nonce: "n-1", audience: own), asked) == .counts)
        #expect(try worth(kind, Proof(nonce: "n-2", audience: own), asked) == .refused)
        // A proof that answers another verifier's challenge counts only if it names this gate as its audience.
        #expect(try worth(kind, Proof(nonce: "n-2", audience: own)) == .counts)
        guard kind.hasChoice else { return }
        #expect(try worth(kind, Proof(), asked) == .refused)
        #expect(try worth(kind, Proof(nonce: "n-1"), asked) == .counts)
        #expect(try worth(kind, Proof(nonce: "n-2")) == .idle)
    }
}
