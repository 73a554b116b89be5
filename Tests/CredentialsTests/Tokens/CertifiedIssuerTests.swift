import Crypto
import Encoding
import Reasons
import SwiftASN1
import Testing
import X509

@testable import Credentials

/// SD-JWT VCs without `iss`, whose issuer follows from the signer's certificate, and certificates whose name differs
/// from the issuer's.
@Suite struct CertifiedIssuerTests {
    private let forge: TokenForge
    private let root: TestPKI.Member
    private let url: Text = "https://issuer.example/x"

    init() throws {
        forge = try TokenForge()
        root = try TestPKI.root()
    }

    private var rootID: Text { get throws { TrustedIssuer.id(ofRoot: try root.der) } }

    private func entry(_ id: Text, _ change: (inout TrustedIssuer) throws -> Void = { _ in }) throws -> TrustedIssuer {
        var entry = TrustedIssuer(id: id)
        entry.roots = [try rootID]
        try change(&entry)
        return entry
    }

    private func verdict(
        _ names: [GeneralName], _ issuers: [TrustedIssuer], pinsLeaf: Bool = false, issuer: Text? = nil,
        type: Text = "dc+sd-jwt"
    ) throws -> Verdict {
        var template = try TestPKI.Template.signer()
        template.key = .init(forge.key)
        template.names = names
        let leaf = try TestPKI.issue(template, by: root)
        let header: JSONObject = [
            "alg": "ES256", "typ": .string(type), "x5c": [.text(Base64.encode(try leaf.der, .standard))],
        ]
        var claims = forge.claims
        claims["iss"] = issuer.map { .string($0) }
        var material = TrustMaterial(issuers: issuers, roots: [TestPKI.pem(try root.der)])
        if pinsLeaf {
            material.roots.append(TestPKI.pem(try leaf.der))
            material.issuers[0].roots = [TrustedIssuer.id(ofRoot: try leaf.der)]
        }
        return try forge.verify(forge.sign(header, claims) + "~", material: material)
    }

    @Test func theCertificateNamesTheIssuer() throws {
        let named = try verdict([.uniformResourceIdentifier(url.string)], [entry("did:web:other.example"), entry(url)])
        #expect(named.code == .ok && named.credential.issuer == url)
        let host = try verdict([.dnsName("issuer.example")], [entry("https://other.example"), entry(url)])
        #expect(host.code == .ok && host.credential.issuer == url)
    }

    @Test func aCertificateWithoutNamesIsOfTheOneIssuerOfItsRoot() throws {
        #expect(try verdict([], [entry(url)]).credential.issuer == url)
        #expect(try verdict([], [entry(url), entry("https://other.example") { $0.roots = [] }]).code == .ok)
        // The root's own entry is for mdocs, unless it also lists the root.
        let mdocs = try entry(rootID) { ($0.roots, $0.types) = ([], ["org.iso.18013.5.1.mDL"]) }
        #expect(try verdict([], [mdocs, entry(url)]).credential.issuer == url)
        #expect(try verdict([], [mdocs, entry(url)]).code == .ok)
        #expect(try verdict([], [mdocs]).code == .issuerUntrusted)
        #expect(try verdict([], [mdocs], issuer: rootID, type: "dc+sd-jwt").code != .ok)
        let own = try verdict([], [entry(rootID)])
        #expect(try own.code == .ok && own.credential.issuer == rootID)
        #expect(try verdict([], [entry(url), entry("https://other.example")]).code == .issuerUntrusted)
        #expect(try verdict([], []).code == .issuerUntrusted)
        #expect(try verdict([], [entry(url) { $0.roots = [] }]).code == .issuerUntrusted)
    }

    /// The signers below one root may belong to many issuers.
    @Test func aCertificateThatNamesAnotherIssuerIsNotUsed() throws {
        let others: [GeneralName] = [.dnsName("evil.example")]
        #expect(try verdict(others, [entry(url)]).code == .issuerKeyMismatch)
        #expect(try verdict(others, [entry(url)], issuer: url).code == .issuerKeyMismatch)
        let mail: [GeneralName] = [.rfc822Name("office@issuer.example")]
        #expect(try verdict(mail, [entry(url)], issuer: url).code == .issuerKeyMismatch)
    }

    /// If the operator pinned the certificate or its key, its names do not matter.
    @Test func aPinnedSignerMayHaveAnotherName() throws {
        let others: [GeneralName] = [.dnsName("signer.example")]
        let key = try #require(KeyFingerprint(try KeyEncoding.jwk(forge.jwk.object)))
        for issuer in [url, nil] {
            #expect(try verdict(others, [entry(url) { $0.keys = [key] }], issuer: issuer).code == .ok)
            #expect(try verdict(others, [entry(url)], pinsLeaf: true, issuer: issuer).code == .ok)
            #expect(try verdict(others, [entry(url) { $0.keys = [] }], issuer: issuer).code == .keyNotAuthorised)
        }
    }

    @Test func theRootIsWhatTheTrustDataNeed() throws {
        let leaf = try TestPKI.issue(TestPKI.Template.signer(), by: root)
        let chain = try [leaf, root].map { JSON.text(Base64.encode(try $0.der, .standard)) }
        let token = try forge.sign(["alg": "ES256", "typ": "dc+sd-jwt", "x5c": .array(chain)], ["vct": "x"]) + "~"
        let needs = TrustNeeds(of: Array(token.utf8), in: try TrustStore(TrustMaterial()))
        let id = try rootID
        #expect(Set(needs.needs.map(\.kind)) == [.root, .issuer] && needs.needs.allSatisfy { $0.id == id })
        #expect(needs.needs.flatMap(\.lines).contains("roots = [\"\(id)\"]"))
        // The needs include the credential's types, also for an entry that lists the root.
        var material = TrustMaterial(issuers: [try entry(url)], roots: [TestPKI.pem(try root.der)])
        material.untypedIssuers = .refuse
        let types = TrustNeeds(of: Array(token.utf8), in: try TrustStore(material)).needs.flatMap(\.types)
        #expect(types == ["x"])
    }

    @Test func withoutCertificateSomethingMustNameTheIssuer() throws {
        let token = try forge.sdJWT { $0["iss"] = nil }
        #expect(try forge.verify(token).code == .shapeIssuer)
        for broken in [[], ["x"], 5, [5]] as [JSON] {
            var (header, claims) = (forge.header("dc+sd-jwt"), forge.claims)
            (header["x5c"], claims["iss"]) = (broken, nil)
            #expect(try forge.verify(forge.sign(header, claims) + "~").code == .chainInvalid)
        }
    }
}
