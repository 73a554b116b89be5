import Crypto
import Encoding
import Testing
import X509

@testable import Credentials

/// Tokens whose signer brings certificates (`x5c`): the path, and whether the certificate speaks for the issuer.
@Suite struct TokenCertificateTests {
    private let forge: TokenForge
    private let root: TestPKI.Member

    init() throws {
        forge = try TokenForge()
        root = try TestPKI.root()
    }

    private func verdict(
        issuer: Text = "https://issuer.example/x", names: [GeneralName] = [], profile: Profile = .strict,
        header: (inout JSONObject) -> Void = { _ in }, trust: (inout TrustMaterial) throws -> Void = { _ in },
        claims: (inout JSONObject) -> Void = { _ in }, template change: (inout TestPKI.Template) -> Void = { _ in }
    ) throws -> Verdict {
        var template = try TestPKI.Template.signer()
        template.key = .init(forge.key)
        template.names = names
        change(&template)
        let leaf = try TestPKI.issue(template, by: root)
        var head: JSONObject = [
            "alg": "ES256", "typ": "dc+sd-jwt", "x5c": [.text(Base64.encode(try leaf.der, .standard))],
        ]
        header(&head)
        var body = forge.claims
        body["iss"] = .string(issuer)
        claims(&body)
        var material = TrustMaterial(
            issuers: [TrustedIssuer(id: issuer)], roots: [TestPKI.pem(try root.der)])
        try trust(&material)
        return try forge.verify(forge.sign(head, body) + "~", profile: profile, material: material)
    }

    @Test func accepted() throws {
        #expect(try verdict().code == .ok)
        #expect(try verdict(header: { $0["kid"] = "anything" }).code == .ok)
        #expect(try verdict(trust: { $0.issuers = [] }).code == .issuerUntrusted)
        #expect(try verdict(trust: { $0.roots = [] }).code == .chainUntrusted)
    }

    @Test(
        arguments: [
            ("https://issuer.example/x", ["https://issuer.example/x"], [], ReasonCode.ok),
            ("https://issuer.example/x", ["https://issuer.example/y"], [], .issuerKeyMismatch),
            ("https://issuer.example/x", ["https://issuer.example"], [], .issuerKeyMismatch),
            ("https://issuer.example/x", [], ["issuer.example"], .ok),
            ("https://ISSUER.example:8443/x", [], ["issuer.EXAMPLE"], .ok),
            ("https://issuer.example?x", [], ["issuer.example"], .ok),
            ("https://issuer.example/x", [], ["example"], .issuerKeyMismatch),
            ("https://issuer.example/x", [], ["*.example"], .issuerKeyMismatch),
            ("https://issuer.example.evil.org/", [], ["issuer.example"], .issuerKeyMismatch),
            ("https://issuer.example@evil.org/", [], ["issuer.example"], .issuerKeyMismatch),
            ("https://evil.org/issuer.example", [], ["issuer.example"], .issuerKeyMismatch),
            ("did:web:issuer.example", [], ["issuer.example"], .ok),
            ("did:web:issuer.example%3A8443:x", [], ["issuer.example"], .ok),
            ("did:web:issuer.example", ["did:web:issuer.example"], [], .ok),
            ("did:web:other.example", [], ["issuer.example"], .issuerKeyMismatch),
            ("did:key:zABC", [], ["issuer.example"], .issuerKeyMismatch),
            ("https://issuer.example/x", ["https://other.example"], ["issuer.example"], .ok),
        ] as [(Text, [String], [String], ReasonCode)])
    func names(issuer: Text, uris: [String], hosts: [String], wanted: ReasonCode) throws {
        let names = uris.map { GeneralName.uniformResourceIdentifier($0) } + hosts.map { .dnsName($0) }
        #expect(try verdict(issuer: issuer, names: names).code == wanted)
    }

    @Test func keyUsage() throws {
        let noUsage: (inout TestPKI.Template) -> Void = { $0.usage = KeyUsage(keyEncipherment: true) }
        #expect(try verdict(template: noUsage).code == .chainInvalid)
        #expect(try verdict(profile: .compat, template: noUsage).code == .ok)
    }

    @Test func dates() throws {
        #expect(try verdict(template: { $0.notAfter = "2026-06-01T00:00:00Z" }).code == .chainExpired)
        // Signed before the certificate was valid.
        let late: (inout TestPKI.Template) -> Void = { $0.notBefore = "2026-06-01T00:00:00Z" }
        #expect(try verdict(template: late).code == .chainExpired)
        #expect(try verdict(profile: .compat, template: late).code == .ok)
        #expect(try verdict(claims: { $0["iat"] = nil }, template: late).code == .ok)
    }

    @Test func otherKey() throws {
        #expect(try verdict(template: { $0.key = .init(P256.Signing.PrivateKey()) }).code == .proofInvalid)
        #expect(try verdict(template: { $0.key = .init(P384.Signing.PrivateKey()) }).code == .proofAlgorithm)
    }

    @Test func operatorsDecisions() throws {
        let fingerprint = try #require(KeyFingerprint(try KeyEncoding.jwk(forge.jwk.object)))
        #expect(try verdict(trust: { $0.issuers[0].keys = [fingerprint] }).code == .ok)
        #expect(try verdict(trust: { $0.issuers[0].keys = [] }).code == .keyNotAuthorised)
        let stolen = RevokedKey(.fingerprint(fingerprint), since: Timestamp(seconds: 0))
        #expect(try verdict(trust: { $0.revokedKeys = [stolen] }).code == .keyRevoked)
    }

    /// Certificates count where they are; no key of a document stands in for a path that fails.
    /// A certificate that names nobody speaks only for the issuers to which the operator gave its root.
    @Test func rootsOfAnIssuer() throws {
        let own = TrustedIssuer.id(ofRoot: try root.der)
        let other = TrustedIssuer.id(ofRoot: try TestPKI.root().der)
        #expect(try verdict(trust: { $0.issuers[0].roots = [own] }).code == .ok)
        #expect(try verdict(trust: { $0.issuers[0].roots = [other, own] }).code == .ok)
        #expect(try verdict(trust: { $0.issuers[0].roots = [other] }).code == .chainUntrusted)
        #expect(try verdict(trust: { $0.issuers[0].roots = [] }).code == .chainUntrusted)
    }

    @Test func noWayAroundThePath() throws {
        let other = try TestPKI.root("Other")
        let verdict = try verdict(
            issuer: forge.id, header: { $0["kid"] = .string(forge.method) },
            trust: { $0.roots = [TestPKI.pem(try other.der)] })
        #expect(verdict.code == .chainUntrusted)
    }
}
