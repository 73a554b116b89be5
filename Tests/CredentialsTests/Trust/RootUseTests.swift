import Crypto
import Encoding
import Reasons
import SwiftASN1
import Testing
import X509

@testable import Credentials

/// The permitted uses of a pinned certificate, for every combination of its kind, its stated usages, and the entries of
/// the trust data.
@Suite struct RootUseTests {
    /// The purposes that the signer's extendedKeyUsage lists.
    enum Usage: CaseIterable {
        case none, documents, mdocs, mail, webServer

        var purposes: [ASN1ObjectIdentifier] {
            switch self {
            case .none: []
            case .documents: [[1, 3, 6, 1, 5, 5, 7, 3, 36]]
            case .mdocs: [TestPKI.documentSigner]
            case .mail: [[1, 3, 6, 1, 5, 5, 7, 3, 4]]
            case .webServer: [[1, 3, 6, 1, 5, 5, 7, 3, 1]]
            }
        }
    }

    /// The entry of the pinned certificate's own id.
    enum Own: CaseIterable {
        case absent, untyped, typed, typedOtherwise

        var types: [Text]? {
            switch self {
            case .absent, .untyped: nil
            case .typed: ["org.example.else", "org.iso.18013.5.1.mDL"]
            case .typedOtherwise: ["org.example.else"]
            }
        }
    }

    /// The issuer whose entry names the certificate in `roots`.
    enum Naming: CaseIterable { case none, issuer, another }

    private static let issuer: Text = "https://issuer.example/x"
    private static let another: Text = "https://another.example"

    /// Returns the expected uses, computed independently: (tokens and lists of the issuer, mdocs of the docType).
    private func expected(_ usage: Usage, isPinned: Bool, _ own: Own, _ naming: Naming) -> (token: Bool, mdoc: Bool) {
        let token = naming == .issuer && (usage == .none || usage == .documents)
        let isForMdocs = own == .untyped || own == .typed || (own == .absent && naming == .none)
        let isSigner = usage == .mdocs || (usage == .none && isPinned && own == .typed)
        return (token, isForMdocs && isSigner)
    }

    @Test("a pinned certificate signs only what the entries and its usages allow", arguments: Usage.allCases)
    func everyCombination(usage: Usage) throws {
        let forge = try TokenForge()
        let key = forge.key
        let mdocIssuer = try TestMdoc.Issuer(.init(key), algorithm: -7, { $0.purposes = usage.purposes }) {
            try Array(key.signature(for: $0).rawRepresentation)
        }
        let mdoc = try TestMdoc(mdocIssuer)
        let leaf = try mdocIssuer.signer.der
        let header: JSONObject = ["alg": "ES256", "typ": "dc+sd-jwt", "x5c": [.text(Base64.encode(leaf, .standard))]]
        var claims = forge.claims
        claims["iss"] = .string(Self.issuer)
        let token = try forge.sign(header, claims) + "~"
        for isPinned in [false, true] {
            let pinned = isPinned ? leaf : try mdocIssuer.root.der
            let id = TrustedIssuer.id(ofRoot: pinned)
            var roots = CertificateRoots()
            try roots.add(pem: TestPKI.pem(pinned))
            for own in Own.allCases {
                for naming in Naming.allCases {
                    var (issuer, another) = (TrustedIssuer(id: Self.issuer), TrustedIssuer(id: Self.another))
                    if naming == .issuer { issuer.roots = [id] }
                    if naming == .another { another.roots = [id] }
                    var material = TrustMaterial(issuers: [issuer, another], roots: [TestPKI.pem(pinned)])
                    if own != .absent {
                        var entry = TrustedIssuer(id: id)
                        entry.types = own.types
                        material.issuers.append(entry)
                    }
                    let wanted = expected(usage, isPinned: isPinned, own, naming)
                    let what: Comment = "\(usage), pinned: \(isPinned), \(own), named by \(naming)"
                    #expect(try forge.verify(token, material: material).isAccepted == wanted.token, what)
                    let list = TestPKI.refusal([leaf], roots, role: .statusListSigner, entry: issuer)
                    #expect((list == nil) == wanted.token, what)
                    let verdict = try mdoc.verify(material)
                    #expect(verdict.isAccepted == wanted.mdoc, what)
                    if own == .absent, naming != .none {
                        #expect(
                            verdict.reasons.first
                                == Reason(.chainUntrusted, .rootForTokens(root: id), at: "/issuerSigned/issuerAuth"),
                            what)
                    }
                    try expectListed(material, id, isPinned: isPinned, wanted, own, naming, what)
                }
            }
        }
    }

    /// Checks the output of `gatehouse trust list`. The command does not know the signers below a root, so only the
    /// usages of pinned signers count.
    private func expectListed(
        _ material: TrustMaterial, _ id: Text, isPinned: Bool, _ wanted: (token: Bool, mdoc: Bool), _ own: Own,
        _ naming: Naming, _ what: Comment
    ) throws {
        let store = try TrustStore(material)
        let use = store.use(of: try #require(store.listedRoots.first { $0.id == id }))
        if !isPinned {
            #expect(use.tokens == (naming == .issuer ? [Self.issuer] : naming == .another ? [Self.another] : []), what)
            let isForMdocs = own != .absent || naming == .none
            #expect(use.docTypes == (isForMdocs ? own.types : []), what)
            #expect(use.misnamed.isEmpty, what)
            return
        }
        #expect(use.tokens.contains(Self.issuer) == wanted.token, what)
        #expect(use.misnamed.contains(Self.issuer) == (naming == .issuer && !wanted.token), what)
        let admits = use.docTypes?.contains("org.iso.18013.5.1.mDL") ?? true
        #expect(admits == wanted.mdoc, what)
    }

    @Test("a pinned CA does not sign mdocs itself")
    func authoritiesSignCertificates() throws {
        let key = P256.Signing.PrivateKey()
        let issuer = try TestMdoc.Issuer(
            .init(key), algorithm: -7, { $0.constraints = .isCertificateAuthority(maxPathLength: nil) }
        ) { try Array(key.signature(for: $0).rawRepresentation) }
        var material = TrustMaterial(roots: [TestPKI.pem(try issuer.signer.der)])
        #expect(try TestMdoc(issuer).verify(material).reasons.first?.detail == .keyUsage)
        var entry = TrustedIssuer(id: TrustedIssuer.id(ofRoot: try issuer.signer.der))
        entry.types = ["org.iso.18013.5.1.mDL"]
        material.issuers = [entry]
        #expect(try TestMdoc(issuer).verify(material).reasons.first?.detail == .keyUsage)
    }
}
