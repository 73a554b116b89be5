import Encoding
import Reasons
import TestKit
import Testing

@testable import Credentials

/// Tokens damaged at every byte never trap. They are accepted only if the signed content is unchanged.
@Suite struct TokenMutationTests {
    private let forge: TokenForge
    init() throws { forge = try TokenForge() }

    private func tokens() throws -> [String: (token: String, demand: HolderDemand)] {
        let holder = try TokenForge(seed: 5)
        let (name, zone) = (Disclose.member("given_name", "Asha"), Disclose.element("north"))
        let sdJWT = try forge.sdJWT([name, zone]) {
            $0["_sd"] = Disclose.digests([name])
            $0["zones"] = [["...": Disclose.digest(zone)], "south"]
            $0["cnf"] = ["jwk": holder.jwk]
        }
        let binding = try holder.sign(
            ["alg": "ES256", "typ": "kb+jwt"],
            [
                "iat": .int(TokenForge.now), "aud": "https://gate.example", "nonce": "n-1",
                "sd_hash": Disclose.digest(sdJWT),
            ])
        return [
            "jwt": (try forge.sign(forge.header("JWT"), forge.jwtClaims), .init()),
            "vc+jwt": (try forge.sign(forge.header("vc+jwt"), forge.v2), .init()),
            "sd-jwt": (sdJWT, .init()),
            "sd-jwt+kb": (
                sdJWT + binding, HolderDemand(nonce: "n-1", audience: "https://gate.example", required: true)
            ),
        ]
    }

    @Test(arguments: ["jwt", "vc+jwt", "sd-jwt", "sd-jwt+kb"]) func everyByte(name: String) throws {
        let (token, demand) = try #require(try tokens()[name])
        let letters = Array(token.utf8)
        let verifier = Verifier(trust: try TrustStore(forge.material))
        func verdict(_ bytes: [UInt8]) -> Verdict { verifier.verify(bytes, demand: demand, at: TokenForge.clock) }
        let original = verdict(letters)
        #expect(original.isAccepted)
        for index in letters.indices {
            // Another character that is allowed at each place, and one that is not allowed at most places.
            let replacements = [letters[index] ^ 1, index.isMultiple(of: 2) ? UInt8(ascii: "~") : UInt8(ascii: ".")]
            var variants = replacements.filter { $0 != letters[index] }.map { byte in
                var changed = letters
                changed[index] = byte
                return changed
            }
            variants.append(Array(letters[..<index]))
            variants.append(Array(letters[..<index] + letters[(index + 1)...]))
            for variant in variants {
                let verdict = verdict(variant)
                #expect(verdict.code != .internal)
                // With fewer disclosures or a final line end, the credential is still the same. Any other change must
                // cause a refusal.
                guard verdict.isAccepted else { continue }
                #expect(verdict.credential.signedDigest == original.credential.signedDigest)
                #expect(
                    demand.required == false && name == "sd-jwt" || Token.trimmed(variant).elementsEqual(letters),
                    "\(index)")
            }
        }
    }

    /// A shortened SD-JWT that is accepted contains only claims that the issuer signed.
    @Test func fewerDisclosures() throws {
        let (token, _) = try #require(try tokens()["sd-jwt"])
        let parts = token.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
        let full = try #require(try forge.processed(token)?.object)
        for kept in [[], [1], [2], [2, 1]] as [[Int]] {
            let shown = ([parts[0]] + kept.map { parts[$0] } + [""]).joined(separator: "~")
            let claims = try #require(try forge.processed(shown)?.object)
            for member in claims.members where member.name != "zones" { #expect(full[member.name] == member.value) }
            #expect((claims["given_name"] != nil) == kept.contains(1))
            #expect(claims["zones"] == (kept.contains(2) ? ["north", "south"] : ["south"]))
        }
    }

    /// For any payload that a trusted issuer's key has signed, there is a verdict with a reason.
    @Test(arguments: [1, 2, 3] as [UInt64]) func signedNonsense(seed: UInt64) throws {
        var generator = Generator(state: seed)
        let verifier = Verifier(trust: try TrustStore(forge.material), policy: VerificationPolicy(profile: .compat))
        let types: [Text] = ["JWT", "vc+jwt", "dc+sd-jwt", "vc+sd-jwt", "vp+jwt", "x+sd-jwt"]
        for _ in 0..<150 {
            let templates: [JSONObject] = [forge.claims, forge.jwtClaims, forge.v2, JSONObject()]
            var claims: JSONObject = templates.randomElement(using: &generator) ?? JSONObject()
            for _ in 0..<Int.random(in: 0..<4, using: &generator) {
                let name = Self.names.randomElement(using: &generator) ?? "x"
                claims[name] = Self.value(depth: 0, &generator)
            }
            let disclosures = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
                Disclose.text(Self.value(depth: 0, &generator))
            }
            if Bool.random(using: &generator) { claims["_sd"] = Disclose.digests(disclosures) }
            var header = forge.header(types.randomElement(using: &generator))
            if Int.random(in: 0..<6, using: &generator) == 0 {
                let members: [Text] = ["kid", "x5c", "cty", "alg", "typ"]
                header[members.randomElement(using: &generator) ?? "x"] = Self.value(depth: 0, &generator)
            }
            let end = Bool.random(using: &generator) ? "~" : ""
            let token = ([try forge.sign(header, claims)] + disclosures).joined(separator: "~") + end
            let verdict = verifier.verify(Array(token.utf8), at: TokenForge.clock)
            #expect(!verdict.reasons.isEmpty && verdict.code != .internal)
        }
    }

    private static let names: [Text] = [
        "_sd", "...", "_sd_alg", "iss", "exp", "nbf", "iat", "vct", "cnf", "status", "vc", "vp", "sub", "jti", "issuer",
        "credentialSubject", "@context", "type", "credentialStatus", "validUntil", "verifiableCredential", "holder",
        "id",
    ]

    private static func value(depth: Int, _ generator: inout Generator) -> JSON {
        switch Int.random(in: 0..<(depth < 4 ? 9 : 6), using: &generator) {
        case 0: return nil
        case 1: return .bool(.random(using: &generator))
        case 2:
            let numbers = ["0", "-1", "1e400", "1795262400", "-0.0", "9223372036854775808", "-1e-400", "0.1"]
            return .number(JSONNumber(validated: numbers.randomElement(using: &generator) ?? "0"))
        case 3: return .string(names.randomElement(using: &generator) ?? "")
        case 4: return ["https://www.w3.org/ns/credentials/v2"]
        case 5: return ""
        case 6: return .array((0..<3).map { _ in value(depth: depth + 1, &generator) })
        case 7: return ["...": value(depth: depth + 1, &generator)]
        default:
            return .object(
                JSONObject(
                    (0..<3).map { _ in
                        let name = names.randomElement(using: &generator) ?? "x"
                        return JSONObject.Member(name, value(depth: depth + 1, &generator))
                    }))
        }
    }

    /// A small linear congruential generator (Knuth's MMIX constants): the same values in every run.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
    }
}
