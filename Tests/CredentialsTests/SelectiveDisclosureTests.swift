import Encoding
import Foundation
import LinkedData
import Reasons
import TestKit
import Testing

@testable import Credentials

/// ecdsa-sd-2023: statements that a holder may withhold, and statements that cannot be changed.
@Suite struct SelectiveDisclosureTests {
    private static func fixture() throws -> Fixture? {
        try Fixture("ecdsa-sd-2023.employ.derivedRevealDocument@compat", in: "vc/di-ecdsa")
    }

    private static func proofValue(_ fixture: Fixture) -> [UInt8] {
        let text = fixture.document["proof"]?["proofValue"]?.string?.string ?? ""
        return Base64.decodeURL(text.dropFirst()) ?? []
    }

    @Test func acceptsWhatTheHolderShows() throws {
        guard let fixture = try Self.fixture() else { return }
        #expect(try fixture.verify().isAccepted)
        let value = try #require(SelectiveDisclosureProof(.init("u" + Base64.encode(Self.proofValue(fixture)))))
        #expect(!value.signatures.isEmpty && !value.mandatory.isEmpty && value.ephemeralKey.count == 35)
    }

    /// Neither mandatory nor disclosed statements can be changed, removed or added.
    @Test func refusesOtherStatements() throws {
        guard let fixture = try Self.fixture() else { return }
        #expect(try fixture.verify(fixture.changing("validUntil", to: "2030-01-01T00:00:00Z")).code == .proofInvalid)
        #expect(try fixture.verify(fixture.changing("validFrom", to: nil)).code == .proofInvalid)
        let name: Text = "name"
        #expect(try fixture.verify(fixture.changing(name, to: "More")).code == .proofInvalid)
        #expect(try fixture.verify(fixture.changingProof("created", to: "2024-01-01T00:00:00Z")).code == .proofInvalid)
    }

    /// No truncated and no changed proof value is accepted, and none traps.
    @Test func damagedProofValues() throws {
        guard let fixture = try Self.fixture() else { return }
        let bytes = Self.proofValue(fixture)
        var step = 1
        for index in stride(from: 0, to: bytes.count, by: 7) {
            var damaged = bytes
            damaged[index] ^= UInt8(truncatingIfNeeded: 1 << (step % 8))
            step += 1
            for value in [damaged, Array(bytes.prefix(index))] {
                let text = JSON.text("u" + Base64.encode(value))
                let verdict = try fixture.verify(fixture.changingProof("proofValue", to: text))
                #expect([.proofInvalid, .proofMalformed, .keyMalformed].contains(verdict.code))
            }
        }
    }

    /// The holder can withhold one of two entries, even if the shown entry is mandatory, unless the issuer's entry
    /// states that mandatory values are mandatory as a whole.
    @Test func noEntryOfAStatusMayBeWithheld() throws {
        let status: Text = "https://www.w3.org/2018/credentials#credentialStatus"
        var twins = try RespellingTwins(.ecdsaSD2023)
        let lists = try ["revocation", "suspension"].map { purpose in
            try twins.list(purpose, set: false) {
                $0["credentialSubject"] = .object(
                    ($0["credentialSubject"]?.object ?? [:]).with("statusPurpose", .text(purpose)))
            }
        }
        func verdict(
            _ shown: [String], optional: Set<Text>, allowed: Bool = false, whole: Bool = false
        ) throws -> Verdict {
            var material = TrustMaterial(issuers: [TrustedIssuer(id: twins.issuer.id)])
            material.contexts = twins.issuer.contexts.mapValues(\.compactBytes)
            for (url, list) in lists { material.statusLists[url] = list.compactBytes }
            (material.issuers[0].mayWithholdStatus, material.issuers[0].takesArraysWhole) = (allowed, whole)
            var document = twins.template
            let entries = shown.map { RespellingTwins.entry($0, purpose: .text($0)) }
            if !entries.isEmpty { document["credentialStatus"] = .array(entries) }
            twins.issuer.optional = optional
            return Verifier(trust: try TrustStore(material))
                .verify(try twins.issuer.sign(document).compactBytes, at: RespellingTwin.clock)
        }
        for shown in [["suspension"], ["revocation", "suspension"], []] {
            for (optional, whole) in [([status], false), ([status], true), ([], false)] as [(Set<Text>, Bool)] {
                let refused = try verdict(shown, optional: optional, whole: whole)
                #expect(refused.code == .statusUnavailable, "\(shown)")
                #expect(refused.reasons.first?.detail?.word == "withheld", "\(shown)")
                #expect(try verdict(shown, optional: optional, allowed: true).code == .ok, "\(shown)")
            }
        }
        #expect(try verdict(["revocation", "suspension"], optional: [], whole: true).code == .ok)
        #expect(try verdict(["suspension"], optional: ["https://works.example/ns#level"], whole: true).code == .ok)
    }

    /// The data model gives a credential one issuer and one start. Other nodes may have several.
    @Test func onlyTheCredentialHasOneIssuer() {
        let (root, other) = (Term.iri("urn:c"), Term.iri("urn:o"))
        var graph = PolicyFixture.graph(
            [root, other].map { Quad($0, CredentialVocabulary.issuer, .iri("urn:i")) }, root: root)
        graph.mandatory = [0, 1]
        #expect(graph.isComplete(CredentialVocabulary.issuer, at: root))
        #expect(!graph.isComplete(CredentialVocabulary.issuer, at: other))
    }

    /// In the W3C's example, two of four sails are mandatory. A holder may withhold the other two.
    @Test func withheldSails() throws {
        guard let fixture = try Fixture("data-integrity-cases.ecdsa_sd_2023.verification@compat", in: "vc/ssi") else {
            return
        }
        #expect(try fixture.verify().isAccepted)
        let names =
            ["https://www.w3.org/2018/credentials#credentialSubject"]
            + ["sails", "sailName"].map { "https://windsurf.grotto-networking.com/selective#" + $0 }
        let path = "[" + names.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
        func code(_ rules: String) throws -> String {
            var fixture = fixture
            fixture.policy = VerificationPolicy(try PolicyFixture.parse(rules))
            fixture.policy.statedProfile = .compat
            return try fixture.verify().code.text
        }
        let accept = "[[accept]]\nid = \"r\"\n"
        // The issuer signed the value, and the holder does not show it.
        let kihei = "{ claim = \(path), contains = \"Kihei\" }"
        #expect(try code("[[deny]]\nid = \"d\"\nwhen = [ \(kihei) ]\n" + accept) == "policy.d")
        #expect(try code(accept + "require = [ { not = \(kihei) } ]\n") == "policy.r")
        #expect(try code(accept + "require = [ { claim = \(path), equals = \"Lahaina\" } ]\n") == "policy.r")
        #expect(try code(accept + "require = [ { claim = \(path), contains = \"Lahaina\" } ]\n") == "ok")
        let subjects = "subjects = [ \"did:example:lost\" ]\n"
        #expect(try code("[[deny]]\nid = \"d\"\n" + subjects + accept) == "policy.d")
    }

    /// A base proof can disclose everything, so it is for the holder only.
    @Test func refusesBaseProofs() throws {
        guard let fixture = try Fixture("ecdsa-sd-2023.employ.addSignedSDBase@compat", in: "vc/di-ecdsa") else {
            return
        }
        #expect(try fixture.verify().code == .proofMalformed)
    }
}
