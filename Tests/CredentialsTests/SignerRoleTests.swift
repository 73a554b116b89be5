import Crypto
import CryptoExtras
import Encoding
import Reasons
import SwiftASN1
import Testing
import X509

@testable import Credentials

/// The issuers for which a root is pinned, the required purposes of certificates, and the rule in a refusal.
@Suite struct SignerRoleTests {
    private typealias Template = TestPKI.Template

    private static let serverAuth: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 1]
    private static let clientAuth: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 2]
    private static let mail: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 4]
    private static let documents: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 36]
    private static let eudi: ASN1ObjectIdentifier = [1, 3, 130, 2, 0, 0, 1, 2]
    private static let anything: ASN1ObjectIdentifier = [2, 5, 29, 37, 0]

    // MARK: - Roots

    @Test func rootsSignOnlyForTheirIssuers() throws {
        let (root, other) = (try TestPKI.root(), try TestPKI.root("Other"))
        let roots = try TestPKI.roots(root, other)
        let chain = [try TestPKI.issue(Template.signer(), by: root).der]
        let (own, foreign) = (TrustedIssuer.id(ofRoot: try root.der), TrustedIssuer.id(ofRoot: try other.der))
        for role in [TestPKI.Role.tokenSigner, .statusListSigner] {
            func refusal(_ id: Text, _ named: [Text]) -> Reason? {
                var entry = TrustedIssuer(id: id)
                entry.roots = named
                return TestPKI.refusal(chain, roots, role: role, entry: entry)
            }
            #expect(refusal("did:web:issuer.example", [own]) == nil)
            #expect(refusal("did:web:issuer.example", [foreign, own]) == nil)
            // The root's own entry is for its mdocs, whose status lists it also signs.
            let isList = role == .statusListSigner
            #expect(refusal(own, []) == (isList ? nil : Reason(.chainUntrusted, .rootNotNamed(roots: [own]))))
            #expect(refusal(own, [own]) == nil)
            #expect(
                refusal("did:web:issuer.example", []) == Reason(.chainUntrusted, .rootNotNamed(roots: [own])))
            #expect(
                refusal("did:web:issuer.example", [foreign])
                    == Reason(.chainUntrusted, .rootNotNamed(roots: [foreign, own])))
            #expect(refusal(foreign, []) == Reason(.chainUntrusted, .rootNotNamed(roots: [own])))
        }
        #expect(
            ReasonDetail.rootNotNamed(roots: [foreign, own]).remedy?.hasSuffix(
                "roots = [\"\(foreign)\", \"\(own)\"]") ?? false)
        // An mdoc names no issuer, so its signer may be below any pinned root.
        let signer = [try TestPKI.issue(Template.documentSigner(), by: root).der]
        #expect(TestPKI.outcome(signer, roots, role: .documentSigner) == "ok")
    }

    /// Two pinned certificates have the same name and key, as after a renewal. It is enough that the entry names one of
    /// them.
    @Test func eitherOfTwoRootsOfOneKey() throws {
        let first = try TestPKI.root()
        let second = try TestPKI.root { $0.key = first.key }
        let roots = try TestPKI.roots(first, second)
        let chain = [try TestPKI.issue(Template.signer(), by: first).der]
        for named in [first, second] {
            var entry = TrustedIssuer(id: "did:web:issuer.example")
            entry.roots = [TrustedIssuer.id(ofRoot: try named.der)]
            #expect(TestPKI.outcome(chain, roots, entry: entry) == "ok")
        }
    }

    /// A signer that is pinned itself is a root like any other, and signs what its usages allow.
    @Test func pinnedSigners() throws {
        let signer = try TestPKI.issue(Template.signer(), by: nil)
        let roots = try TestPKI.roots(signer)
        #expect(TestPKI.outcome([try signer.der], roots) == "ok")
        let mdocSigner = try TestPKI.issue(Template.documentSigner(), by: nil)
        #expect(TestPKI.outcome([try mdocSigner.der], try TestPKI.roots(mdocSigner)) == "chain.invalid")
        let stranger = TrustedIssuer(id: "did:web:issuer.example")
        #expect(TestPKI.outcome([try signer.der], roots, entry: stranger) == "chain.untrusted")
        var template = try Template.signer()
        template.purposes = [Self.serverAuth, Self.clientAuth]
        let server = try TestPKI.issue(template, by: nil)
        for role in [TestPKI.Role.tokenSigner, .statusListSigner, .documentSigner] {
            #expect(
                TestPKI.refusal([try server.der], try TestPKI.roots(server), role: role)
                    == Reason(.chainInvalid, .extendedKeyUsage))
        }
    }

    // MARK: - Purposes

    private func outcome(
        _ purposes: [ASN1ObjectIdentifier], names: [GeneralName] = [], role: TestPKI.Role = .tokenSigner,
        id: Text? = nil, change: (inout TrustedIssuer) -> Void = { _ in }
    ) throws -> String {
        let root = try TestPKI.root()
        let roots = try TestPKI.roots(root)
        var template = try Template.signer()
        (template.purposes, template.names) = (purposes, names)
        var entry = TestPKI.issuer(roots)
        if let id { entry.id = id == "root" ? TrustedIssuer.id(ofRoot: try root.der) : id }
        change(&entry)
        return TestPKI.outcome([try TestPKI.issue(template, by: root).der], roots, role: role, entry: entry)
    }

    @Test func purposesOfTokenSigners() throws {
        let (own, others) = ([GeneralName.dnsName("issuer.example")], [GeneralName.dnsName("other.example")])
        let table: [([ASN1ObjectIdentifier], nobody: String, own: String)] = [
            ([], "ok", "ok"), ([Self.documents], "ok", "ok"), ([Self.mail, Self.documents], "ok", "ok"),
            ([Self.serverAuth, Self.documents], "ok", "ok"),
            ([TestPKI.documentSigner], "chain.invalid", "ok"), ([Self.eudi], "chain.invalid", "ok"),
            ([Self.serverAuth, TestPKI.documentSigner], "chain.invalid", "ok"),
            ([Self.serverAuth], "chain.invalid", "chain.invalid"),
            ([Self.serverAuth, Self.clientAuth], "chain.invalid", "chain.invalid"),
            ([Self.clientAuth], "chain.invalid", "chain.invalid"), ([Self.mail], "chain.invalid", "chain.invalid"),
            ([Self.anything], "chain.invalid", "chain.invalid"),
        ]
        for (purposes, nobody, named) in table {
            for role in [TestPKI.Role.tokenSigner, .statusListSigner] {
                #expect(try outcome(purposes, role: role) == nobody, "\(purposes)")
                #expect(try outcome(purposes, names: own, role: role) == named, "\(purposes)")
                // The caller compares the names. In this test they only must not be those of the issuer.
                #expect(try outcome(purposes, names: others, role: role) == nobody, "\(purposes)")
            }
        }
    }

    /// One certificate for mdocs and their status lists is usual. It is not meant for tokens in the root's name.
    @Test func documentSignersSignTheirOwnLists() throws {
        #expect(try outcome([TestPKI.documentSigner], role: .statusListSigner, id: "root") == "ok")
        #expect(try outcome([Self.eudi], role: .statusListSigner, id: "root") == "ok")
        #expect(try outcome([Self.mail], role: .statusListSigner, id: "root") == "chain.invalid")
        let usage = KeyPurposeID("1.3.6.1.5.5.7.3.4")
        #expect(
            try outcome([Self.mail], role: .statusListSigner, id: "root") {
                $0.documentSignerUsages = [usage].compactMap(\.self)
            } == "ok")
        #expect(try outcome([TestPKI.documentSigner], id: "root") == "chain.invalid")
    }

    @Test func purposesThatTheOperatorLists() throws {
        func listing(_ texts: Text...) -> (inout TrustedIssuer) -> Void {
            { $0.tokenSignerUsages = texts.compactMap { KeyPurposeID($0) } }
        }
        let own = [GeneralName.dnsName("issuer.example")]
        #expect(try outcome([Self.mail], change: listing("1.3.6.1.5.5.7.3.4")) == "ok")
        #expect(try outcome([], change: listing("1.3.6.1.5.5.7.3.4")) == "ok")
        #expect(try outcome([], change: listing()) == "ok")
        #expect(try outcome([Self.documents], change: listing("1.3.6.1.5.5.7.3.4")) == "chain.invalid")
        #expect(try outcome([TestPKI.documentSigner], names: own, change: listing()) == "chain.invalid")
        #expect(try outcome([Self.serverAuth], names: own, change: listing("1.3.6.1.5.5.7.3.1")) == "chain.invalid")
    }

    @Test func namesOfPurposes() {
        for text in ["1.0.18013.5.1.2", "2.5.29.37.0", "1.3.6.1.5.5.7.3.36"] as [Text] {
            #expect(KeyPurposeID(text)?.text == text)
        }
        let long = Text("1.2" + String(repeating: ".1", count: 100))
        for text in ["", "1", ".1.2", "1.2.", "1..2", "1.+2", "1.-2", "mdlDS", "3.1.2.x", "1 .2", long] as [Text] {
            #expect(KeyPurposeID(text) == nil, "\(text)")
        }
        // First arcs that do not exist, and sums that exceed every integer type.
        for text in [
            "3.1", "0.40", "1.40.1", "1.18446744073709551615", "2.18446744073709551615", "2.4294967296",
            "18446744073709551615.1", "461168601842738791.1", "1.2.9223372036854775808", "1.2.18446744073709551616",
        ] as [Text] {
            #expect(KeyPurposeID(text) == nil, "\(text)")
        }
        for text in ["0.39", "1.39.1", "2.999.1", "2.4294967295", "1.2.9223372036854775807"] as [Text] {
            #expect(KeyPurposeID(text) != nil, "\(text)")
        }
    }

    // MARK: - The broken rule

    private func detail(
        root: (inout Template) throws -> Void = { _ in }, authority: (inout Template) throws -> Void = { _ in },
        signer: (inout Template) throws -> Void = { _ in }, role: TestPKI.Role = .tokenSigner
    ) throws -> String? {
        var (top, middle) = (try Template.authority("Root", pathLength: 1), try Template.authority("CA", pathLength: 0))
        var bottom = role == .documentSigner ? try Template.documentSigner() : try Template.signer()
        try root(&top)
        try authority(&middle)
        try signer(&bottom)
        let anchor = try TestPKI.issue(top, by: nil)
        let issuer = try TestPKI.issue(middle, by: anchor)
        let chain = [try TestPKI.issue(bottom, by: issuer).der, try issuer.der]
        return TestPKI.refusal(chain, try TestPKI.roots(anchor), role: role)?.detail?.word
    }

    @Test func everyRuleHasItsDetail() throws {
        #expect(try detail() == nil)
        #expect(try detail(root: { $0.constraints = .isCertificateAuthority(maxPathLength: 0) }) == "path-length")
        #expect(try detail(authority: { $0.constraints = nil }) == "authority")
        #expect(try detail(authority: { $0.usage = KeyUsage(digitalSignature: true) }) == "authority")
        #expect(try detail(signer: { $0.usage = KeyUsage(keyEncipherment: true) }) == "key-usage")
        #expect(
            try detail(
                signer: { $0.constraints = .isCertificateAuthority(maxPathLength: nil) }, role: .documentSigner)
                == "key-usage")
        #expect(try detail(signer: { $0.purposes = [Self.mail] }) == "extended-key-usage")
        #expect(try detail(signer: { $0.purposes = [] }, role: .documentSigner) == "extended-key-usage")
        #expect(try detail(signer: { $0.notAfter = "2026-01-01T00:00:00Z" }) == "dates")
        let unknown = Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 99999, 1], critical: true, value: [0x05, 0x00])
        #expect(try detail(authority: { $0.more = [unknown] }) == "critical-extension")
        let elsewhere = X509.NameConstraints(permittedDNSDomains: ["a.example"])
        #expect(
            try detail(
                authority: { $0.nameConstraints = elsewhere }, signer: { $0.names = [.dnsName("b.example")] })
                == "name-constraint")
        let root = try TestPKI.root()
        let leaf = try TestPKI.issue(Template.signer(), by: root)
        let authority = try TestPKI.issue(Template.authority("CA"), by: root)
        let (below, twin) = (
            try TestPKI.issue(Template.signer(), by: authority), try TestPKI.issue(Template.authority("CA"), by: root)
        )
        func word(_ chain: [[UInt8]]) throws -> String? {
            TestPKI.refusal(chain, try TestPKI.roots(root))?.detail?.word
        }
        #expect(try word([below.der, root.der]) == "name")
        #expect(try word([below.der, twin.der]) == "signature")
        #expect(try word([leaf.der, []]) == "encoding")
        #expect(TestPKI.refusal([try leaf.der], try TestPKI.roots(authority))?.detail?.word == "not-pinned")
        let rsa = Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits2048))
        #expect(
            try detail(authority: { $0.key = rsa }, signer: { $0.algorithm = .sha1WithRSAEncryption }) == "algorithm")
    }

    /// An extension that is not processed need not be parsed: private extensions may contain anything.
    @Test func extensionsThatAreNoDER() throws {
        func more(_ oid: ASN1ObjectIdentifier, critical: Bool, _ value: [UInt8]) -> (inout Template) -> Void {
            { $0.more = [Certificate.Extension(oid: oid, critical: critical, value: value[...])] }
        }
        for value in [[], [0x30], Array("no DER".utf8), [0x30, 0x80, 0x00, 0x00]] as [[UInt8]] {
            #expect(try detail(signer: more([1, 3, 6, 1, 4, 1, 99999, 1], critical: false, value)) == nil)
            #expect(
                try detail(signer: more([1, 3, 6, 1, 4, 1, 99999, 1], critical: true, value)) == "critical-extension")
        }
        // An extension that is processed must be well-formed, critical or not.
        #expect(try detail(signer: more([2, 5, 29, 17], critical: false, [0x30])) == "encoding")
    }
}
