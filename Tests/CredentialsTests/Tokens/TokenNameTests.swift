import Crypto
import Encoding
import Reasons
import Testing
import X509

@testable import Credentials

/// Names that newer standards allow: algorithms that name their curve, keys without a fragment, ids without a scheme.
@Suite struct TokenNameTests {
    private let forge: TokenForge
    init() throws { forge = try TokenForge() }

    /// `Ed25519` is more specific than `EdDSA` (RFC 9864).
    @Test(arguments: ["EdDSA", "Ed25519"] as [Text]) func algorithmsThatSayTheirCurve(_ name: Text) throws {
        let issuer = try TestIssuer(seed: 7)
        var claims = forge.claims
        claims["iss"] = .string(issuer.id)
        func token(_ algorithm: Text) throws -> String {
            let header: JSONObject = ["alg": .string(algorithm), "typ": "dc+sd-jwt", "kid": .string(issuer.method)]
            let input =
                Base64.encode(JSON.object(header).compactBytes) + "." + Base64.encode(JSON.object(claims).compactBytes)
            return input + "." + Base64.encode(Array(try issuer.key.signature(for: Array(input.utf8)))) + "~"
        }
        #expect(try forge.verify(token(name), material: issuer.material).code == .ok)
        #expect(try forge.verify(token("Ed448"), material: issuer.material).code == .proofAlgorithm)
        // The algorithm fits no other key.
        var header = forge.header("dc+sd-jwt")
        header["alg"] = .string(name)
        #expect(try forge.verify(forge.sign(header, forge.claims) + "~").code == .proofAlgorithm)
    }

    @Test(arguments: [-7, -9] as [CBOR]) func algorithmsOfMdocs(_ number: CBOR) throws {
        let key = P256.Signing.PrivateKey()
        let issuer = try TestMdoc.Issuer(.init(key), algorithm: number) {
            try Array(key.signature(for: $0).rawRepresentation)
        }
        #expect(try TestMdoc(issuer).verify().code == .ok)
    }

    /// A did:key has one key, which needs no fragment.
    @Test func keysOfIdentifiersThatAreTheirOwn() throws {
        var header = forge.header("JWT")
        header["kid"] = .string(forge.id)
        #expect(try forge.verify(forge.sign(header, forge.jwtClaims)).code == .ok)
        let issuer = try TestIssuer(seed: 7)
        let signed = try issuer.sign(issuer.template) { $0["verificationMethod"] = .string(issuer.id) }
        let verifier = Credentials.Verifier(trust: try TrustStore(issuer.material))
        #expect(verifier.verify(signed.compactBytes, at: TestIssuer.clock).code == .ok)
        let text = try JSON.parse(Array(signed.compactText.replacing(issuer.id.string, with: forge.id.string).utf8))
        #expect(!verifier.verify(text.compactBytes, at: TestIssuer.clock).isAccepted)
    }

    /// A bare UUID is the id `urn:uuid:` of the credential.
    @Test func idsWithoutScheme() throws {
        let uuid: Text = "3978344f-8596-4c3a-a978-8fcaba3903c5"
        func code(_ jti: JSON, id: JSON?) throws -> ReasonCode {
            var (claims, inner) = (forge.jwtClaims, forge.v1)
            (claims["jti"], inner["id"]) = (jti, id)
            claims["vc"] = .object(inner)
            return try forge.verify(forge.sign(forge.header("JWT"), claims)).code
        }
        #expect(try code(.string(uuid), id: nil) == .ok)
        #expect(try code(.string(uuid), id: .text("urn:uuid:" + uuid.string)) == .ok)
        #expect(try code(.string(uuid), id: "urn:uuid:77") == .claimsDisagree)
        for other in ["3978344f85964c3aa9788fcaba3903c5", "3978344f-8596-4c3a-a978-8fcaba3903cg", "17"] as [JSON] {
            #expect(try code(other, id: nil) == .shapeID)
        }
        var second = forge.v2
        (second["jti"], second["id"]) = (.string(uuid), .text("urn:uuid:" + uuid.string))
        #expect(try forge.verify(forge.sign(forge.header("vc+jwt"), second)).code == .ok)
    }

    // MARK: - Dates that the holder withholds

    /// The dates of the JWT concern its signature. The dates of a VCDM 2.0 credential must be shown in addition.
    @Test func ofACredentialItsOwnDatesMustBeShown() throws {
        let start = Disclose.member("validFrom", "2027-01-01T00:00:00Z", salt: "1")
        let end = Disclose.member("validUntil", "2026-02-01T00:00:00Z", salt: "2")
        func code(_ hidden: [Text], allowed: Bool = false) throws -> (ReasonCode, String?) {
            var claims = forge.v2
            (claims["nbf"], claims["iat"], claims["exp"]) = (1_767_600_000, 1_767_600_000, 1_799_136_000)
            for name in hidden { claims[name] = nil }
            claims["_sd"] = Disclose.digests([start, end])
            var material = forge.material
            material.issuers[0].mayWithholdExpiry = allowed
            let verdict = try forge.verify(forge.sign(forge.header("vc+sd-jwt"), claims) + "~", material: material)
            return (verdict.code, verdict.reasons.first?.pointer)
        }
        #expect(try code([]) == (.ok, nil))
        #expect(try code(["validFrom"]) == (.shapeDates, "/validFrom"))
        #expect(try code(["validUntil"]) == (.shapeDates, "/validUntil"))
        #expect(try code(["validFrom"], allowed: true) == (.ok, nil))
    }
}
