import Crypto
import CryptoExtras
import Encoding
import SwiftASN1
import Testing
import X509

@testable import Credentials

/// Path validation (RFC 5280 section 6) of certificates that the tests make for each rule.
@Suite struct CertificatePathTests {
    private typealias Template = TestPKI.Template

    /// Returns the outcome for a signer below a CA below the pinned root. One of the three certificates is changed.
    private func outcome(
        root: (inout Template) throws -> Void = { _ in }, authority: (inout Template) throws -> Void = { _ in },
        signer: (inout Template) throws -> Void = { _ in }, role: TestPKI.Role = .tokenSigner,
        at clock: Timestamp = TestPKI.now, profile: Profile = .strict
    ) throws -> String {
        var (top, middle) = (try Template.authority("Root", pathLength: 1), try Template.authority("CA", pathLength: 0))
        var bottom = role == .tokenSigner ? try Template.signer() : try Template.documentSigner()
        try root(&top)
        try authority(&middle)
        try signer(&bottom)
        let anchor = try TestPKI.issue(top, by: nil)
        let issuer = try TestPKI.issue(middle, by: anchor)
        let leaf = try TestPKI.issue(bottom, by: issuer)
        return TestPKI.outcome(
            [try leaf.der, try issuer.der], try TestPKI.roots(anchor), role: role, at: clock, profile: profile)
    }

    /// A holder who presents a pinned certificate with the other form of its signature cannot influence the choice of
    /// the root.
    @Test func aPinnedCertificateInItsOtherForm() throws {
        let root = try TestPKI.root()
        let authority = try TestPKI.issue(Template.authority("CA"), by: root)
        let leaf = try TestPKI.issue(Template.signer(), by: authority)
        let roots = try TestPKI.roots(root, authority, leaf)
        func anchor(_ chain: [[UInt8]]) throws -> Text? {
            try CertificatePath.signer(
                of: chain, role: SignerRole.token(of: TestPKI.issuer(roots)), roots: roots, at: TestPKI.now,
                profile: .strict, limits: Limits()
            ).root
        }
        let id = CertificateRoots.id(ofDigest: Digest.sha256(try leaf.der))
        let other = try TestPKI.respelt(leaf.der)
        let issuer = try #require(X509Certificate(authority.der))
        let isSigned = try #require(X509Certificate(other)).isSigned(by: issuer)
        let isOther = try other != leaf.der
        #expect(isOther && isSigned)
        #expect(try anchor([leaf.der, authority.der]) == id && anchor([other, authority.der]) == id)
        let twice = try TestPKI.respelt(authority.der)
        let rest = try TestPKI.roots(root, authority)
        let middle = CertificateRoots.id(ofDigest: Digest.sha256(try authority.der))
        let signer = try CertificatePath.signer(
            of: [leaf.der, twice], role: SignerRole.token(of: TestPKI.issuer(rest)), roots: rest, at: TestPKI.now,
            profile: .strict, limits: Limits())
        #expect(signer.root == middle)
    }

    /// If two roots have the same name and key, for example after a renewal, the choice does not depend on the order of
    /// pinning.
    @Test func theRootThatIsMeant() throws {
        let old = try TestPKI.root()
        var template = try Template.authority("Root")
        (template.key, template.notAfter) = (old.key, "2035-01-01T00:00:00Z")
        let new = try TestPKI.issue(template, by: nil)
        let leaf = try TestPKI.issue(Template.documentSigner(), by: old)
        let ids = try [old, new].map { CertificateRoots.id(ofDigest: Digest.sha256(try $0.der)) }
        for chosen in ids {
            for pinned in [[old, new], [new, old]] {
                var roots = CertificateRoots()
                for member in pinned { try roots.add(pem: TestPKI.pem(member.der)) }
                var entries = ids.map { TrustedIssuer(id: $0) }
                for index in entries.indices {
                    entries[index].types = [entries[index].id == chosen ? "wanted" : "other"]
                }
                let trust = try TrustStore(TrustMaterial(issuers: entries))
                let signer = try CertificatePath.signer(
                    of: [leaf.der], role: SignerRole.document(trust, docType: "wanted"), roots: roots, at: TestPKI.now,
                    profile: .strict, limits: Limits())
                #expect(signer.root == chosen)
            }
        }
    }

    /// A signer that is pinned in addition to its root signs in its own name. If only the root has an entry for the
    /// signer, it signs in the root's name.
    @Test func theEntryThatIsMeant() throws {
        let root = try TestPKI.root()
        let leaf = try TestPKI.issue(Template.documentSigner(), by: root)
        let roots = try TestPKI.roots(root, leaf)
        let (rootID, leafID) = (TrustedIssuer.id(ofRoot: try root.der), TrustedIssuer.id(ofRoot: try leaf.der))
        func signer(_ entries: (id: Text, type: Text)...) throws -> Text? {
            let issuers = entries.map { entry in
                var issuer = TrustedIssuer(id: entry.id)
                issuer.types = [entry.type]
                return issuer
            }
            return try CertificatePath.signer(
                of: [leaf.der],
                role: SignerRole.document(TrustStore(TrustMaterial(issuers: issuers)), docType: "wanted"),
                roots: roots, at: TestPKI.now, profile: .strict, limits: Limits()
            ).root
        }
        #expect(try signer() == leafID)
        #expect(try signer((leafID, "wanted")) == leafID)
        #expect(try signer((rootID, "wanted")) == rootID)
        #expect(try signer((rootID, "other")) == rootID)
        #expect(try signer((rootID, "wanted"), (leafID, "wanted")) == leafID)
        #expect(try signer((rootID, "wanted"), (leafID, "other")) == rootID)
        #expect(try signer((rootID, "other"), (leafID, "wanted")) == leafID)
    }

    /// A CA that may issue certificates only for connections cannot issue a signer of credentials.
    @Test func anAuthorityForConnections() throws {
        #expect(try outcome(authority: { $0.purposes = [[1, 3, 6, 1, 5, 5, 7, 3, 1]] }) == "chain.invalid")
        #expect(
            try outcome(authority: { $0.purposes = [[1, 3, 6, 1, 5, 5, 7, 3, 1], TestPKI.documentSigner] }) == "ok")
    }

    @Test func goodChainsOfEveryLength() throws {
        let root = try TestPKI.root()
        var issuer = root
        var authorities: [[UInt8]] = []
        for depth in 0...4 {
            let leaf = try TestPKI.issue(Template.signer(), by: issuer)
            let chain = [try leaf.der] + authorities.reversed()
            #expect(TestPKI.outcome(chain, try TestPKI.roots(root)) == "ok", "\(depth) authorities")
            issuer = try TestPKI.issue(Template.authority("CA \(depth)"), by: issuer)
            authorities.append(try issuer.der)
        }
        let leaf = try TestPKI.issue(Template.signer(), by: issuer)
        #expect(TestPKI.outcome([try leaf.der] + authorities.reversed(), try TestPKI.roots(root)) == "input.too-large")
    }

    @Test func namesOfASigner() throws {
        let root = try TestPKI.root()
        var template = try Template.signer()
        template.names = [.uniformResourceIdentifier("did:web:a.example"), .dnsName("a.example")]
        let leaf = try TestPKI.issue(template, by: root)
        let roots = try TestPKI.roots(root)
        let signer = try CertificatePath.signer(
            of: [leaf.der], role: SignerRole.token(of: TestPKI.issuer(roots)), roots: roots, at: TestPKI.now,
            profile: .strict,
            limits: Limits())
        #expect(signer.country == "UT")
        #expect(signer.names.uris == ["did:web:a.example"])
        #expect(signer.names.dnsNames == ["a.example"])
        #expect(signer.notBefore.rfc3339 == "2025-01-01T00:00:00.000Z")
        #expect(signer.notAfter.rfc3339 == "2030-01-01T00:00:00.000Z")
        #expect(signer.root == TrustedIssuer.id(ofRoot: try root.der))
        let unrooted = try CertificatePath.leaf(of: [leaf.der], limits: Limits())
        #expect(unrooted.root == nil)
        #expect(unrooted.names.dnsNames == ["a.example"])
    }

    /// A host name counts only if no URI in the certificate names another issuer at that host.
    @Test func hostNamesOfOtherIssuers() throws {
        let root = try TestPKI.root()
        let roots = try TestPKI.roots(root)
        let dns = GeneralName.dnsName("Univ.example")
        func isOthers(_ names: [GeneralName], _ id: Text) throws -> Bool {
            var template = try Template.signer()
            template.names = names
            let leaf = try TestPKI.issue(template, by: root)
            let signer = try CertificatePath.signer(
                of: [leaf.der], role: SignerRole.token(of: TestPKI.issuer(roots)), roots: roots, at: TestPKI.now,
                profile: .strict, limits: Limits())
            return signer.names.bearing(on: id) == .others
        }
        func uri(_ text: String) -> GeneralName { .uniformResourceIdentifier(text) }
        for (host, a, b) in [
            ("https://univ.example/", "https://univ.example/a", "https://univ.example/b"),
            ("https://univ.example", "https://univ.example:8443/a", "https://univ.example/a"),
            ("did:web:univ.example", "did:web:univ.example:a", "did:web:univ.example:b"),
            ("did:web:univ.example%3A8443", "did:web:univ.example%3A8443:a", "https://univ.example/a"),
        ] {
            #expect(try !isOthers([uri(a)], Text(a)) && !isOthers([uri(a), dns], Text(a)))
            #expect(try isOthers([uri(a)], Text(b)) && isOthers([dns, uri(a)], Text(b)), "\(a) as \(b)")
            #expect(try !isOthers([dns], Text(b)) && !isOthers([uri(host), dns], Text(b)))
            #expect(try !isOthers([uri("https://other.example/a"), dns], Text(b)))
        }
    }

    /// A withdrawn key vouches for no certificate, at any place in the path: a compromised key for none at all, a
    /// retired key for none that it issued after the withdrawal.
    @Test func withdrawnAuthorities() throws {
        var (middle, bottom) = (try Template.authority("CA"), try Template.signer())
        (middle.notBefore, bottom.notBefore) = ("2025-03-01T00:00:00Z", "2025-06-01T00:00:00Z")
        let root = try TestPKI.root()
        let authority = try TestPKI.issue(middle, by: root)
        let leaf = try TestPKI.issue(bottom, by: authority)
        let roots = try TestPKI.roots(root)
        let signer = try CertificatePath.signer(
            of: [leaf.der, authority.der], role: SignerRole.token(of: TestPKI.issuer(roots)), roots: roots,
            at: TestPKI.now, profile: .strict, limits: Limits())
        #expect(signer.path.count == 3)
        let signed = try #require(Timestamp(rfc3339: "2026-01-01T00:00:00Z"))
        func isAllowed(_ member: TestPKI.Member, _ reason: RevokedKey.Reason, since: String) throws -> Bool {
            let key = try CertificatePath.leaf(of: [member.der], limits: Limits()).key
            let entry = RevokedKey(
                .fingerprint(try #require(KeyFingerprint(key))), since: try #require(Timestamp(rfc3339: since)),
                reason: reason)
            return KeyRevocations([entry], documents: [:]).allow(signer, issuedAt: [signed])
        }
        for member in [leaf, authority, root] {
            #expect(try !isAllowed(member, .compromised, since: "2029-01-01T00:00:00Z"))
        }
        #expect(try isAllowed(TestPKI.root("Other"), .compromised, since: "2020-01-01T00:00:00Z"))
        for (member, issued) in [(leaf, "2026-01-01"), (authority, "2025-06-01"), (root, "2025-03-01")] {
            #expect(try isAllowed(member, .retired, since: issued + "T00:00:01Z"))
            #expect(try !isAllowed(member, .retired, since: issued + "T00:00:00Z"))
        }
    }

    /// A key that no proof can use, such as a P-521 key, is identified by the fingerprint of the key in its
    /// certificate.
    @Test func withdrawnAuthorityOnP521() throws {
        let root = try TestPKI.root { $0.key = .init(P521.Signing.PrivateKey()) }
        let leaf = try TestPKI.issue(Template.signer(), by: root)
        let roots = try TestPKI.roots(root)
        let signer = try CertificatePath.signer(
            of: [leaf.der], role: SignerRole.token(of: TestPKI.issuer(roots)), roots: roots, at: TestPKI.now,
            profile: .strict, limits: Limits())
        var serializer = DER.Serializer()
        try serializer.serialize(root.key.publicKey)
        let key = KeyFingerprint(subjectPublicKeyInfo: serializer.serializedBytes)
        let stolen = RevokedKey(.fingerprint(key), since: TestPKI.now)
        #expect(!KeyRevocations([stolen], documents: [:]).allow(signer, issuedAt: [TestPKI.now]))
    }

    @Test func strangers() throws {
        let (root, other) = (try TestPKI.root(), try TestPKI.root())
        let leaf = try TestPKI.issue(Template.signer(), by: other)
        let selfSigned = try TestPKI.issue(Template.signer(), by: nil)
        #expect(TestPKI.outcome([try leaf.der], try TestPKI.roots(root)) == "chain.untrusted")
        #expect(TestPKI.outcome([try leaf.der, try other.der], try TestPKI.roots(root)) == "chain.untrusted")
        #expect(TestPKI.outcome([try selfSigned.der], try TestPKI.roots(root)) == "chain.untrusted")
        #expect(TestPKI.outcome([try leaf.der], CertificateRoots()) == "chain.untrusted")
        #expect(TestPKI.outcome([], try TestPKI.roots(root)) == "key.unknown")
        // A chain without a pinned certificate is not examined, however wrong it is.
        let unknown = try TestPKI.root("Nobody")
        let below = try TestPKI.issue(Template.signer(), by: TestPKI.root("Nobody"))
        #expect(TestPKI.outcome([try below.der, try unknown.der], try TestPKI.roots(root)) == "chain.untrusted")
    }

    /// A forger copies every name and key identifier of the pinned root.
    @Test(arguments: [true, false]) func imitatedRoots(withKeyIdentifiers: Bool) throws {
        let root = try TestPKI.root { $0.keyIdentifiers = withKeyIdentifiers }
        let copied = SubjectKeyIdentifier(hash: root.key.publicKey)
        var imitation = try Template.authority("Root")
        imitation.keyIdentifiers = false
        if withKeyIdentifiers {
            let named = AuthorityKeyIdentifier(keyIdentifier: copied.keyIdentifier)
            imitation.more = [
                try Certificate.Extension(copied, critical: false), try Certificate.Extension(named, critical: false),
            ]
        }
        let forged = try TestPKI.issue(imitation, by: nil)
        var template = try Template.signer()
        template.keyIdentifiers = withKeyIdentifiers
        template.authorityKeyID = copied
        let leaf = try TestPKI.issue(template, by: forged)
        #expect(TestPKI.outcome([try leaf.der, try forged.der], try TestPKI.roots(root)) == "chain.untrusted")
        // The leaf claims the root's key but lacks its signature. Only key identifiers reveal the difference.
        let wanted = withKeyIdentifiers ? "chain.invalid" : "chain.untrusted"
        #expect(TestPKI.outcome([try leaf.der], try TestPKI.roots(root)) == wanted)
        // If both roots of that name are pinned, each leaf finds its own root.
        #expect(TestPKI.outcome([try leaf.der], try TestPKI.roots(root, forged)) == "ok")
    }

    @Test func brokenChains() throws {
        let root = try TestPKI.root()
        let authority = try TestPKI.issue(Template.authority("CA"), by: root)
        let leaf = try TestPKI.issue(Template.signer(), by: authority)
        let roots = try TestPKI.roots(root)
        func outcome(_ chain: TestPKI.Member...) throws -> String {
            TestPKI.outcome(try chain.map { try $0.der }, roots)
        }
        #expect(try outcome(leaf, authority, root) == "ok")
        #expect(try outcome(leaf) == "chain.untrusted")
        #expect(try outcome(leaf, root) == "chain.invalid")
        #expect(try outcome(leaf, leaf, authority) == "chain.invalid")
        #expect(try outcome(authority, leaf) == "chain.invalid", "the authority may not sign tokens")
        #expect(try outcome(root) == "chain.invalid", "a root may not sign tokens")
        // Another CA with the same name and another key.
        let twin = try TestPKI.issue(Template.authority("CA"), by: root)
        #expect(try outcome(leaf, twin) == "chain.invalid")
        #expect(TestPKI.outcome([try leaf.der, [0x30, 0x03, 0x02, 0x01, 0x00]], roots) == "chain.invalid")
        #expect(TestPKI.outcome([try leaf.der + [0], try authority.der], roots) == "chain.invalid")
        #expect(TestPKI.outcome([[UInt8](repeating: 0x30, count: 20_000)], roots) == "input.too-large")
        #expect(TestPKI.outcome([[]], roots) == "chain.invalid")
    }

    @Test func certificatesAfterThePinnedOneAreIgnored() throws {
        let root = try TestPKI.root()
        let leaf = try TestPKI.issue(Template.signer(), by: root)
        let other = try TestPKI.root("Unrelated")
        #expect(TestPKI.outcome([try leaf.der, try other.der], try TestPKI.roots(root)) == "ok")
    }

    @Test func authorities() throws {
        #expect(try outcome() == "ok")
        #expect(try outcome(authority: { $0.constraints = .notCertificateAuthority }) == "chain.invalid")
        #expect(try outcome(authority: { $0.constraints = nil }) == "chain.invalid")
        #expect(try outcome(authority: { $0.usage = KeyUsage(digitalSignature: true) }) == "chain.invalid")
        #expect(try outcome(authority: { $0.usage = nil }) == "ok")
        #expect(try outcome(root: { $0.constraints = .isCertificateAuthority(maxPathLength: 0) }) == "chain.invalid")
        #expect(try outcome(root: { $0.constraints = .notCertificateAuthority }) == "chain.invalid")
        #expect(try outcome(root: { $0.usage = KeyUsage(digitalSignature: true) }) == "chain.invalid")
        #expect(
            try outcome(authority: { $0.usage = KeyUsage(digitalSignature: true) }, profile: .compat) == "chain.invalid"
        )
    }

    /// A CA with a new key certifies itself again. The self-issued certificate does not count (RFC 5280 section 6.1.4
    /// (l)).
    @Test func selfIssuedAuthoritiesDoNotLengthenThePath() throws {
        let root = try TestPKI.issue(Template.authority("Root", pathLength: 0), by: nil)
        let renewed = try TestPKI.issue(Template.authority("Root", pathLength: 0), by: root)
        let leaf = try TestPKI.issue(Template.signer(), by: renewed)
        #expect(TestPKI.outcome([try leaf.der, try renewed.der], try TestPKI.roots(root)) == "ok")
        let below = try TestPKI.issue(Template.authority("CA"), by: renewed)
        let lower = try TestPKI.issue(Template.signer(), by: below)
        #expect(
            TestPKI.outcome([try lower.der, try below.der, try renewed.der], try TestPKI.roots(root)) == "chain.invalid"
        )
    }

    @Test func dates() throws {
        func at(_ text: String) throws -> String { try outcome(at: #require(Timestamp(rfc3339: text))) }
        #expect(try at("2025-01-01T00:00:00Z") == "ok")
        #expect(try at("2024-12-31T23:59:30Z") == "ok", "within the skew")
        #expect(try at("2024-12-31T23:58:30Z") == "chain.expired")
        #expect(try at("2030-01-01T00:00:59Z") == "ok")
        #expect(try at("2030-01-01T00:01:01Z") == "chain.expired")
        #expect(try outcome(authority: { $0.notAfter = "2026-01-01T00:00:00Z" }) == "chain.expired")
        #expect(try outcome(root: { $0.notAfter = "2026-01-01T00:00:00Z" }) == "chain.expired")
        #expect(try outcome(signer: { $0.notBefore = "2027-01-01T00:00:00Z" }) == "chain.expired")
        // 2050 and later are written as GeneralizedTime.
        #expect(try outcome(signer: { $0.notAfter = "9999-12-31T23:59:59Z" }) == "ok")
        #expect(try outcome(signer: { $0.notBefore = "2051-01-01T00:00:00Z" }) == "chain.expired")
    }

    @Test func useOfTheKey() throws {
        for usage in [KeyUsage(keyEncipherment: true), KeyUsage(nonRepudiation: true)] {
            #expect(try outcome(signer: { $0.usage = usage }) == "chain.invalid")
            #expect(try outcome(signer: { $0.usage = usage }, profile: .compat) == "ok")
            #expect(
                try outcome(signer: { $0.usage = usage }, role: .documentSigner, profile: .compat) == "chain.invalid")
        }
        #expect(try outcome(signer: { $0.usage = nil }) == "ok")
        #expect(try outcome(signer: { $0.constraints = .isCertificateAuthority(maxPathLength: 0) }) == "ok")
        #expect(try outcome(role: .documentSigner) == "ok")
        #expect(try outcome(signer: { $0.usage = nil }, role: .documentSigner) == "chain.invalid")
        #expect(try outcome(signer: { $0.purposes = [] }, role: .documentSigner) == "chain.invalid")
        #expect(try outcome(signer: { $0.purposes = [[2, 5, 29, 37, 0]] }, role: .documentSigner) == "chain.invalid")
        #expect(
            try outcome(signer: { $0.purposes = [[1, 0, 18013, 5, 1, 6]] }, role: .documentSigner) == "chain.invalid",
            "a reader's purpose")
        let two: [ASN1ObjectIdentifier] = [[1, 3, 6, 1, 5, 5, 7, 3, 1], TestPKI.documentSigner]
        #expect(try outcome(signer: { $0.purposes = two }, role: .documentSigner) == "ok")
        #expect(
            try outcome(
                signer: { $0.constraints = .isCertificateAuthority(maxPathLength: 0) }, role: .documentSigner)
                == "chain.invalid")
        #expect(try outcome(signer: { $0.constraints = nil }, role: .documentSigner) == "ok")
    }

    @Test func pinnedSigners() throws {
        var template = try Template.signer()
        let signer = try TestPKI.issue(template, by: nil)
        let roots = try TestPKI.roots(signer)
        #expect(TestPKI.outcome([try signer.der], roots) == "ok")
        // A pinned signer signs only for its listed usages, and mdocs are not among them.
        #expect(TestPKI.outcome([try signer.der], roots, role: .documentSigner) == "chain.invalid")
        let documentSigner = try TestPKI.issue(Template.documentSigner(), by: nil)
        let pinned = try TestPKI.roots(documentSigner)
        #expect(TestPKI.outcome([try documentSigner.der], pinned, role: .documentSigner) == "ok")
        #expect(TestPKI.outcome([try signer.der, try TestPKI.root().der], roots) == "ok")
        let late = Timestamp(seconds: TestPKI.now.seconds + 200_000_000)
        #expect(TestPKI.outcome([try signer.der], roots, at: late) == "chain.expired")
        // Another certificate with the same name and key is not the pinned certificate.
        template.key = signer.key
        let again = try TestPKI.issue(template, by: nil)
        #expect(TestPKI.outcome([try again.der], roots) == "chain.invalid", "issued by the pinned one, which is no CA")
        // A pinned signer is no CA, so certificates that it issues are not accepted.
        let below = try TestPKI.issue(Template.signer("Below"), by: signer)
        #expect(TestPKI.outcome([try below.der, try signer.der], roots) == "chain.invalid")
        // A pinned CA may sign credentials itself if its usage says so.
        let authority = try TestPKI.root { $0.usage = KeyUsage(digitalSignature: true, keyCertSign: true) }
        #expect(TestPKI.outcome([try authority.der], try TestPKI.roots(authority)) == "ok")
    }

    @Test func criticalExtensions() throws {
        let unknown = Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 99999, 1], critical: true, value: [0x05, 0x00])
        let harmless = Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 99999, 1], critical: false, value: [0x05, 0x00])
        #expect(try outcome(signer: { $0.more = [unknown] }) == "chain.invalid")
        #expect(try outcome(authority: { $0.more = [unknown] }) == "chain.invalid")
        #expect(try outcome(root: { $0.more = [unknown] }) == "chain.invalid")
        #expect(try outcome(signer: { $0.more = [harmless] }) == "ok")
        // policyConstraints (requireExplicitPolicy 0) must be critical and are not processed here.
        let policies = Certificate.Extension(
            oid: [2, 5, 29, 36], critical: true, value: [0x30, 0x03, 0x80, 0x01, 0x00])
        #expect(try outcome(authority: { $0.more = [policies] }) == "chain.invalid")
        let usage = try Certificate.Extension(KeyUsage(digitalSignature: true), critical: true)
        #expect(throws: (any Error).self) { try outcome(signer: { $0.more = [usage] }) }
    }

    @Test func nameConstraints() throws {
        func outcome(
            permitted: [GeneralName] = [], excluded: [GeneralName] = [], names: [GeneralName],
            subject: X509.DistinguishedName? = nil
        ) throws -> String {
            try self.outcome(
                authority: {
                    $0.nameConstraints = X509.NameConstraints(permittedSubtrees: permitted, excludedSubtrees: excluded)
                },
                signer: {
                    $0.names = names
                    if let subject { $0.name = subject }
                })
        }
        let base = GeneralName.dnsName("example.com")
        #expect(try outcome(permitted: [base], names: [.dnsName("a.EXAMPLE.com"), .dnsName("example.com")]) == "ok")
        #expect(try outcome(permitted: [base], names: [.dnsName("badexample.com")]) == "chain.invalid")
        #expect(try outcome(permitted: [base], names: [.dnsName("example.com"), .dnsName("b.org")]) == "chain.invalid")
        #expect(try outcome(permitted: [base], names: [.uniformResourceIdentifier("https://b.org/")]) == "ok")
        #expect(try outcome(permitted: [base], names: []) == "ok")
        #expect(try outcome(excluded: [base], names: [.dnsName("x.example.com")]) == "chain.invalid")
        #expect(try outcome(excluded: [base], names: [.dnsName("b.org")]) == "ok")
        #expect(try outcome(permitted: [.dnsName("")], excluded: [base], names: [.dnsName("b.org")]) == "ok")
        let host = GeneralName.uniformResourceIdentifier("host.example.com")
        let domain = GeneralName.uniformResourceIdentifier(".example.com")
        let uris = [
            ("https://host.example.com:8443/x?y", "ok", "ok"), ("https://HOST.example.com", "ok", "ok"),
            ("https://a.host.example.com/", "chain.invalid", "ok"),
            ("did:web:host.example.com", "chain.invalid", "chain.invalid"),
            ("https://host.example.com@evil.org/", "chain.invalid", "chain.invalid"),
            ("https://10.0.0.1/", "chain.invalid", "chain.invalid"),
            ("https://example.com/", "chain.invalid", "chain.invalid"),
        ]
        for (uri, underHost, underDomain) in uris {
            let names = [GeneralName.uniformResourceIdentifier(uri)]
            #expect(try outcome(permitted: [host], names: names) == underHost, "\(uri)")
            #expect(try outcome(permitted: [domain], names: names) == underDomain, "\(uri)")
        }
        #expect(
            try outcome(excluded: [host], names: [.uniformResourceIdentifier("did:web:x")]) == "chain.invalid",
            "no host to compare")
        let works = try X509.DistinguishedName {
            CountryName("UT")
            OrganizationName("Works")
        }
        #expect(try outcome(permitted: [.directoryName(works)], names: []) == "ok")
        let foreign = try TestPKI.name("Signer", country: "XX")
        #expect(try outcome(permitted: [.directoryName(works)], names: [], subject: foreign) == "chain.invalid")
        #expect(try outcome(excluded: [.directoryName(works)], names: [], subject: foreign) == "chain.invalid")
        // Name types that are not compared are refused if both sides have them.
        #expect(try outcome(permitted: [.rfc822Name("a.example")], names: []) == "ok")
        #expect(
            try outcome(permitted: [.rfc822Name("a.example")], names: [.rfc822Name("x@a.example")]) == "chain.invalid")
    }

    @Test func algorithmsOfCertificates() throws {
        let keys: [(String, Certificate.PrivateKey)] = [
            ("P-256", .init(P256.Signing.PrivateKey())), ("P-384", .init(P384.Signing.PrivateKey())),
            ("P-521", .init(P521.Signing.PrivateKey())), ("Ed25519", .init(Curve25519.Signing.PrivateKey())),
            ("RSA", .init(try _RSA.Signing.PrivateKey(keySize: .bits2048))),
        ]
        for (name, key) in keys {
            #expect(try outcome(root: { $0.key = key }, authority: { $0.key = key }) == "ok", "\(name)")
            // P-521 may sign certificates, but no proof suite here uses it.
            let wanted = name == "P-521" ? "key.malformed" : "ok"
            #expect(try outcome(signer: { $0.key = key }) == wanted, "\(name)")
        }
        let rsa = keys[4].1
        for algorithm in [Certificate.SignatureAlgorithm.sha384WithRSAEncryption, .sha512WithRSAEncryption] {
            #expect(try outcome(authority: { $0.key = rsa }, signer: { $0.algorithm = algorithm }) == "ok")
        }
        #expect(
            try outcome(authority: { $0.key = rsa }, signer: { $0.algorithm = .sha1WithRSAEncryption })
                == "chain.invalid")
        #expect(try outcome(signer: { $0.algorithm = .ecdsaWithSHA512 }) == "ok")
    }

    @Test func weakKeys() throws {
        let weak = Certificate.PrivateKey(try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1024)))
        #expect(try outcome(signer: { $0.key = weak }) == "key.weak")
        #expect(try outcome(authority: { $0.key = weak }) == "key.weak")
        #expect(try outcome(root: { $0.key = weak }) == "key.weak")
    }

    /// A signer's certificate with any changed bit is refused, and nothing traps.
    @Test func everyFlippedByteIsRefused() throws {
        let root = try TestPKI.root()
        let leaf = try TestPKI.issue(Template.signer(), by: root).der
        let roots = try TestPKI.roots(root)
        var codes: Set<String> = []
        for index in leaf.indices {
            for bit: UInt8 in [0x01, 0x80] {
                var changed = leaf
                changed[index] ^= bit
                codes.insert(TestPKI.outcome([changed], roots))
            }
            codes.insert(TestPKI.outcome([Array(leaf.prefix(index))], roots))
        }
        #expect(!codes.contains("ok"))
        #expect(codes.isSubset(of: ["chain.invalid", "chain.untrusted", "key.malformed"]), "\(codes)")
    }
}
