import Encoding
import LinkedData
import Reasons
import TestKit
import Testing

@testable import Credentials

/// Counted limits refuse inputs that are designed to be expensive. Inputs just inside the limits are accepted. `make
/// bench` measures their times.
@Suite struct HostileCostTests {
    private let issuer: TestIssuer
    private let verifier: Verifier

    init() throws {
        issuer = try TestIssuer(seed: 0x42)
        var material = issuer.material
        material.issuers = [TrustedIssuer(id: issuer.id, inlineContexts: true)]
        verifier = Verifier(trust: try TrustStore(material))
    }

    private func credential(_ subject: JSON, context: JSON = ["@vocab": "https://vocabulary.example/#"]) -> JSONObject {
        var document = issuer.template
        document["@context"] = .array((document["@context"]?.array ?? []) + [context])
        document["credentialSubject"] = subject
        return document
    }

    /// Adds a well-formed but invalid proof, to show that the content is refused before the check of the signature.
    private func unsigned(_ document: JSONObject) -> JSON {
        var document = document
        document["proof"] = [
            "type": "Ed25519Signature2020", "created": "2026-01-01T00:00:00Z", "proofPurpose": "assertionMethod",
            "verificationMethod": .string(issuer.method),
            "proofValue": .text(Multibase.encodeBase58([UInt8](repeating: 1, count: 64))),
        ]
        return .object(document)
    }

    private func code(_ document: JSON) -> ReasonCode { code(document.compactBytes) }
    private func code(_ payload: [UInt8]) -> ReasonCode {
        verifier.verify(payload, at: TestIssuer.clock).code
    }

    private func nodes(_ count: Int, _ links: (Int) -> [Int]) -> JSON {
        func node(_ number: Int) -> JSON { .text("_:n\(number)") }
        return [
            "knows": .array(
                (0..<count).map { a in
                    ["id": node(a), "next": .array(links(a).map { ["id": node($0)] })]
                })
        ]
    }

    private func clique(_ count: Int) -> JSON { nodes(count) { a in (0..<count).filter { $0 != a } } }
    private func ring(_ count: Int) -> JSON { nodes(count) { [($0 + 1) % count] } }
    private func alike(_ count: Int) -> JSON {
        ["knows": .array(Array(repeating: ["says": "the same"], count: count))]
    }

    @Test(arguments: [7, 9, 12, 30]) func completeGraphs(count: Int) {
        #expect(code(unsigned(credential(clique(count)))) == .canonTooComplex)
    }

    @Test(arguments: [2, 4, 5]) func smallCompleteGraphs(count: Int) throws {
        #expect(code(try issuer.sign(credential(clique(count)))) == .ok)
    }

    /// Returns many named graphs, each with a pair of nodes and a hub. There are few units of work, but each unit
    /// concerns all graphs.
    private func pairs(_ count: Int) -> JSON {
        let pair: JSON = ["@id": "_:h", "u:p": [["@id": "_:a"], ["@id": "_:b"]]]
        return ["u:q": .array((0..<count).map { ["@id": .text("u:\($0)"), "@graph": pair] })]
    }

    @Test(.timeLimit(.minutes(10))) func pairsInManyGraphs() {
        #expect(code(unsigned(credential(pairs(5_400)))) == .canonTooComplex)
    }

    /// No credential needs a thousand named graphs. One more graph ends the work before the canonicalisation.
    @Test(.timeLimit(.minutes(10))) func namedGraphs() throws {
        let one: JSON = ["@id": "u:x", "u:p": "says"]
        func graphs(_ count: Int) -> JSONObject {
            credential(["u:q": .array((0..<count).map { ["@id": .text("u:\($0)"), "@graph": one] })])
        }
        #expect(code(try issuer.sign(graphs(1_000))) == .shapeSpelling, "the bound is not what refuses it")
        #expect(code(unsigned(graphs(1_001))) == .canonTooComplex)
    }

    /// Any of many nodes could be the credential. The work to find it is limited.
    @Test(.timeLimit(.minutes(10))) func manyThatCouldBeTheCredential() throws {
        var material = issuer.material
        material.issuers = [TrustedIssuer(id: issuer.id, inlineContexts: true)]
        material.issuers[0].types = ["https://www.w3.org/2018/credentials#VerifiableCredential"]
        let verifier = Verifier(trust: try TrustStore(material))
        func code(_ document: JSON) -> ReasonCode { verifier.verify(document.compactBytes, at: TestIssuer.clock).code }
        func subject(_ count: Int) -> JSON {
            ["knows": .array(Array(repeating: ["type": "VerifiableCredential"], count: count))]
        }
        #expect(code(unsigned(credential(subject(9_900)))) == .canonTooComplex)
        #expect(code(unsigned(credential(subject(3)))) == .proofInvalid)
    }

    /// Any of many nodes could be the presentation. The limit applies before the holder's proof is checked.
    @Test(.timeLimit(.minutes(10))) func manyThatCouldBeThePresentation() throws {
        var document = issuer.template
        document["type"] = ["VerifiablePresentation"]
        document["verifiableCredential"] = [try issuer.sign(issuer.template)]
        for name in ["issuer", "validFrom", "validUntil", "credentialSubject"] as [Text] { document[name] = nil }
        func code(_ count: Int) throws -> ReasonCode {
            var document = document
            document["u:q"] = .array(Array(repeating: ["type": "VerifiablePresentation"], count: count))
            guard case .object(var proven) = unsigned(document) else { return .internal }
            var proof = proven["proof"]?.object ?? JSONObject()
            proof["proofPurpose"] = "authentication"
            proven["proof"] = .object(proof)
            return self.code(.object(proven))
        }
        #expect(try code(9_900) == .canonTooComplex)
        #expect(try code(3) == .holderInvalid)
    }

    /// The spelling of a document with a wrong shape is examined, even if a stranger wrote it. Its numbers may have any
    /// value.
    @Test(arguments: [
        "10e9223372036854775807", "1.0e-9223372036854775808", "-10e9223372036854775807", "1e9223372036854775808",
        "0e9223372036854775807", "1e-9223372036854775807",
    ]) func exponents(number: String) {
        let document = #"""
            {"@context": ["https://www.w3.org/ns/credentials/v2", {"x": "urn:x"}], "type": ["VerifiableCredential"], "x": \#(number)}
            """#
        #expect(code(Array(document.utf8)) == .shapeIssuer)
    }

    @Test func rings() throws {
        #expect(code(unsigned(credential(ring(900)))) == .canonTooComplex)
        #expect(code(try issuer.sign(credential(ring(60)))) == .ok)
    }

    @Test func lookAlikes() throws {
        #expect(code(unsigned(credential(alike(1_001)))) == .canonTooComplex)
        #expect(code(try issuer.sign(credential(alike(990)))) == .ok)
    }

    @Test func manyClaims() throws {
        func claims(_ count: Int) -> JSON {
            .object(JSONObject((0..<count).map { .init(Text("c\($0)"), "v") }))
        }
        #expect(code(unsigned(credential(claims(15_000)))) == .canonTooComplex)
        #expect(code(unsigned(credential(claims(60_000)))) == .inputTooLarge)
        #expect(code(try issuer.sign(credential(claims(11_900)))) == .ok)
    }

    /// The claims of one name have values of equal length with equal beginnings. A hash of the beginnings would not
    /// distinguish them.
    @Test func valuesThatBeginAlike() throws {
        let start = String(repeating: "x", count: 200)
        let values = (10_000..<21_000).map { JSON.text("\(start)\($0)") }
        #expect(code(try issuer.sign(credential(["says": .array(values)]))) == .ok)
    }

    /// Writing each number exactly takes some thousand multiplications.
    @Test func numbersNearZero() throws {
        func numbers(_ text: String, _ count: Int) -> JSON {
            ["says": .array(Array(repeating: .number(JSONNumber(validated: text)), count: count))]
        }
        #expect(code(unsigned(credential(numbers("1.7e-300", 19_000)))) == .canonTooComplex)
        #expect(code(try issuer.sign(credential(numbers("1.7e-300", 1_000)))) == .ok)
        #expect(code(try issuer.sign(credential(numbers("20.1", 11_000)))) == .ok)
    }

    @Test func depth() {
        #expect(code([UInt8](repeating: UInt8(ascii: "["), count: Limits().payloadBytes)) == .jsonTooDeep)
        #expect(code([UInt8](repeating: UInt8(ascii: "["), count: Limits().payloadBytes + 1)) == .inputTooLarge)
    }

    @Test func manyMembers() {
        let members = (0..<370_000).map { "\"\($0)\":0" }.joined(separator: ",")
        #expect(code(Array("{\(members)}".utf8)) == .inputTooLarge)
        let twice = (0..<40_000).map { "\"\($0)\":0" }.joined(separator: ",")
        #expect(code(Array("{\(twice),\"0\":1}".utf8)) == .jsonDuplicateKey)
    }

    @Test func photo() throws {
        let photo = String(repeating: "A", count: Limits().payloadBytes - 4096)
        #expect(code(try issuer.sign(credential(["photo": .text(photo)]))) == .ok)
    }

    /// A token, and an mdoc as sent by the wallet: bare or as a JSON text.
    @Test(arguments: ["eyJ.", "omdk"]) func tokens(start: String) {
        let limit = Limits().tokenBytes
        func token(_ count: Int) -> [UInt8] {
            Array(start.utf8) + [UInt8](repeating: UInt8(ascii: "A"), count: count - start.utf8.count)
        }
        let quote = [UInt8(ascii: "\"")]
        #expect(code(token(limit)) != .inputTooLarge && code(token(limit + 1)) == .inputTooLarge)
        #expect(code(quote + token(limit) + quote) != .inputTooLarge)
        #expect(code(quote + token(limit + 1) + quote) == .inputTooLarge)
    }

    @Test func base58() {
        var document = unsigned(credential(["a": "b"])).object ?? JSONObject()
        var proof = document["proof"]?.object ?? JSONObject()
        proof["proofValue"] = .text("z" + String(repeating: "2", count: 1 << 20))
        document["proof"] = .object(proof)
        #expect(code(.object(document)) == .proofMalformed)
    }

    @Test func contexts() throws {
        func terms(_ count: Int) -> JSON {
            .object(JSONObject((0..<count).map { .init(Text("t\($0)"), .text("https://vocabulary.example/\($0)")) }))
        }
        #expect(code(unsigned(credential(["t1": "y"], context: terms(30_000)))) == .contextInvalid)
        #expect(code(try issuer.sign(credential(["t1": "y"], context: terms(1_000)))) == .ok)
        // Each term repeats the previous one twice.
        var doubling = JSONObject()
        doubling["t0"] = .text("https://vocabulary.example/" + String(repeating: "x", count: 900))
        for number in 1..<40 { doubling[Text("t\(number)")] = .text("t\(number - 1):t\(number - 1)") }
        #expect(code(unsigned(credential(["t39": "y"], context: .object(doubling)))) != .ok)
    }

    @Test func proofs() {
        var document = credential(["a": "b"])
        document["proof"] = .array(Array(repeating: ["type": "Ed25519Signature2020"], count: 9))
        #expect(code(.object(document)) == .inputTooLarge)
    }
}
