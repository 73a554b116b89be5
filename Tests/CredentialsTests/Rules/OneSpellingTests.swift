import Encoding
import Reasons
import Testing

@testable import Credentials

/// The second line of defence alone: documents with right statements, each with one spelling that no data model has.
@Suite struct OneSpellingTests {
    private static let credentials = "https://www.w3.org/2018/credentials#"
    private static let end: JSON = [
        "@type": "http://www.w3.org/2001/XMLSchema#dateTime", "@value": "2026-12-31T00:00:00Z",
    ]
    private static let box: Text = "https://works.example/box/v1"

    struct Spelling: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The place of the first unusual member.
        let pointer: String
        /// A context in addition to the document's own.
        var context: JSON?
        var proof: JSONObject = [:]
        let changes: @Sendable (inout JSONObject) -> Void
    }

    static let spellings = [
        Spelling(testDescription: "a context below", pointer: "/credentialSubject/@context") {
            $0["credentialSubject"] = ["@context": .string(RespellingTwins.terms), "level": 3]
        },
        Spelling(testDescription: "an IRI", pointer: "/credentialSubject/https:~1~1works.example~1ns#level") {
            $0["credentialSubject"] = ["https://works.example/ns#level": 3]
        },
        Spelling(
            testDescription: "a term like an IRI", pointer: "/credentialSubject/works:level",
            context: ["works:level": ["@id": "works:level"]]
        ) { $0["credentialSubject"] = ["works:level": 3] },
        Spelling(testDescription: "a keyword", pointer: "/credentialSubject/@id") {
            $0["credentialSubject"] = ["@id": "did:example:a", "level": 3]
        },
        Spelling(
            testDescription: "another name for a keyword", pointer: "/credentialSubject/key", context: ["key": "@id"]
        ) { $0["credentialSubject"] = ["key": "did:example:a", "level": 3] },
        Spelling(
            testDescription: "another name for what decides", pointer: "/until",
            context: ["until": .text(credentials + "validUntil")]
        ) {
            $0["validUntil"] = nil
            $0["until"] = end
        },
        Spelling(
            testDescription: "another name under a vocabulary", pointer: "/Until",
            context: ["@vocab": .text(credentials + "valid")]
        ) {
            $0["validUntil"] = nil
            $0["Until"] = end
        },
        Spelling(testDescription: "what decides in a box", pointer: "/box/validUntil", context: .string(box)) {
            $0["validUntil"] = nil
            $0["box"] = ["validUntil": "2026-12-31T00:00:00Z"]
        },
        Spelling(testDescription: "a node twice", pointer: "/credentialSubject/manager") {
            $0["credentialSubject"] = ["level": 3, "manager": ["id": "urn:uuid:1", "callName": "x"]]
        },
        Spelling(
            testDescription: "an IRI in a proof", pointer: "/proof/https:~1~1w3id.org~1security#nonce",
            proof: ["https://w3id.org/security#nonce": "n"]
        ) { _ in },
    ]

    @Test(arguments: spellings) func isRefusedForItself(_ spelling: Spelling) throws {
        let terms = try RespellingTwins(.eddsaRDFC2022)
        let contexts = terms.issuer.contexts.merging([Self.box: ["@context": ["box": "@nest"]]]) { $1 }
        let issuer = try GraphSigner(.eddsaRDFC2022, contexts: contexts)
        var document = terms.template
        if let context = spelling.context {
            document["@context"] = .array((document["@context"]?.array ?? []) + [context])
        }
        spelling.changes(&document)
        let signed = try issuer.sign(document) { options in
            for member in spelling.proof.members { options[member.name] = member.value }
        }
        var entry = TrustedIssuer(id: issuer.id)
        entry.inlineContexts = true
        var material = TrustMaterial(issuers: [entry])
        material.contexts = contexts.mapValues(\.compactBytes)
        var verifier = Verifier(trust: try TrustStore(material))
        let verdict = verifier.verify(signed.compactBytes, at: RespellingTwin.clock)
        #expect(verdict.code == .shapeSpelling && verdict.reasons.first?.pointer == spelling.pointer)
        verifier.checksSpelling = false
        #expect(verifier.verify(signed.compactBytes, at: RespellingTwin.clock).isAccepted, "nothing else is wrong")
    }
}
