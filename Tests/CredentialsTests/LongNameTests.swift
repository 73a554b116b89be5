import Encoding
import Reasons
import Testing

@testable import Credentials

/// Long names above many members. Places are made only for reports to people. If a place were made for each member,
/// each of these tests would take minutes or gigabytes.
@Suite(.timeLimit(.minutes(10))) struct LongNameTests {
    private static let name = Text(String(repeating: "n", count: 700_000))

    private func code(_ document: JSONObject, _ material: TrustMaterial) throws -> String {
        Verifier(trust: try TrustStore(material))
            .verify(JSON.object(document).compactBytes, at: TestIssuer.clock).code.text
    }

    @Test func shapeAndContexts() throws {
        let issuer = try TestIssuer(seed: 9)
        let many = JSON.object(JSONObject((0..<20_000).map { .init(Text("a\($0)"), ["b": 1]) }))
        let document = issuer.template.with(Self.name, many).with("proof", ["type": "Ed25519Signature2020"])
        #expect(try code(document.without("issuer"), issuer.material) == "shape.issuer")
        let stranger = document.with("zz", ["@context": "https://nowhere.example/v1"])
        #expect(try code(stranger, issuer.material) == "context.not-pinned")
    }

    /// Digests of withheld members: no place is made for each of them.
    @Test(arguments: [true, false]) func withheld(asElements: Bool) throws {
        let forge = try TokenForge()
        let digests = (0..<20_000).map { JSON.text("d\($0)") }
        let token = try forge.sdJWT {
            $0[Self.name] = asElements ? .array(digests.map { ["...": $0] }) : ["_sd": .array(digests)]
        }
        let verdict = try forge.verify(token)
        #expect(verdict.code == (asElements ? .inputTooLarge : .ok))
        let short = try forge.sdJWT { $0["zones"] = .array(digests.map { ["...": $0] }) }
        #expect(try forge.verify(short).code == .ok)
    }

    /// The meaning of types is determined only after the types are known to be signed.
    @Test func types() throws {
        let issuer = try TestIssuer(seed: 9)
        var material = issuer.material
        material.issuers[0].types = ["https://works.example/ns#Pass"]
        let types: [JSON] = ["VerifiableCredential"] + (0..<11_000).map { .text("urn:type:\($0)") }
        let document = issuer.template.with("type", .array(types))
        let unsigned = document.with(
            "proof",
            [
                "type": "Ed25519Signature2020", "proofPurpose": "assertionMethod",
                "verificationMethod": .string(issuer.method), "proofValue": "z1",
            ])
        #expect(try code(unsigned, material) == "proof.malformed")
        for signed in [try issuer.sign(document), try issuer.signText(document)] {
            #expect(try code(#require(signed.object), material) == "issuer.not-for-type")
        }
    }
}
