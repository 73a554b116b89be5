import Encoding
import LinkedData
import Reasons
import Testing

@testable import Credentials

/// A cache keeps the contexts inside accepted credentials. The cache changes no verdict.
@Suite struct KnownContextTests {
    private let issuer: TestIssuer
    private let trust: TrustStore
    private static let inline: JSON = ["pass": "https://vocabulary.example/pass#", "zone": ["@id": "pass:zone"]]

    init() throws {
        issuer = try TestIssuer(seed: 9)
        var material = issuer.material
        material.issuers = [TrustedIssuer(id: issuer.id, inlineContexts: true)]
        trust = try TrustStore(material)
    }

    private func document(_ context: JSON = inline, zone: JSON = "north") -> JSONObject {
        var document = issuer.template
        document["@context"] = ["https://www.w3.org/ns/credentials/v2", context]
        document["credentialSubject"] = ["id": "did:example:holder", "zone": zone]
        return document
    }

    private func verify(_ document: JSON, policy: VerificationPolicy = .init()) -> Verdict {
        Verifier(trust: trust, policy: policy).verify(document.compactBytes, at: TestIssuer.clock)
    }

    @Test func contextsOfAcceptedCredentialsAreRemembered() throws {
        let first = try issuer.signText(document())
        let verdict = verify(first)
        #expect(verdict.isAccepted && trust.inlineContexts.all.count == 1)
        #expect(verify(first).credential == verdict.credential)
        let second = verify(try issuer.signText(document(zone: "south")))
        #expect(second.isAccepted && second.credential.signedDigest != verdict.credential.signedDigest)
        #expect(trust.inlineContexts.all.count == 1)
        // The same in a wallet's record, as text inside JSON, and with other line breaks.
        for payload in [
            ["verifiableCredential": ["credential": first]], .text(first.compactText), ["credential": first],
        ] as [JSON] {
            let inside = verify(payload)
            #expect(inside.isAccepted && inside.credential.signedDigest == verdict.credential.signedDigest)
        }
        #expect(trust.inlineContexts.all.count == 1)
    }

    @Test func aRememberedContextCoversNothingElse() throws {
        let signed = try issuer.signText(document())
        #expect(verify(signed).isAccepted)
        var changed = try #require(signed.object)
        changed["credentialSubject"] = ["id": "did:example:holder", "zone": "south"]
        #expect(verify(.object(changed)).code == .proofInvalid)
        changed = try #require(signed.object)
        changed["@context"] = [
            "https://www.w3.org/ns/credentials/v2",
            ["pass": "https://vocabulary.example/pass#", "zone": ["@id": "pass:other"]],
        ]
        #expect(verify(.object(changed)).code == .proofInvalid)
        // Another issuer, whose entry forbids inline contexts, uses a cached context of the first issuer.
        let other = try TestIssuer(seed: 10)
        var material = issuer.material
        material.issuers = [TrustedIssuer(id: issuer.id, inlineContexts: true), TrustedIssuer(id: other.id)]
        let both = Verifier(trust: try TrustStore(material))
        #expect(both.verify(signed.compactBytes, at: TestIssuer.clock).isAccepted)
        var foreign = document()
        foreign["issuer"] = .string(other.id)
        let refused = both.verify(try other.signText(foreign).compactBytes, at: TestIssuer.clock)
        #expect(refused.code == .contextInlineForbidden)
    }

    @Test func onlyWhatWasAccepted() throws {
        let signed = try issuer.signText(document())
        var changed = try #require(signed.object)
        changed["credentialSubject"] = ["id": "did:example:holder", "zone": "south"]
        #expect(!verify(.object(changed)).isAccepted)
        var late = document()
        late["validUntil"] = "2026-02-01T00:00:00Z"
        #expect(verify(try issuer.signText(late)).code == .validityExpired)
        #expect(trust.inlineContexts.all.isEmpty)
        var graph = document()
        graph["@context"] = [
            "https://www.w3.org/ns/credentials/v2", "https://w3id.org/security/suites/ed25519-2020/v1", Self.inline,
        ]
        #expect(verify(try issuer.sign(graph)).isAccepted)
        #expect(trust.inlineContexts.all.count == 1)
    }

    @Test func memoryIsBounded() throws {
        for number in 0..<20 {
            let context: JSON = ["pass": .text("https://vocabulary.example/\(number)#"), "zone": ["@id": "pass:zone"]]
            #expect(verify(try issuer.signText(document(context))).isAccepted)
            #expect(trust.inlineContexts.all.count == min(number + 1, 16))
        }
        // A new context replaces the oldest. A context that is too long is never cached.
        let many = JSON.object(
            JSONObject(
                (0..<10).map {
                    .init(Text("term\($0)"), ["@id": .text("urn:\(String(repeating: "x", count: 1900))")])
                }))
        var document = document()
        document["@context"] = ["https://www.w3.org/ns/credentials/v2", many, [:], Self.inline]
        let before = trust.inlineContexts.all
        #expect(verify(try issuer.signText(document)).isAccepted)
        let after = trust.inlineContexts.all
        #expect(after.dropLast() == before.dropFirst() && after.last != before.last)
    }

    /// The work on contexts counts against the limit, cached or not. Otherwise a document beyond the limit would pass
    /// after other documents put its parts into the cache.
    @Test func limitsDoNotDependOnWhatIsKnown() throws {
        func context(_ number: Int) -> JSON {
            .object(JSONObject((0..<560).map { .init(Text("t\($0)"), .text("urn:\(number)")) }))
        }
        func document(_ count: Int) throws -> JSON {
            var document = self.document()
            document["@context"] = .array(
                ["https://www.w3.org/ns/credentials/v2"] + (0..<count).map(context) + [Self.inline])
            return try issuer.signText(document)
        }
        let (inside, beyond) = (try document(7), try document(9))
        for _ in 0..<3 {
            #expect(verify(inside).isAccepted)
            #expect(verify(beyond).code == .contextInvalid)
        }
        #expect(trust.inlineContexts.all.count == 8)
    }

    @Test func manyAtOnce() async throws {
        let signed = try issuer.signText(document()).compactBytes
        let verifier = Verifier(trust: trust)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask { verifier.verify(signed, at: TestIssuer.clock).isAccepted }
            }
            for await accepted in group { #expect(accepted) }
        }
        #expect(trust.inlineContexts.all.count == 1)
    }
}
