import Encoding
import LinkedData
import Reasons
import Testing

@testable import Credentials

/// Edits that a holder without a key can make: strangers' proofs, withheld subjects, labels.
@Suite struct HolderEditTests {
    private static let accept = "[[accept]]\nid = \"r\"\n"

    private func verdict(
        _ document: JSON, _ material: TrustMaterial, _ rules: String = accept, spelling: Bool = true,
        recent: Set<[UInt8]> = [], at clock: WallTime = TestIssuer.clock
    ) throws -> Verdict {
        var verifier = Verifier(
            trust: try TrustStore(material), policy: VerificationPolicy(try PolicyFixture.parse(rules)))
        verifier.checksSpelling = spelling
        return verifier.verify(document.compactBytes, recent: recent, at: clock)
    }

    // MARK: - Proofs by strangers

    /// Returns the document with its issuer's proof and a stranger's chain of two proofs. The three proofs are valid.
    private func chained(_ signed: JSON, _ suite: GraphSigner.Suite, seed: UInt8) throws -> JSON {
        let document = try #require(signed.object)
        let stranger = try GraphSigner(suite, seed: seed)
        let bare = document.without("proof")
        let first = try #require(try stranger.sign(bare) { $0["id"] = "urn:first" }["proof"])
        let last = try GraphSigner(.eddsaRDFC2022, seed: seed)
        let second = try #require(
            try last.sign(bare.with("proof", [first])) { $0["previousProof"] = "urn:first" }["proof"])
        let own = try #require(document["proof"])
        return .object(document.with("proof", .array([first, second, own])))
    }

    /// The content that the issuer signed identifies a credential, whatever proofs strangers add.
    @Test(arguments: [GraphSigner.Suite.ecdsaSD2023, .ecdsaRDFC2019], [false, true])
    func strangersDoNotRename(suite: GraphSigner.Suite, text: Bool) throws {
        let issuer = try TestIssuer(seed: 9)
        var document = issuer.template
        // No context defines the member, so it is signed only as text, and no graph contains the whole text.
        if text { document["credentialSubject"] = ["id": "did:example:holder", "nickname": "undefined"] }
        let plain = try text ? issuer.signText(document) : issuer.sign(document)
        let seen = try verdict(plain, issuer.material)
        #expect(seen.code.text == "ok")
        let digest = try #require(seen.credential.signedDigest)
        let deny = "[[deny]]\nid = \"d\"\ncredentials = [ \"sha256:\(Hex.encode(digest))\" ]\n" + Self.accept
        for seed in [41, 42] as [UInt8] {
            let shown = try chained(plain, suite, seed: seed)
            #expect(try verdict(shown, issuer.material).code.text == "ok")
            #expect(try verdict(shown, issuer.material).credential.signedDigest == digest)
            #expect(try verdict(shown, issuer.material, deny).code.text == "policy.d")
            #expect(
                try verdict(shown, issuer.material, recent: Set(seen.replayKeys)).code.text == "replay.seen")
        }
    }

    // MARK: - Selective disclosure

    /// Two blank nodes of the presented document must not map to one signed node. The second node would hide statements
    /// of the first.
    @Test func labelsAreOneToOne() throws {
        let signer = try GraphSigner(.ecdsaSD2023)
        let document: JSONObject = [
            "@context": signer.heads(), "type": ["VerifiableCredential"], "issuer": .string(signer.id),
            "validFrom": "2026-01-01T00:00:00Z", "validUntil": "2026-02-01T00:00:00Z",
            "credentialSubject": ["id": "did:example:holder"],
        ]
        let signed = try signer.sign(document)
        var material = TrustMaterial(issuers: [TrustedIssuer(id: signer.id)])
        material.contexts = signer.contexts.mapValues(\.compactBytes)
        #expect(try verdict(signed, material).code.text == "validity.expired")
        var proof = try #require(signed["proof"]?.object)
        let bytes = try #require(Base64.decodeURL(proof["proofValue"]?.string?.string.dropFirst() ?? ""))
        var parts = try #require(try CBOR.decode(Array(bytes.dropFirst(3))).array)
        let label = try #require(parts[3].map?.first?.value)
        parts[3] = CBOR(.map((0..<2).map { CBOR.Pair(CBOR(.unsigned($0)), label) }))
        let value = CBOR(.array(parts)).value.deterministicBytes
        proof["proofValue"] = .text("u" + Base64.encode(Array(bytes.prefix(3)) + value))
        let hidden: JSON = [
            "https://www.w3.org/2018/credentials#validUntil": [
                "@value": "2026-02-01T00:00:00Z", "@type": "http://www.w3.org/2001/XMLSchema#dateTime",
            ]
        ]
        let shown = document.without("validUntil").with("@included", [hidden]).with("proof", .object(proof))
        for spelling in [true, false] {
            #expect(try verdict(.object(shown), material, spelling: spelling).code.text != "ok", "\(spelling)")
        }
    }

    // MARK: - SD-JWT

    /// A withheld element of the list of subjects may be the denied subject.
    @Test func withheldSubjectOfSeveral() throws {
        let forge = try TokenForge()
        let lost = Disclose.element(["id": "did:example:lost"])
        let claims = forge.v2.with(
            "credentialSubject", [["id": "did:example:a"], ["...": Disclose.digest(lost)]])
        let token = try forge.sign(forge.header("vc+sd-jwt"), claims)
        let deny = "[[deny]]\nid = \"d\"\nsubjects = [ \"did:example:lost\" ]\n" + Self.accept
        for rules in [deny] {
            let verifier = Verifier(
                trust: try TrustStore(forge.material), policy: VerificationPolicy(try PolicyFixture.parse(rules)))
            for shown in ["~" + lost + "~", "~"] {
                let verdict = verifier.verify(Array((token + shown).utf8), at: TokenForge.clock)
                #expect(verdict.code.text == "policy.d", "\(shown.count)")
            }
        }
    }

    // MARK: - Withdrawn keys

    /// The date of a proof counts under any name that a pinned context gives it.
    @Test(arguments: [true, false]) func renamedDateOfProof(spelling: Bool) throws {
        let issuer = try TestIssuer(seed: 9)
        let url: Text = "https://names.example/v1"
        let names: JSON = [
            "@context": [
                "made": [
                    "@id": "http://purl.org/dc/terms/created", "@type": "http://www.w3.org/2001/XMLSchema#dateTime",
                ]
            ]
        ]
        var material = issuer.material
        material.contexts[url] = names.compactBytes
        let since = try #require(Timestamp(rfc3339: "2026-02-01T00:00:00Z"))
        material.revokedKeys = [RevokedKey(.method(issuer.method), since: since, reason: .retired)]
        let document = issuer.template.with(
            "@context", .array((issuer.template["@context"]?.array ?? []) + [.string(url)]))
        let signed = try issuer.sign(document, contexts: [url: names.compactBytes]) {
            $0["created"] = "2026-03-01T00:00:00Z"
        }
        #expect(try verdict(signed, material).code.text == "key.revoked")
        let proof = try #require(signed["proof"]?.object)
        let renamed = proof.without("created").with("made", "2026-03-01T00:00:00Z")
        let shown = JSON.object(document.with("proof", .object(renamed)))
        #expect(try verdict(shown, material, spelling: spelling).code.text == "key.revoked")
    }

    // MARK: - Rules for claims that two proofs cover differently

    private static let terms: Text = "https://works.example/ns/v1"
    private static let context: JSON = [
        "@context": [
            "banned": "https://works.example/ns#banned", "about": "https://works.example/ns#about",
            "SpecialPass": "https://works.example/ns#SpecialPass",
            "stays": ["@id": "https://works.example/ns#stays", "@container": "@list"],
        ]
    ]

    /// Returns the same credential with both proofs, and with each alone.
    private func shown(_ subject: JSON, more: JSONObject = [:]) throws -> (all: [JSON], material: TrustMaterial) {
        let issuer = try TestIssuer(seed: 9)
        let heads: JSON = .array((issuer.template["@context"]?.array ?? []) + [.string(Self.terms)])
        var document = issuer.template.with("@context", heads).with("credentialSubject", subject)
        for member in more.members { document[member.name] = member.value }
        let known = [Self.terms: Self.context.compactBytes]
        let graph = try #require(try issuer.sign(document, contexts: known)["proof"])
        let text = try #require(try issuer.signText(document)["proof"])
        var material = issuer.material
        material.contexts[Self.terms] = known[Self.terms]
        return ([[graph, text], graph, text].map { .object(document.with("proof", $0)) }, material)
    }

    /// A list of one subject states the same as the subject alone.
    @Test func listOfOneSubject() throws {
        let (all, material) = try shown([["id": "did:example:a", "banned": true]])
        let deny = """
            [[deny]]
            id = "d"
            when = [ { claim = "/credentialSubject/banned", exists = true } ]

            """
        let without = """
            [[accept]]
            id = "r"
            require = [ { claim = "/credentialSubject/banned", exists = false } ]

            """
        for (index, document) in all.enumerated() {
            #expect(try verdict(document, material, deny + Self.accept).code.text == "policy.d", "\(index)")
            #expect(try verdict(document, material, without).code.text != "ok", "\(index)")
        }
    }

    /// Types that cannot be determined match a deny rule.
    @Test func ambiguousTypes() throws {
        let (all, material) = try shown(
            [
                "id": "did:example:a",
                "about": ["id": "urn:d", "type": "VerifiableCredential", "about": ["id": "urn:c"]],
            ],
            more: ["id": "urn:c", "type": ["VerifiableCredential", "SpecialPass"]])
        let deny = "[[deny]]\nid = \"d\"\ntypes = [ \"https://works.example/ns#SpecialPass\" ]\n"
        for (index, document) in all.enumerated() {
            #expect(try verdict(document, material, deny + Self.accept).code.text != "ok", "\(index)")
        }
    }

    /// The value of a name after an ordered list in a pointer is unknown.
    @Test func namesAfterLists() throws {
        let (all, material) = try shown(["id": "did:example:a", "stays": [["banned": true], ["banned": true]]])
        let deny = """
            [[deny]]
            id = "d"
            when = [ { claim = "/credentialSubject/stays/banned", exists = true } ]

            """
        for (index, document) in all.enumerated() {
            #expect(try verdict(document, material, deny + Self.accept).code.text == "policy.d", "\(index)")
        }
    }

    /// A name that a pinned context defines and another covers by its vocabulary may have either meaning.
    @Test func vocabularyAndDefinition() throws {
        let issuer = try TestIssuer(seed: 9)
        let (vocabulary, url): (JSON, Text) = (
            ["@context": ["@vocab": "https://other.example/#"]], "https://other.example/v1"
        )
        let heads: JSON = .array((issuer.template["@context"]?.array ?? []) + [.string(url)])
        let document = issuer.template.with("@context", heads)
            .with("credentialSubject", ["id": "did:example:a", "banned": true])
        var material = issuer.material
        material.contexts[Self.terms] = Self.context.compactBytes
        material.contexts[url] = vocabulary.compactBytes
        let signed = try issuer.sign(document, contexts: material.contexts)
        let deny = """
            [[deny]]
            id = "d"
            when = [ { claim = "/credentialSubject/banned", exists = true } ]

            """
        #expect(try verdict(signed, material, deny + Self.accept).code.text == "policy.d")
    }
}
