import Crypto
import Encoding
import Reasons
import Testing

@testable import Credentials

/// The permissions in an issuer's entry, in addition to the trust in the issuer.
@Suite struct TrustRuleTests {
    private let issuer: TestIssuer
    private let credential: JSON
    private static let status: Text = "https://www.w3.org/ns/credentials/status"
    private static let credentialType: Text = "https://www.w3.org/2018/credentials#VerifiableCredential"

    init() throws {
        issuer = try TestIssuer(seed: 7)
        credential = try issuer.sign(issuer.template)
    }

    private func verify(
        _ document: JSON? = nil, at date: String = "2026-09-21T00:00:00Z", _ change: (inout TrustMaterial) -> Void
    ) throws -> Verdict {
        var material = issuer.material
        change(&material)
        let clock = WallTime(utc: try #require(Timestamp(rfc3339: date)), provenance: .given)
        return try Verifier(trust: TrustStore(material)).verify((document ?? credential).compactBytes, at: clock)
    }

    private func code(
        _ document: JSON? = nil, at date: String = "2026-09-21T00:00:00Z", _ change: (inout TrustMaterial) -> Void
    ) throws -> ReasonCode { try verify(document, at: date, change).reasons[0].code }

    /// A past end still counts as the first end, so that a monitor does not fall silent on that day.
    @Test func theFirstEndIsAlsoOneThatIsPast() throws {
        let (past, future) = (Timestamp(seconds: 1_000_000_000), Timestamp(seconds: 4_000_000_000))
        var material = TrustMaterial()
        #expect(try TrustStore(material).firstEnd == nil)
        var (ended, other) = (TrustedIssuer(id: "did:web:a.example"), TrustedIssuer(id: "did:web:b.example"))
        other.notAfter = future
        material.issuers = [ended, other]
        #expect(try TrustStore(material).firstEnd == future)
        ended.notAfter = past
        material.issuers = [ended, other]
        #expect(try TrustStore(material).firstEnd == past)
    }

    @Test func withoutRulesTheEntryIsEnough() throws {
        #expect(try code { _ in } == .ok)
    }

    // MARK: - Types and contexts

    @Test func onlyListedTypesMayBeIssued() throws {
        #expect(try code { $0.issuers[0].types = [Self.credentialType] } == .ok)
        #expect(try code { $0.issuers[0].types = [] } == .issuerNotForType)
        #expect(try code { $0.issuers[0].types = ["VerifiableCredential"] } == .issuerNotForType)

        var document = issuer.template
        document["@context"] = .array(
            (document["@context"]?.array ?? []) + [["Pass": "https://a.example/Pass", "Key": "https://a.example/Key"]])
        document["type"] = ["VerifiableCredential", "Pass"]
        let pass = try issuer.sign(document)
        document["type"] = ["VerifiableCredential", "Pass", "Key"]
        let both = try issuer.sign(document)
        func allowing(_ types: [Text], _ document: JSON) throws -> ReasonCode {
            try code(document) {
                $0.issuers[0].inlineContexts = true
                $0.issuers[0].types = types
            }
        }
        #expect(try allowing(["https://a.example/Pass"], pass) == .ok)
        #expect(try allowing(["Pass"], pass) == .issuerNotForType)  // the context gives a name its meaning
        #expect(try allowing([Self.credentialType], pass) == .issuerNotForType)
        #expect(try allowing(["https://a.example/Pass"], both) == .issuerNotForType)  // every type must be listed
        #expect(try allowing(["https://a.example/Pass", "https://a.example/Key"], both) == .ok)
    }

    @Test func onlyListedContextsMayBeUsed() throws {
        let all = Array(issuer.material.contexts.keys)
        #expect(try code { $0.issuers[0].contexts = all } == .ok)
        let verdict = try verify { $0.issuers[0].contexts = ["https://www.w3.org/ns/credentials/v2"] }
        #expect(verdict.reasons[0].code == .contextNotPinned && verdict.reasons[0].pointer == "/@context/1")
        #expect(try code { $0.issuers[0].contexts = [] } == .contextNotPinned)
    }

    @Test func itsStatusListsAreNotItsCredentials() throws {
        let url: Text = "https://status.example/1"
        var document = issuer.template
        document["credentialStatus"] = [
            "type": "BitstringStatusListEntry", "statusPurpose": "revocation", "statusListIndex": "5",
            "statusListCredential": .string(url),
        ]
        let list = try issuer.statusList(url: url)
        #expect(
            try code(try issuer.sign(document)) {
                $0.statusLists[url] = list
                $0.issuers[0].types = [Self.credentialType]
            } == .ok)
    }

    // MARK: - Dates

    @Test func anEntryHoldsBetweenItsDates() throws {
        func entry(_ from: String?, _ until: String?) throws -> ReasonCode {
            try code {
                $0.issuers[0].notBefore = from.flatMap { Timestamp(rfc3339: $0) }
                $0.issuers[0].notAfter = until.flatMap { Timestamp(rfc3339: $0) }
            }
        }
        #expect(try entry("2026-09-21T00:00:00Z", nil) == .ok)
        #expect(try entry("2026-09-21T00:00:01Z", nil) == .issuerUntrusted)
        #expect(try entry(nil, "2026-09-21T00:00:01Z") == .ok)
        #expect(try entry(nil, "2026-09-21T00:00:00Z") == .issuerUntrusted)
    }

    @Test func anEditionIsUsedUntilItsGraceIsOver() throws {
        func edition(_ grace: Duration, at date: String) throws -> Verdict {
            try verify(at: date) {
                $0.edition = TrustEdition(
                    version: 42, digest: [UInt8](repeating: 0xAB, count: 32), issued: Timestamp(seconds: 0),
                    validUntil: Timestamp(rfc3339: "2026-09-21T00:00:00Z") ?? .init(seconds: 0), grace: grace)
            }
        }
        let fresh = try edition(.zero, at: "2026-09-20T23:59:59Z")
        #expect(fresh.isAccepted && fresh.reasons.count == 1)
        #expect(fresh.trust == "bundle 42 sha256:abababababababab")
        let overdue = try edition(.seconds(60), at: "2026-09-21T00:00:59Z")
        #expect(overdue.isAccepted && overdue.reasons.map(\.code) == [.ok, .trustStale])
        #expect(overdue.reasons.last?.severity == .warning)
        for (grace, date) in [(Duration.zero, "2026-09-21T00:00:00Z"), (.seconds(60), "2026-09-21T00:01:00Z")] {
            let stale = try edition(grace, at: date)
            #expect(!stale.isAccepted && stale.reasons.map(\.code) == [.trustStale])
        }
    }

    @Test func documentsGrowOld() throws {
        let id: Text = "did:web:issuer.example"
        let method: Text = "did:web:issuer.example#1"
        let value = Multibase.encodeBase58([0xED, 0x01] + issuer.key.publicKey.rawRepresentation)
        let document: JSON = [
            "id": .string(id), "assertionMethod": [.string(method)],
            "verificationMethod": [
                [
                    "id": .string(method), "type": "Multikey", "controller": .string(id),
                    "publicKeyMultibase": .text(value),
                ]
            ],
        ]
        var template = issuer.template
        template["issuer"] = .string(id)
        let signed = try issuer.sign(template) { $0["verificationMethod"] = .string(method) }
        func aged(_ fetched: String?, _ maxAge: Duration?, pin: [UInt8]? = nil) throws -> ReasonCode {
            try code(signed) {
                var entry = TrustedIssuer(id: id)
                entry.documentMaxAge = maxAge
                entry.pinnedDocuments[id] = pin
                $0.issuers = [entry]
                $0.documents = [document.compactBytes]
                $0.fetched[id] = fetched.flatMap { Timestamp(rfc3339: $0) }
            }
        }
        #expect(try aged(nil, nil) == .ok)
        #expect(try aged("2026-09-20T00:00:00Z", .seconds(86_400)) == .ok)
        #expect(try aged("2026-09-19T23:59:59Z", .seconds(86_400)) == .trustStale)
        #expect(try aged(nil, .seconds(86_400)) == .trustStale)  // the age is unknown
        #expect(try aged(nil, nil, pin: Digest.sha256(document.compactBytes)) == .ok)
        #expect(throws: TrustStore.Failure.pinned(id)) {
            try aged(nil, nil, pin: [UInt8](repeating: 0, count: 32))
        }
    }

    @Test func aSelfContainedKeyDoesNotGrowOld() throws {
        #expect(try code { $0.issuers[0].documentMaxAge = .seconds(1) } == .ok)
    }

    // MARK: - Keys

    private func fingerprint(_ key: PublicKey? = nil) throws -> KeyFingerprint {
        try #require(KeyFingerprint(key ?? .ed25519(Array(issuer.key.publicKey.rawRepresentation))))
    }

    @Test func onlyListedKeysMaySign() throws {
        let (own, other) = (try fingerprint(), try fingerprint(.ed25519([UInt8](repeating: 9, count: 32))))
        #expect(try code { $0.issuers[0].keys = [other, own] } == .ok)
        #expect(try code { $0.issuers[0].keys = [other] } == .keyNotAuthorised)
        #expect(try code { $0.issuers[0].keys = [] } == .keyNotAuthorised)
    }

    @Test func aCompromisedKeySignsNothingWhateverItsDates() throws {
        for since in ["2020-01-01T00:00:00Z", "2026-06-01T00:00:00Z", "2030-01-01T00:00:00Z"] {
            let date = try #require(Timestamp(rfc3339: since))
            for key in [RevokedKey.Key.method(issuer.method), .fingerprint(try fingerprint())] {
                #expect(try code { $0.revokedKeys = [RevokedKey(key, since: date)] } == .keyRevoked)
            }
        }
    }

    @Test func aRetiredKeyKeepsWhatItSignedBefore() throws {
        func retired(_ since: String, _ document: JSON? = nil) throws -> ReasonCode {
            let date = try #require(Timestamp(rfc3339: since))
            return try code(document) {
                $0.revokedKeys = [RevokedKey(.method(issuer.method), since: date, reason: .retired)]
            }
        }
        #expect(try retired("2026-01-01T00:00:01Z") == .ok)
        #expect(try retired("2026-01-01T00:00:00Z") == .keyRevoked)
        // Both dates must be earlier: that of the credential and that of the proof.
        let late = try issuer.sign(issuer.template) { $0["created"] = "2026-06-01T00:00:00Z" }
        #expect(try retired("2026-03-01T00:00:00Z", late) == .keyRevoked)
        var dateless = issuer.template
        dateless["validFrom"] = nil
        let silent = try issuer.sign(dateless) { $0["created"] = nil }
        #expect(try retired("2030-01-01T00:00:00Z", silent) == .keyRevoked)
        #expect(try code(silent) { _ in } == .ok)
    }

    @Test func aKeyIsWithdrawnUnderEveryName() throws {
        // The document names the key #1; the credential is signed by the did:key of the same key.
        let document: JSON = [
            "id": "did:web:a.example",
            "verificationMethod": [
                [
                    "id": "did:web:a.example#1", "type": "Multikey", "controller": "did:web:a.example",
                    "publicKeyMultibase": .text(String(issuer.id.string.dropFirst("did:key:".count))),
                ]
            ],
        ]
        #expect(
            try code {
                $0.documents = [document.compactBytes]
                $0.revokedKeys = [RevokedKey(.method("did:web:a.example#1"), since: Timestamp(seconds: 0))]
            } == .keyRevoked)
        #expect(
            try code {
                $0.revokedKeys = [RevokedKey(.method("did:web:a.example#1"), since: Timestamp(seconds: 0))]
            } == .ok)  // no document shows which key that was
    }

    @Test func fingerprintsAreThoseOfOpenSSL() throws {
        // The output of `openssl pkey -pubin -outform DER | sha256sum` for the same points in both forms.
        let p256 = try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 1, count: 32)).publicKey
        let compressed = PublicKey.ellipticCurve(.p256, point: Array(p256.compressedRepresentation))
        let full = PublicKey.ellipticCurve(.p256, point: Array(p256.x963Representation))
        #expect(try fingerprint(compressed) == fingerprint(full))
        #expect(try fingerprint(full) == KeyFingerprint(subjectPublicKeyInfo: Array(p256.derRepresentation)))
        let p384 = try P384.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 1, count: 48)).publicKey
        #expect(
            try fingerprint(.ellipticCurve(.p384, point: Array(p384.compressedRepresentation)))
                == KeyFingerprint(subjectPublicKeyInfo: Array(p384.derRepresentation)))
        // The generator of secp256k1 (SEC 2 section 2.4.1).
        let g = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
        let y = "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
        let short = try #require(Hex.decode("02" + g))
        let long = try #require(Hex.decode("04" + g + y))
        let info = try #require(Hex.decode("3056301006072a8648ce3d020106052b8104000a034200")) + long
        for point in [short, long] {
            #expect(
                try fingerprint(.ellipticCurve(.secp256k1, point: point)) == KeyFingerprint(subjectPublicKeyInfo: info))
        }
        #expect(KeyFingerprint(.ellipticCurve(.p256, point: [2] + [UInt8](repeating: 0xFF, count: 32))) == nil)
        let text = Text(try fingerprint().text)
        #expect(try KeyFingerprint(text) == fingerprint())
        for wrong in ["", "sha256:", "sha256:00", "md5:" + String(repeating: "0", count: 64)] {
            #expect(KeyFingerprint(Text(wrong)) == nil)
        }
    }

    // MARK: - Groups and versions

    @Test func groupsHaveMembers() throws {
        var a = TrustedIssuer(id: "did:web:a.example")
        a.groups = ["works", "all"]
        var root = TrustedIssuer(id: TrustedIssuer.id(ofRoot: [1, 2, 3]))
        root.groups = ["all"]
        let store = try TrustStore(TrustMaterial(issuers: [a, root]))
        #expect(store.members(ofGroup: "works") == [a.id])
        #expect(store.members(ofGroup: "all") == [a.id, root.id])
        #expect(store.members(ofGroup: "Works") == nil)
        #expect(root.id.string == "x509:sha256:039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81")
    }

    @Test func everyRuleIsPartOfTheVersion() throws {
        let changes: [(inout TrustMaterial) -> Void] = [
            { $0.issuers[0].groups = ["a"] }, { $0.issuers[0].types = [] }, { $0.issuers[0].types = ["a"] },
            { $0.issuers[0].contexts = [] }, { $0.issuers[0].keys = [] }, { $0.issuers[0].roots = ["a"] },
            { $0.issuers[0].tokenSignerUsages = [] },
            { $0.issuers[0].tokenSignerUsages = [KeyPurposeID("1.2.3")].compactMap(\.self) },
            { $0.issuers[0].documentSignerUsages = [KeyPurposeID("1.2.3")].compactMap(\.self) },
            { $0.issuers[0].anyIssuingCountry = true }, { $0.issuers[0].statusLists = ["a"] },
            { $0.issuers[0].documentMaxAge = .seconds(1) }, { $0.issuers[0].notBefore = Timestamp(seconds: 1) },
            { $0.issuers[0].notAfter = Timestamp(seconds: 1) }, { $0.issuers[0].pinnedDocuments = ["a": [1]] },
            { $0.revokedKeys = [RevokedKey(.method("a"), since: Timestamp(seconds: 1))] },
            { $0.revokedKeys = [RevokedKey(.method("a"), since: Timestamp(seconds: 1), reason: .retired)] },
            { $0.revokedKeys = [RevokedKey(.method("a"), since: Timestamp(seconds: 2))] },
        ]
        var digests: Set<[UInt8]> = [issuer.material.digest]
        for change in changes {
            var material = issuer.material
            change(&material)
            digests.insert(material.digest)
        }
        #expect(digests.count == changes.count + 1)
        var confirmed = issuer.material
        confirmed.fetched["a"] = Timestamp(seconds: 1)
        #expect(confirmed.digest == issuer.material.digest)
    }
}
