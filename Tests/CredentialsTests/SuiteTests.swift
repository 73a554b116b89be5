import Encoding
import Foundation
import LinkedData
import Reasons
import TestKit
import Testing

@testable import Credentials

/// The proof suites step by step: the worked examples of the Data Integrity specifications with their
/// intermediate values, and cases that no signed sample covers.
@Suite struct SuiteTests {
    /// The folder, the part of its file names, and the hash of the suite.
    struct Example: Sendable, CustomStringConvertible {
        let folder: String
        let name: String
        let suite: ProofSuite
        let hash: HashAlgorithm
        var description: String { folder }
    }

    private static let examples = [
        Example(folder: "di-eddsa/eddsa-rdfc-2022", name: "DataInt", suite: .eddsaRDFC2022, hash: .sha256),
        Example(folder: "di-eddsa/eddsa-rdfc-2022/employ", name: "DataInt", suite: .eddsaRDFC2022, hash: .sha256),
        Example(folder: "di-eddsa/Ed25519Signature2020", name: "EdSig", suite: .ed25519Signature2020, hash: .sha256),
        Example(folder: "di-eddsa/eddsa-jcs-2022", name: "JCS", suite: .eddsaJCS2022, hash: .sha256),
        Example(folder: "di-ecdsa/ecdsa-rdfc-2019-p256", name: "ECDSAP256", suite: .ecdsaRDFC2019, hash: .sha256),
        Example(
            folder: "di-ecdsa/ecdsa-rdfc-2019-p256/employ", name: "ECDSAP256", suite: .ecdsaRDFC2019, hash: .sha256),
        Example(folder: "di-ecdsa/ecdsa-rdfc-2019-p384", name: "ECDSAP384", suite: .ecdsaRDFC2019, hash: .sha384),
        Example(
            folder: "di-ecdsa/ecdsa-rdfc-2019-p384/employ", name: "ECDSAP384", suite: .ecdsaRDFC2019, hash: .sha384),
        Example(folder: "di-ecdsa/ecdsa-jcs-2019-p256", name: "JCSECDSAP256", suite: .ecdsaJCS2019, hash: .sha256),
        Example(folder: "di-ecdsa/ecdsa-jcs-2019-p384", name: "JCSECDSAP384", suite: .ecdsaJCS2019, hash: .sha384),
    ]

    @Test(arguments: examples) func intermediateValues(of example: Example) throws {
        guard let folder = Vectors.path("vc/" + example.folder) else { return }
        func file(_ step: String, _ ending: String = "txt") throws -> [UInt8] {
            try Vectors.bytes(folder.appendingPathComponent("\(step)\(example.name).\(ending)"))
        }
        func hex(_ step: String) throws -> [UInt8]? {
            Hex.decode(String(decoding: try file(step).filter { $0 > 0x20 }, as: UTF8.self))
        }
        let signed = try #require(try JSON.parse(file("signed", "json")).object)
        let proof = try #require(signed["proof"]?.object)
        #expect(ProofSuite.named(by: proof)?.cryptosuite == example.suite.cryptosuite)
        let trust = try TrustStore(Self.material(example.folder))
        let content = try LinkedDataDocument(signed, processor: trust.processor)
        let (document, options): ([UInt8], [UInt8])
        switch example.suite.canonicalization {
        case .jcs:
            let jcs = try #require(JCSProofOptions(proof, documentContext: content.context))
            document = try JSON.object(content.unsecured).canonicalized()
            options = try JSON.object(jcs.options).canonicalized()
            var digests = DocumentDigests(content, beginnings: HashBeginnings())
            #expect(try digests.jcs(example.hash, under: jcs.context) == hex("docHash"))
        case .rdfc, .statements:
            let rdf = try #require(
                ProofOptions(
                    proof, of: example.suite, under: .document, documentContext: content.context, trust: trust))
            document = try RDFC10.canonicalize(content.dataset, hash: example.hash).nQuads
            options = try RDFC10.canonicalize(rdf.dataset, hash: example.hash).nQuads
            var digests = DocumentDigests(content, beginnings: HashBeginnings())
            #expect(try digests.rdfc(example.hash) == hex("docHash"))
        }
        #expect(document == (try file("canonDoc")))
        #expect(options == (try file("proofCanon")))
        #expect(Digest.hash(options, example.hash) == (try hex("proofHash")))
        let combined = Digest.hash(options, example.hash) + Digest.hash(document, example.hash)
        #expect(combined == (try hex("combinedHash")))
        let method = try #require(proof["verificationMethod"]?.string)
        let key = try #require(SelfContainedDID.document(KeyResolver.withoutFragment(method))?.method(method)).key.get()
        #expect(example.suite.hash(for: key) == example.hash)
        let signature = try example.suite.signature(
            of: Located(value: proof, pointer: "/proof"), by: key, limits: .init())
        #expect(signature.bytes == (try hex("sigHex")))
        #expect(try signature.matches(combined, key: key))
    }

    /// Returns the trust data of some accepted case of that folder.
    private static func material(_ folder: String) throws -> TrustMaterial {
        let name = String(folder.prefix { $0 != "/" })
        guard let path = Vectors.path("vc/" + name) else { return TrustMaterial() }
        var material = TrustMaterial()
        for item in try VerdictCase.all(in: path) where item.outOfScope == nil {
            material.contexts.merge(try item.material().contexts) { first, _ in first }
        }
        return material
    }

    /// Anyone can append a context to those in a JCS proof. An appended context must not make an old credential a new
    /// one.
    @Test(arguments: ["p256", "p384"]) func appendedContextIsStillAReplay(curve: String) throws {
        let id = "ecdsa-jcs-2019-\(curve)-employee-context-appended@compat"
        guard let changed = try Fixture(id) else { return }
        var contexts = changed.document["@context"]?.array ?? []
        contexts.removeLast()
        let original = try changed.verify(changed.changing("@context", to: .array(contexts)))
        #expect(original.isAccepted && original.unsigned == [])
        let digest = try #require(original.credential.signedDigest)
        #expect(try changed.verify(recent: [digest]).code == .replaySeen)
    }

    @Test func contextsOfAJCSProof() {
        func unsigned(_ proof: JSON?, _ document: JSON) -> [String]? {
            var object: JSONObject = ["type": "DataIntegrityProof", "proofValue": "z"]
            object["@context"] = proof
            return JCSProofOptions(object, documentContext: document)?.unsigned
        }
        #expect(unsigned(nil, ["a", "b"]) == [])
        #expect(unsigned(["a", "b"], ["a", "b"]) == [])
        #expect(unsigned("a", ["a"]) == [] && unsigned(["a"], "a") == [])
        #expect(unsigned(["a"], ["a", "b", "c"]) == ["/@context/1", "/@context/2"])
        #expect(unsigned(["b"], ["a", "b"]) == nil)
        #expect(unsigned(["a", "b"], ["a"]) == nil)
        #expect(unsigned([], ["a"]) == nil)
        #expect(unsigned(.null, ["a"]) == nil)
    }

    /// A suite accepts only its own algorithms, and an algorithm only keys of its kind.
    @Test(arguments: [
        ("k1-2019-employee-valid", "ES256"), ("k1-2019-employee-valid", "EdDSA"), ("r1-2019-employee-valid", "ES256K"),
        ("jws2020-es256-employee-valid", "ES384"), ("jws2020-es256k-employee-valid", "ES256"),
        ("jws2020-eddsa-employee-valid", "PS256"), ("jws2020-ps256-employee-valid", "RS256"),
    ]) func foreignAlgorithm(id: String, algorithm: String) throws {
        guard let fixture = try Fixture(id) else { return }
        #expect(try fixture.verify().isAccepted)
        let jws = try #require(fixture.document["proof"]?["jws"]?.string)
        let signature = jws.string.split(separator: ".").last ?? ""
        let header = Base64.encode(Array("{\"alg\":\"\(algorithm)\",\"b64\":false,\"crit\":[\"b64\"]}".utf8))
        let changed = fixture.changingProof("jws", to: .text("\(header)..\(signature)"))
        #expect(try fixture.verify(changed).code == .proofAlgorithm)
    }

    /// Points that are not on the curve, malformed points, and a point next to the other root: each gives a
    /// typed error and no trap, on every curve.
    @Test(arguments: [PublicKey.Curve.p256, .p384, .secp256k1]) func noPoint(curve: PublicKey.Curve) {
        let size = curve.coordinateBytes
        let signature = [UInt8](repeating: 1, count: 2 * size)
        let points: [[UInt8]] = [
            [], [0], [4] + [UInt8](repeating: 0, count: 2 * size), [4] + [UInt8](repeating: 0xFF, count: 2 * size),
            [4] + [UInt8](repeating: 7, count: 2 * size), [2] + [UInt8](repeating: 0xFF, count: size),
            [6] + [UInt8](repeating: 7, count: 2 * size), [5] + [UInt8](repeating: 7, count: size),
        ]
        for point in points {
            #expect(throws: ECDSA.NoPoint.self) {
                try ECDSA.verify(signature, over: [1, 2, 3], curve: curve, point: point)
            }
        }
    }
}
