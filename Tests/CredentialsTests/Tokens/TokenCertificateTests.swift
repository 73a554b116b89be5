import Crypto
import Encoding
import Reasons
import SwiftASN1
import Testing
import X509

@testable import Credentials

/// Tokens with certificates of their signer (`x5c`): the path, and whether the certificate is valid for the
/// issuer.
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
        var entry = TrustedIssuer(id: issuer)
        entry.roots = [TrustedIssuer.id(ofRoot: try root.der)]
        var material = TrustMaterial(issuers: [entry], roots: [TestPKI.pem(try root.der)])
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

    /// In a chain of two, the key that issued the signer's certificate is withdrawn, or the key of the pinned
    /// root.
    @Test func withdrawnAuthority() throws {
        let authority = try TestPKI.issue(TestPKI.Template.authority("CA"), by: root)
        var template = try TestPKI.Template.signer()
        template.key = .init(forge.key)
        let leaf = try TestPKI.issue(template, by: authority)
        let chain = try [leaf, authority].map { JSON.text(Base64.encode(try $0.der, .standard)) }
        func code(_ withdrawn: TestPKI.Member?, _ reason: RevokedKey.Reason = .compromised) throws -> ReasonCode {
            let keys = try withdrawn.map { member in
                let key = try CertificatePath.leaf(of: [member.der], limits: Limits()).key
                return RevokedKey(.fingerprint(try #require(KeyFingerprint(key))), since: TestPKI.now, reason: reason)
            }
            return try verdict(
                header: { $0["x5c"] = .array(chain) }, trust: { $0.revokedKeys = [keys].compactMap(\.self) }
            ).code
        }
        #expect(try code(nil) == .ok)
        #expect(try code(authority) == .keyRevoked)
        #expect(try code(root) == .keyRevoked)
        #expect(try code(authority, .retired) == .ok, "it issued the certificate before that")
        #expect(try code(TestPKI.root("Other")) == .ok)
    }

    /// A certificate without names is valid only for the issuers to which the operator assigned its root.
    @Test func rootsOfAnIssuer() throws {
        let own = TrustedIssuer.id(ofRoot: try root.der)
        let other = TrustedIssuer.id(ofRoot: try TestPKI.root().der)
        #expect(try verdict(trust: { $0.issuers[0].roots = [own] }).code == .ok)
        #expect(try verdict(trust: { $0.issuers[0].roots = [other, own] }).code == .ok)
        #expect(try verdict(trust: { $0.issuers[0].roots = [other] }).code == .chainUntrusted)
        #expect(try verdict(trust: { $0.issuers[0].roots = [] }).code == .chainUntrusted)
    }

    /// If there are certificates, they decide. No key of a document replaces an invalid path.
    @Test func noWayAroundThePath() throws {
        let other = try TestPKI.root("Other")
        let verdict = try verdict(
            issuer: forge.id, header: { $0["kid"] = .string(forge.method) },
            trust: { $0.roots = [TestPKI.pem(try other.der)] })
        #expect(verdict.code == .chainUntrusted)
    }

    // MARK: - Certificates for other purposes

    /// Below one pinned root there are signers of mdocs, web servers, people with electronic mail and CAs. None of them
    /// may sign for an issuer whose entry names another root. Only few may sign for an issuer whose entry names this
    /// root.
    @Test func signersOfSomethingElse() throws {
        let issuer: Text = "did:web:issuer.example"
        let unnamed: (inout TrustMaterial) throws -> Void = { $0.issuers[0].roots = [] }
        let server: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 1]
        let mail: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 4]
        let (host, address) = (GeneralName.dnsName("issuer.example"), GeneralName.rfc822Name("a@issuer.example"))
        let table: [(String, [ASN1ObjectIdentifier], [GeneralName], ReasonCode)] = [
            ("mdoc signer", [TestPKI.documentSigner], [], .chainInvalid),
            ("mdoc signer of somebody else", [TestPKI.documentSigner], [.dnsName("b.example")], .chainInvalid),
            ("mdoc signer of this issuer", [TestPKI.documentSigner], [host], .ok),
            ("its web server", [server], [host], .chainInvalid), ("web server", [server], [], .chainInvalid),
            ("its mail", [mail], [address], .chainInvalid), ("mail", [], [address], .issuerKeyMismatch),
            ("an address", [], [.ipAddress(ASN1OctetString(contentBytes: [10, 0, 0, 1]))], .issuerKeyMismatch),
            ("nobody", [], [], .ok),
        ]
        for (name, purposes, names, wanted) in table {
            let change: (inout TestPKI.Template) -> Void = { $0.purposes = purposes }
            #expect(try verdict(issuer: issuer, names: names, template: change).code == wanted, "\(name)")
            let refused = try verdict(issuer: issuer, names: names, trust: unnamed, template: change)
            #expect(refused.code == .chainUntrusted, "\(name)")
        }
    }

    /// A root of one issuer is not valid for another issuer. The root's own entry does not change that.
    @Test func rootOfAnotherIssuer() throws {
        let own = TrustedIssuer.id(ofRoot: try root.der)
        let refused = try verdict(trust: { material in
            var other = TrustedIssuer(id: "https://other.example")
            other.roots = material.issuers[0].roots
            material.issuers[0].roots = []
            material.issuers += [other, TrustedIssuer(id: own)]
        })
        #expect(refused.reasons.first == Reason(.chainUntrusted, .rootNotNamed(roots: [own])))
        let report = VerdictReport(file: "x", verdict: refused)
        let reason = try JSON.parse(report.jsonLine)["reasons"]?.array?.first
        #expect(reason?["code"] == "chain.untrusted" && reason?["detail"] == "root-not-named")
        let line = "roots = [\"\(own)\"]"
        #expect(reason?["remedy"]?.string?.string.hasSuffix(line) ?? false)
        #expect(report.explanation.contains { $0.hasSuffix(line) })
    }

    @Test func pinnedSigner() throws {
        var template = try TestPKI.Template.signer()
        template.key = .init(forge.key)
        let leaf = try TestPKI.issue(template, by: root)
        let id = TrustedIssuer.id(ofRoot: try leaf.der)
        func code(_ roots: [Text]) throws -> ReasonCode {
            try verdict(
                header: { $0["x5c"] = (try? leaf.der).map { [.text(Base64.encode($0, .standard))] } },
                trust: {
                    $0.roots = [TestPKI.pem(try leaf.der)]
                    $0.issuers[0].roots = roots
                }
            ).code
        }
        #expect(try code([id]) == .ok)
        #expect(try code([]) == .chainUntrusted)
        #expect(try code([TrustedIssuer.id(ofRoot: try root.der)]) == .chainUntrusted)
    }

    @Test func findingsSayWhichRule() throws {
        func reason(
            _ profile: Profile = .strict, header: (inout JSONObject) -> Void = { _ in },
            template: (inout TestPKI.Template) -> Void = { _ in }
        ) throws -> Reason? { try verdict(profile: profile, header: header, template: template).reasons.first }
        #expect(try reason(template: { $0.notBefore = "2026-06-01T00:00:00Z" }) == Reason(.chainExpired, .signingDate))
        #expect(try reason(template: { $0.notAfter = "2026-06-01T00:00:00Z" }) == Reason(.chainExpired, .dates))
        #expect(try reason(header: { $0["x5c"] = "MII" }) == Reason(.chainInvalid, .encoding))
        #expect(try reason(header: { $0["x5c"] = ["*"] }) == Reason(.chainInvalid, .encoding))
    }
}
