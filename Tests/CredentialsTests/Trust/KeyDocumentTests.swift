import Crypto
import Encoding
import Reasons
import Testing

@testable import Credentials

/// The issuers for which a stored single key may sign, and the holders whose possession it may prove.
@Suite struct KeyDocumentTests {
    private let issuer: TestIssuer
    private let victim: TestIssuer

    init() throws {
        (issuer, victim) = (try TestIssuer(seed: 7), try TestIssuer(seed: 8))
    }

    /// Returns a document with the attacker's key under `id` that names `controller` as its controller.
    private func keyDocument(_ id: Text, controller: Text) -> JSON {
        let value = Multibase.encodeBase58([0xED, 0x01] + issuer.key.publicKey.rawRepresentation)
        return [
            "id": .string(id), "type": "Multikey", "controller": .string(controller),
            "publicKeyMultibase": .text(value),
        ]
    }

    private var victimJWK: Text {
        let x = Base64.encode(Array(victim.key.publicKey.rawRepresentation))
        return Text("did:jwk:" + Base64.encode(Array("{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"\(x)\"}".utf8)))
    }

    private func resolve(
        _ id: Text, controller: Text, holder: Bool = false, more: [JSON] = [],
        entry change: (inout TrustedIssuer) throws -> Void = { _ in }
    ) throws -> ReasonCode {
        var entry = TrustedIssuer(id: controller)
        try change(&entry)
        let documents = [keyDocument(id, controller: controller)] + more
        let trust = try TrustStore(TrustMaterial(issuers: [entry], documents: documents.map(\.compactBytes)))
        let authority = holder ? KeyResolver.Authority(holder: controller) : KeyResolver.Authority(entry)
        do throws(Rejection) {
            _ = try KeyResolver(trust: trust, now: TestIssuer.clock.utc).key(
                id, for: holder ? .authentication : .assertionMethod, of: authority, at: "")
            return .ok
        } catch { return error.reason.code }
    }

    /// Key document × controller: whether the addresses show that the two belong together.
    private static let places: [(key: Text, controller: Text, isOwn: Bool)] = [
        ("https://a.example/.well-known/key.json", "https://a.example/.well-known/controller.json", true),
        ("https://a.example/x/key.json", "https://a.example/x", true),
        ("https://a.example/x/y/key.json", "https://a.example/x", true),
        ("https://a.example/key", "https://a.example", true), ("https://a.example/x/key", "https://a.example/", true),
        ("https://a.example/did/key.json", "did:web:a.example:did", true),
        ("https://a.example/.well-known/key.json", "did:web:a.example", true),
        ("did:web:a.example#key-1", "did:web:a.example", true), ("https://a.example/x#1", "https://a.example/x", true),
        ("https://b.example/.well-known/key.json", "https://a.example/.well-known/controller.json", false),
        ("https://a.example:8443/x/key.json", "https://a.example/x", false),
        ("https://a.example/y/key.json", "https://a.example/x", false),
        ("https://a.example/y", "https://a.example/x", false), ("https://a.example/xy", "https://a.example/x", false),
        ("https://a.example/u/bob", "https://a.example/u/alice", false),
        ("https://a.example/u/bob", "https://a.example/u/dr.alice", false),
        ("https://a.example/u/bob/key.json", "https://a.example/u/alice.json", false),
        ("https://a.example/u/x/../bob", "https://a.example/u/x", false),
        ("https://a.example/x/%2e%2e/bob", "https://a.example/x", false),
        ("https://a.example/x?/key", "https://a.example/x", false),
        ("https://a.example/bob/key.json", "did:web:a.example:alice", false),
        ("https://a.example/key.json", "did:web:a.example", false),
        ("did:web:b.example#key-1", "did:web:a.example", false), ("https://a.example/key", "did:ion:abc", false),
        ("https://a.example/key", "http://a.example/", false), ("urn:key", "https://a.example/x", false),
    ]

    @Test("a single key signs for its controller if the controller published it or the operator's entry names it")
    func placesAndWords() throws {
        for (key, controller, isOwn) in Self.places {
            let document = keyDocument(key, controller: controller)
            let wanted: ReasonCode = isOwn ? .ok : .issuerKeyMismatch
            #expect(try resolve(key, controller: controller) == wanted, "\(key) for \(controller)")
            #expect(
                try resolve(key, controller: controller, holder: true) == wanted, "holder: \(key) for \(controller)")
            #expect(try resolve(key, controller: controller) { $0.controllers = [key] } == .ok)
            #expect(
                try resolve(key, controller: controller) {
                    $0.pinnedDocuments[key] = Digest.sha256(document.compactBytes)
                } == .ok)
            let own = try #require(KeyFingerprint(.ed25519(Array(issuer.key.publicKey.rawRepresentation))))
            let other = try #require(KeyFingerprint(.ed25519(Array(victim.key.publicKey.rawRepresentation))))
            #expect(try resolve(key, controller: controller) { $0.keys = [own] } == .ok)
            #expect(try resolve(key, controller: controller) { $0.keys = [other] } == .keyNotAuthorised)
            // An entry for another document, or another issuer's entry, does not count.
            #expect(try resolve(key, controller: controller) { $0.controllers = ["https://c.example/"] } == wanted)
            #expect(try resolve(key, controller: controller) { $0.pinnedDocuments["urn:other"] = [] } == wanted)
        }
    }

    @Test("a single key signs for the trusted issuer nearest to its address, and for no issuer above")
    func placesBelowOthers() throws {
        for (key, controller, other, isOwn) in [
            ("https://a.example/school", "https://a.example", "https://a.example/school", false),
            ("https://a.example/school/key", "https://a.example", "https://a.example/school", false),
            ("https://a.example/school/key", "https://a.example/school", "https://a.example", true),
            ("https://a.example/key", "https://a.example", "https://a.example/school", true),
            ("https://a.example/school/key", "did:web:a.example", "https://a.example/school", false),
            ("https://a.example/school/key", "https://a.example", "did:web:a.example:school", false),
        ] as [(Text, Text, Text, Bool)] {
            let document = keyDocument(key, controller: controller)
            let entries = [controller, other].map { TrustedIssuer(id: $0) }
            let trust = try TrustStore(TrustMaterial(issuers: entries, documents: [document.compactBytes]))
            let single = try #require(trust.document(key))
            let hears = KeyResolver(trust: trust).hears(single, of: controller, for: .init(entries[0]))
            #expect(hears == isOwn, "\(key) for \(controller) beside \(other)")
            var named = entries[0]
            named.controllers = [key]
            #expect(KeyResolver(trust: trust).hears(single, of: controller, for: .init(named)))
        }
    }

    @Test("a single key never signs for an identifier that contains its own key, whatever the operator lists")
    func identifiersThatAreTheirOwnKey() throws {
        for controller in [victim.id, victimJWK] {
            for key in ["https://a.example/key", "did:web:a.example#1", Text(controller.string + "#other")] as [Text] {
                let document = keyDocument(key, controller: controller)
                let changes: [(inout TrustedIssuer) throws -> Void] = [
                    { _ in }, { $0.controllers = [key] },
                    { $0.pinnedDocuments[key] = Digest.sha256(document.compactBytes) },
                    { [issuer] in
                        $0.keys = [KeyFingerprint(.ed25519(Array(issuer.key.publicKey.rawRepresentation)))].compactMap(
                            \.self)
                    }, { $0.keyPurpose = .didWide },
                ]
                for change in changes {
                    let code = try resolve(key, controller: controller, entry: change)
                    #expect(code == .issuerKeyMismatch || code == .keyUnknown, "\(key) for \(controller): \(code)")
                }
                let proven = try resolve(key, controller: controller, holder: true)
                #expect(proven == .issuerKeyMismatch || proven == .keyUnknown)
                // A stored document that claims to be the controller's document does not count either.
                let listing: JSON = ["id": .string(controller), "assertionMethod": [.string(key)]]
                let code = try resolve(key, controller: controller, more: [listing])
                #expect(code == .issuerKeyMismatch || code == .keyUnknown)
            }
        }
    }

    @Test("a single key with the name of a key in a stored document does not replace that key")
    func namesOfOthersKeys() throws {
        let method: Text = "did:web:a.example#key-1"
        let value = Multibase.encodeBase58([0xED, 0x01] + victim.key.publicKey.rawRepresentation)
        let own: JSON = [
            "id": "did:web:a.example", "assertionMethod": [.string(method)],
            "verificationMethod": [
                [
                    "id": .string(method), "type": "Multikey", "controller": "did:web:a.example",
                    "publicKeyMultibase": .text(value),
                ]
            ],
        ]
        let stored = [own, keyDocument(method, controller: "did:web:a.example")].map(\.compactBytes)
        let trust = try TrustStore(
            TrustMaterial(issuers: [TrustedIssuer(id: "did:web:a.example")], documents: stored))
        let key = try KeyResolver(trust: trust, now: TestIssuer.clock.utc).key(
            method, for: .assertionMethod, of: .init(TrustedIssuer(id: "did:web:a.example")), at: "")
        #expect(KeyFingerprint(key) == KeyFingerprint(.ed25519(Array(victim.key.publicKey.rawRepresentation))))
    }

    @Test(
        "a credential in the name of another did:key, signed by a stored single key, is refused; so is its holder's proof"
    )
    func wholeCredentials() throws {
        let key: Text = "https://evil.example/key"
        for controller in [victim.id, victimJWK, "https://issuer.example/unstored"] {
            var document = issuer.template
            document["issuer"] = .string(controller)
            let signed = try issuer.sign(document) { $0["verificationMethod"] = .string(key) }
            var material = issuer.material
            material.issuers.append(TrustedIssuer(id: controller))
            material.documents = [keyDocument(key, controller: controller).compactBytes]
            let verifier = Verifier(trust: try TrustStore(material))
            #expect(verifier.verify(signed.compactBytes, at: TestIssuer.clock).code == .issuerKeyMismatch)

            document["issuer"] = .string(issuer.id)
            func proven(_ subject: Text, _ method: Text) throws -> Verdict {
                var document = document
                document["credentialSubject"] = ["id": .string(subject)]
                let presentation: JSONObject = [
                    "@context": document["@context"] ?? .null, "type": "VerifiablePresentation",
                    "holder": .string(subject), "verifiableCredential": try issuer.sign(document),
                ]
                let shown = try issuer.sign(presentation, purpose: .authentication) {
                    $0["verificationMethod"] = .string(method)
                    $0["created"] = .text(TestIssuer.clock.utc.rfc3339)
                    $0["challenge"] = "n"
                    $0["domain"] = "gate"
                }
                let demand = HolderDemand(nonce: "n", audience: "gate", required: true)
                return verifier.verify(shown.compactBytes, demand: demand, at: TestIssuer.clock)
            }
            #expect(try proven(issuer.id, issuer.method).code == .ok)
            #expect(try proven(controller, key).code == .holderInvalid, "\(controller)")
        }
    }
}
