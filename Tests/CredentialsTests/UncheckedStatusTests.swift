import Encoding
import LinkedData
import Reasons
import TestKit
import Testing

@testable import Credentials

/// Status entries of a kind for which the gate has no lists. They are refused, unless the issuer's entry names the
/// kind.
@Suite struct UncheckedStatusTests {
    private static let kind: Text = "https://works.example/ns#RevocationList"

    private func verdict(
        _ entry: JSON, types: [Text], suite: GraphSigner.Suite = .eddsaRDFC2022, optional: Set<Text> = [],
        rules: String? = nil
    ) throws -> Verdict {
        var twins = try RespellingTwins(suite)
        twins.issuer.optional = optional
        let signed = try twins.issuer.sign(twins.template.with("credentialStatus", entry))
        var material = TrustMaterial(issuers: [TrustedIssuer(id: twins.issuer.id)])
        material.issuers[0].uncheckedStatusTypes = types
        material.issuers[0].mayWithholdStatus = true
        material.contexts = twins.issuer.contexts.mapValues(\.compactBytes)
        let policy = try rules.map { try VerificationPolicy(PolicyFixture.parse($0)) } ?? VerificationPolicy()
        return Verifier(trust: try TrustStore(material), policy: policy)
            .verify(signed.compactBytes, at: RespellingTwin.clock)
    }

    private let foreign: JSON = ["id": "https://works.example/revoked", "type": "works:RevocationList"]

    @Test func onlyWhatTheEntryNames() throws {
        #expect(try verdict(foreign, types: []).code == .statusUnavailable)
        #expect(try verdict(foreign, types: ["https://works.example/ns#Other"]).code == .statusUnavailable)
        let accepted = try verdict(foreign, types: [Self.kind])
        #expect(accepted.isAccepted && accepted.status.isEmpty)
        let warning = accepted.reasons.first { $0.code == .statusUnavailable }
        #expect(warning?.severity == .warning && warning?.pointer == "/credentialStatus/type")
    }

    /// An entry of a supported kind is still checked, even if the issuer's entry names the kind or the status entry has
    /// another type, too.
    @Test func noKindThatIsRead() throws {
        let list = RespellingTwins.entry("list").object ?? [:]
        let bitstring: Text = "https://www.w3.org/ns/credentials/status#BitstringStatusListEntry"
        #expect(try verdict(.object(list), types: [bitstring]).code == .statusUnavailable)
        let both = list.with("type", ["BitstringStatusListEntry", "works:RevocationList"])
        #expect(try verdict(.object(both), types: [bitstring, Self.kind]).code == .statusUnavailable)
        #expect(try verdict([.object(list), foreign], types: [Self.kind]).code == .statusUnavailable)
    }

    /// A status entry with two supported kinds has neither kind, because no rule decides which kind counts.
    @Test func noEntryOfTwoKinds() throws {
        let list = RespellingTwins.entry("list").object ?? [:]
        let older: JSON = "https://w3id.org/vc/status-list#StatusList2021Entry"
        let both: JSON = .object(list.with("type", ["BitstringStatusListEntry", older]))
        for rules in [nil, "[[accept]]\nid = \"r\"\nstatus = { purposes = [ \"revocation\" ] }\n"] {
            #expect(try verdict(.object(list), types: [Self.kind], rules: rules).code == .statusUnavailable)
            #expect(try verdict(both, types: [Self.kind], rules: rules).code == .statusInvalid)
        }
    }

    /// A type that the holder may withhold could be a supported kind.
    @Test func noTypeThatIsWithheld() throws {
        #expect(try verdict(foreign, types: [Self.kind], suite: .ecdsaSD2023).code == .ok)
        #expect(
            try verdict(foreign, types: [Self.kind], suite: .ecdsaSD2023, optional: [RDF.type]).code
                == .statusUnavailable)
    }

    /// A rule that requires a status gets no answer.
    @Test func noAnswerForRules() throws {
        #expect(try verdict(foreign, types: [Self.kind], rules: "[[accept]]\nid = \"r\"\n").code == .ok)
        let asking = "[[accept]]\nid = \"r\"\nstatus = { purposes = [ \"revocation\" ] }\n"
        #expect(try verdict(foreign, types: [Self.kind], rules: asking).code == .statusUnavailable)
    }

    /// An Open Badge of 1EdTech.
    @Test func openBadge() throws {
        guard let folder = Vectors.path("vc/1edtech") else { return }
        let badge = try #require(try VerdictCase.all(in: folder).first { $0.id == "ob30-complete" })
        for types in [nil, []] as [[Text]?] {
            var material = try badge.material()
            if let types { material.issuers[0].uncheckedStatusTypes = types }
            let verdict = Verifier(trust: try TrustStore(material), policy: badge.policy)
                .verify(try badge.payload(), at: try #require(badge.clock))
            #expect(verdict.code == (types == nil ? .ok : .statusUnavailable))
        }
    }
}
