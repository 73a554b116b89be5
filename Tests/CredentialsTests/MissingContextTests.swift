import Encoding
import Reasons
import Testing

@testable import Credentials

/// `context.not-pinned` names every context that is not pinned.
@Suite struct MissingContextTests {
    private let issuer: TestIssuer

    init() throws { issuer = try TestIssuer(seed: 11) }

    private func verdict(
        _ contexts: [JSON], _ material: TrustMaterial? = nil, subject: JSON = ["id": "did:example:holder"]
    ) throws -> Verdict {
        var document = issuer.template
        document["@context"] = .array([.string("https://www.w3.org/ns/credentials/v2")] + contexts)
        document["credentialSubject"] = subject
        document["proof"] = ["type": "Ed25519Signature2020", "verificationMethod": .string(issuer.method)]
        let trust = try TrustStore(material ?? issuer.material)
        return Verifier(trust: trust).verify(JSON.object(document).compactBytes, at: TestIssuer.clock)
    }

    @Test func allOfThem() throws {
        let verdict = try verdict(
            ["https://x.example/a", "https://w3id.org/security/suites/ed25519-2020/v1", "https://x.example/b"],
            subject: [
                "id": "did:example:holder", "part": ["@context": ["https://x.example/c", "https://x.example/a"]],
            ])
        #expect(verdict.code == .contextNotPinned && verdict.reasons.first?.pointer == "/@context/1")
        #expect(verdict.missing == ["https://x.example/a", "https://x.example/b", "https://x.example/c"])
        let report = VerdictReport(file: "x", verdict: verdict)
        let line = try JSON.parse(report.jsonLine)
        #expect(line["missing"] == ["https://x.example/a", "https://x.example/b", "https://x.example/c"])
        for url in verdict.missing { #expect(report.explanation.contains("  missing  context \(url)")) }
    }

    @Test func thoseThatTheIssuerMayNotUse() throws {
        var material = issuer.material
        material.issuers[0].contexts = ["https://www.w3.org/ns/credentials/v2"]
        let verdict = try verdict(["https://w3id.org/security/suites/ed25519-2020/v1"], material)
        #expect(verdict.code == .contextNotPinned)
        #expect(verdict.missing == ["https://w3id.org/security/suites/ed25519-2020/v1"])
    }

    /// A pinned context refers to a context that is not pinned.
    @Test func thoseOfAPinnedContext() throws {
        var material = issuer.material
        material.contexts["https://x.example/a"] = Array(#"{"@context": "https://x.example/b"}"#.utf8)
        let verdict = try verdict(["https://x.example/a"], material)
        #expect(verdict.code == .contextNotPinned && verdict.missing == ["https://x.example/b"])
    }

    @Test func bounded() throws {
        let many = try verdict((0..<1000).map { .text("https://x.example/\($0)") })
        #expect(many.code == .contextNotPinned && many.missing.count == Limits().missingContexts)
        let long = try verdict([.text("https://x.example/" + String(repeating: "a", count: 4000))])
        #expect(long.code == .contextNotPinned && long.missing.isEmpty)
    }

    @Test func nothingElseNamesAny() throws {
        var material = issuer.material
        material.issuers = []
        let verdict = try verdict(["https://x.example/a"], material)
        #expect(verdict.code == .issuerUntrusted && verdict.missing.isEmpty && verdict.unsupported == nil)
        #expect(try JSON.parse(VerdictReport(file: "x", verdict: verdict).jsonLine)["missing"] == nil)
    }
}
