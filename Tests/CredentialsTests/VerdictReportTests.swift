import Encoding
import Reasons
import Testing

@testable import Credentials

/// The output of `gatehouse verify`, and the values that it is made of.
@Suite struct VerdictReportTests {
    private let issuer: TestIssuer

    init() throws { issuer = try TestIssuer(seed: 7) }

    private func report(_ change: (inout JSONObject) -> Void = { _ in }) throws -> VerdictReport {
        var document = try #require(try issuer.sign(issuer.template).object)
        change(&document)
        var stages: [VerdictReport.StageTime] = []
        let verdict = Verifier(trust: try TrustStore(issuer.material), policy: VerificationPolicy(version: "p-1"))
            .verify(
                JSON.object(document).compactBytes, at: TestIssuer.clock,
                onStage: { stages.append(.init($0, microseconds: 5)) })
        return VerdictReport(file: "a\"b.json", verdict: verdict, stages: stages)
    }

    @Test func accepted() throws {
        let report = try report()
        let line = try JSON.parse(report.jsonLine)
        #expect(line.object?.names == ["file", "decision", "reasons", "stages", "trust", "policy"])
        #expect(line["file"] == "a\"b.json" && line["decision"] == "accept" && line["policy"] == "p-1")
        #expect(line["reasons"] == [["code": "ok", "severity": "info"]])
        let stages: [Stage] = [
            .input, .syntax, .envelope, .shape, .validity, .issuer, .contexts, .key, .proof, .claims, .status, .holder,
            .replay,
        ]
        #expect(report.stages.map(\.stage) == stages)
        #expect(line["stages"]?.array?.first == ["name": "input", "us": 5])
        #expect(report.explanation.contains("  ACCEPTED (ok)"))
    }

    @Test func rejected() throws {
        let report = try report { $0["vip"] = true }
        let line = try JSON.parse(report.jsonLine)
        #expect(line["decision"] == "reject")
        #expect(line["reasons"]?.array?.first == ["code": "claims.unsigned", "pointer": "/vip", "severity": "error"])
        #expect(report.stages.last?.stage == .claims)
        let text = report.explanation.joined(separator: "\n")
        #expect(
            text.contains("FAILED  claims outside the signature")
                && text.contains("revocation and suspension: not reached"))
        #expect(text.contains(ReasonCode.claimsUnsigned.remedy))
    }

    /// The report contains the status with the age of its list, even if the status decided.
    @Test func statusWithTheAgeOfItsList() throws {
        let url: Text = "https://issuer.example/status/1"
        func report(set: [Int]) throws -> VerdictReport {
            var document = issuer.template
            document["credentialStatus"] = [
                "id": "https://issuer.example/status/1#7", "type": "BitstringStatusListEntry",
                "statusPurpose": "revocation", "statusListIndex": "7", "statusListCredential": .string(url),
            ]
            var material = issuer.material
            material.statusLists[url] = try issuer.statusList(url: url, set: set) {
                $0["validFrom"] = .text(TestIssuer.clock.utc.advanced(by: .seconds(-3 * 3600)).rfc3339)
            }
            let verdict = Verifier(trust: try TrustStore(material))
                .verify(try issuer.sign(document).compactBytes, at: TestIssuer.clock)
            return VerdictReport(file: "x", verdict: verdict)
        }
        for (set, value) in [([], "valid"), ([7], "revoked")] as [([Int], String)] {
            let report = try report(set: set)
            #expect(
                try JSON.parse(report.jsonLine)["status"] == [
                    [
                        "pointer": "/credentialStatus", "purpose": "revocation", "value": .text(value), "age": 10_800,
                    ]
                ])
            #expect(report.explanation.contains("  status   revocation: \(value) by a list of 3 h ago"))
        }
    }

    /// Text from a credential cannot control the operator's terminal.
    @Test func explanationIsPrintable() throws {
        let report = try report {
            $0["type"] = ["VerifiableCredential", "\u{1B}[2J\u{202E}evil"]
            $0["credentialSubject"] = ["id": "did:example:other"]
        }
        let text = report.explanation.joined()
        #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}") && text.contains("evil"))
    }

    @Test func builtInContextsHaveTheirHash() {
        #expect(BuiltInContexts.documents.count == BuiltInContexts.all.count)
        #expect(Set(ProofSuite.all.compactMap(\.context)).isSubset(of: Set(BuiltInContexts.documents.keys)))
    }

    @Test func trustVersionNamesTheContent() throws {
        var material = issuer.material
        let version = try TrustStore(material).version
        material.issuers[0].keyPurpose = .didWide
        #expect(try TrustStore(material).version != version)
        material.issuers[0].keyPurpose = .strict
        #expect(try TrustStore(material).version == version)
        material.statusLists["https://example.org/1"] = [1]
        #expect(try TrustStore(material).version != version)
        material.documents = [Array("{}".utf8)]
        #expect(throws: TrustStore.Failure.document(0)) { try TrustStore(material) }
    }
}
