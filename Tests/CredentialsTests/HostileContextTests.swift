import Encoding
import Reasons
import TestKit
import Testing

@testable import Credentials

/// Unsigned contexts that a stranger writes into a credential. None may cause the verifier much work.
@Suite(.timeLimit(.minutes(10))) struct HostileContextTests {
    private static let chain: JSON = {
        var context = JSONObject((0..<3_500).map { .init(Text("t\($0)"), .text("t\($0 + 1)")) })
        context["t3500"] = "x:y"
        return .object(context)
    }()

    private func verifier(inline: Bool, _ profile: Profile = .strict) throws -> Verifier {
        let issuer = try TestIssuer(seed: 0x42)
        var material = issuer.material
        material.issuers = [TrustedIssuer(id: issuer.id, inlineContexts: inline)]
        return Verifier(trust: try TrustStore(material), policy: VerificationPolicy(profile: profile))
    }

    private func code(_ document: JSON, _ verifier: Verifier) -> ReasonCode {
        verifier.verify(document.compactBytes, at: TestIssuer.clock).code
    }

    /// The document has no shape, no proof and no issuer. The verifier may still examine its contexts for a more
    /// precise reason.
    @Test func chainsWithoutShape() throws {
        for inline in [true, false] {
            for type in ["VerifiableCredential", "VerifiablePresentation"] {
                let document: JSON = ["@context": [Self.chain], "type": [.text(type)]]
                let code = code(document, try verifier(inline: inline))
                #expect(code.text.hasPrefix("shape."))
            }
        }
    }

    @Test func chainsOfIssuersWithInlineContexts() throws {
        let issuer = try TestIssuer(seed: 0x42)
        var document = issuer.template
        document["@context"] = .array((document["@context"]?.array ?? []) + [Self.chain])
        document["proof"] = [
            "type": "Ed25519Signature2020", "created": "2026-01-01T00:00:00Z", "proofPurpose": "assertionMethod",
            "verificationMethod": .string(issuer.method), "proofValue": "z1",
        ]
        #expect(code(.object(document), try verifier(inline: true)) == .contextInvalid)
        #expect(code(.object(document), try verifier(inline: false)) == .contextInlineForbidden)
    }

    /// If inline contexts are forbidden, the verifier does not process a stranger's contexts in order to explain a
    /// missing shape.
    @Test func contextsThatHideAShape() throws {
        let document: JSON = [
            "@context": [
                "https://www.w3.org/ns/credentials/v2", ["who": "https://www.w3.org/2018/credentials#issuer"],
            ],
            "type": ["VerifiableCredential"], "who": "did:example:a", "credentialSubject": ["id": "did:example:b"],
        ]
        #expect(code(document, try verifier(inline: true)) == .shapeSpelling)
        #expect(code(document, try verifier(inline: false, .compat)) == .shapeSpelling)
        let strict = code(document, try verifier(inline: false))
        #expect(strict != .shapeSpelling && strict.text.hasPrefix("shape."))
    }
}
