import Encoding
import Reasons
import Testing

@testable import Credentials

/// Payloads of formats without a verifier, reported by the name of the format.
@Suite struct UnsupportedFormatTests {
    private func verdict(_ payload: [UInt8]) throws -> Verdict {
        Verifier(trust: try TrustStore(TrustMaterial())).verify(payload, at: TestIssuer.clock)
    }

    private static let payloads: [(String, UnsupportedFormat)] = [
        ("HC1:NCFOXN%TS3DH3ZSUZK+.V0ETD", .healthCertificate), ("\nHC1:6BF\n", .healthCertificate),
        ("shc:/5676290952432060346029243740446031222959", .smartHealthCard),
        ("NCFOXN%TS3DH3ZSUZK+.V0ETD", .pixelPass), ("6BFOXN", .pixelPass),
        ("2D3ShEOhASagWEs", .cwt), ("0oRDoQEmoFhL", .cwt), ("d83dd28443a10126a0", .cwt), ("D28443A10126A0", .cwt),
        ("{\"payload\": \"e30\", \"signatures\": [{\"protected\": \"e30\", \"signature\": \"AA\"}]}", .jsonJWS),
        ("{\"payload\": \"e30\", \"protected\": \"e30\", \"signature\": \"AA\"}", .jsonJWS),
        ("{\"protected\": \"e30\", \"iv\": \"AA\", \"ciphertext\": \"AA\", \"tag\": \"AA\"}", .jwe),
        ("eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..AAAA.AAAA.AAAA", .jwe),
        ("{\"schema_id\": \"s\", \"cred_def_id\": \"c\", \"values\": {}, \"signature\": {}}", .anonCreds),
        (
            "{\"@context\": [\"https://www.w3.org/ns/credentials/v2\"], \"type\": \"EnvelopedVerifiableCredential\", "
                + "\"id\": \"data:application/vc+cose;base64,AAAA\"}", .envelopedCOSE
        ),
        (
            "{\"@context\": [\"https://www.w3.org/ns/credentials/v2\"], \"type\": \"EnvelopedVerifiableCredential\", "
                + "\"id\": \"data:application/pdf,AAAA\"}", .enveloped
        ),
    ]

    @Test(arguments: payloads) func isReported(payload: String, wanted: UnsupportedFormat) throws {
        let verdict = try verdict(Array(payload.utf8))
        #expect(verdict.code == .formatUnsupported && verdict.unsupported == wanted, "\(payload)")
        #expect(TrustNeeds(of: Array(payload.utf8), in: try TrustStore(TrustMaterial())).unsupported == wanted)
        let report = VerdictReport(file: "x", verdict: verdict)
        #expect(report.explanation.contains { $0.contains(wanted.title) })
        #expect(try JSON.parse(report.jsonLine)["unsupported"] == .text(wanted.rawValue))
        // The report contains nothing of the payload.
        #expect(!report.jsonLine.contains("NCF") && !report.jsonLine.contains("5676"))
    }

    @Test(arguments: payloads.prefix(9)) func inAWalletsRecord(payload: String, wanted: UnsupportedFormat) throws {
        let record: JSON = ["verifiableCredential": ["credential": .text(payload)]]
        let verdict = try verdict(record.compactBytes)
        #expect(verdict.code == .formatUnsupported && verdict.unsupported == wanted, "\(payload)")
    }

    @Test func asBytes() throws {
        for bytes in [[0xD8, 0x3D, 0xD2, 0x84, 0x43], [0xD2, 0x84, 0x43], [0xD1, 0x84]] as [[UInt8]] {
            #expect(try verdict(bytes).unsupported == .cwt)
        }
    }

    /// A payload that only has a similar beginning keeps its own code.
    @Test(arguments: [
        ("HC2:NCF", ReasonCode.jsonSyntax), ("NCF lower", .jsonSyntax), ("{\"payload\": \"e30\"}", .envelopeUnknown),
        ("{\"ciphertext\": \"AA\"}", .envelopeUnknown), ("eyJhIjoxfQ.a.b.c.d", .proofMalformed),
        ("{\"cred_def_id\": 1, \"values\": {}}", .envelopeUnknown), ("d28", .jsonSyntax), ("", .jsonSyntax),
    ]) func nothingElse(payload: String, wanted: ReasonCode) throws {
        let verdict = try verdict(Array(payload.utf8))
        #expect(verdict.code == wanted && verdict.unsupported == nil, "\(payload): \(verdict.code)")
    }

    @Test func insideAPresentation() throws {
        let inner: JSON = [
            "@context": "https://www.w3.org/ns/credentials/v2", "type": "EnvelopedVerifiableCredential",
            "id": "data:application/vc+cose,AAAA",
        ]
        let presentation: JSON = [
            "@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiablePresentation"],
            "verifiableCredential": [inner], "proof": ["type": "DataIntegrityProof"],
        ]
        let verdict = try verdict(presentation.compactBytes)
        #expect(verdict.unsupported == .envelopedCOSE && verdict.reasons.first?.pointer == "/verifiableCredential/0/id")
    }

    @Test func titlesAreDifferent() {
        #expect(Set(UnsupportedFormat.allCases.map(\.title)).count == UnsupportedFormat.allCases.count)
    }
}
