import Encoding
import Reasons
import Testing

@testable import Credentials

/// Deny rules and the replay window by subject and by credential, in every format.
@Suite struct SubjectRuleTests {
    private static let deny =
        "[[deny]]\nid = \"d\"\nsubjects = [ \"did:example:lost\" ]\n[[accept]]\nid = \"r\"\n"

    private func code(_ pass: RuleCredential, _ showing: RuleShowing, _ rules: String = deny) throws -> String {
        pass.verdict(showing, try PolicyFixture.parse(rules), try TrustStore(pass.material)).code.text
    }

    @Test(arguments: RuleFormat.allCases.filter { $0 != .mdoc }) func listed(in format: RuleFormat) throws {
        let lost = try RuleCredential(
            format, ["level": 3], subject: "did:example:lost", respellings: 60, of: ["id", "credentialSubject"])
        for showing in [lost.full] + lost.choices { #expect(try code(lost, showing) != "ok", "\(showing.name)") }
        #expect(try code(lost, lost.full) == "policy.d")
        let other = try RuleCredential(format, ["level": 3], takesArraysWhole: true, subject: "did:example:other")
        #expect(try code(other, other.full) == "ok")
    }

    /// The holder may have to show only one of several subjects.
    @Test func aHiddenSubjectNextToAShownOne() throws {
        let other = try RuleCredential(.disclosed, ["level": 3], isMandatory: true, subject: "did:example:other")
        #expect(try code(other, other.full) == "policy.d")
        #expect(try code(other, other.full, "[[accept]]\nid = \"r\"\n") == "ok")
    }

    /// An unknown subject is denied, as the corresponding condition would deny it.
    @Test(arguments: RuleFormat.allCases.filter { $0 != .mdoc }) func unnamed(in format: RuleFormat) throws {
        let pass = try RuleCredential(format, ["level": 3], subject: nil)
        #expect(try code(pass, pass.full) == "policy.d")
        #expect(try code(pass, pass.full, "[[accept]]\nid = \"r\"\n") == "ok")
    }

    @Test func withheldSubject() throws {
        let pass = try RuleCredential(.sdJWT, ["level": 3], subject: "did:example:other")
        let withheld = try #require(pass.choices.last)
        #expect(try code(pass, withheld, "[[accept]]\nid = \"r\"\n") == "ok")
        #expect(try code(pass, withheld) == "policy.d")
    }

    // MARK: - Several subjects

    private func signed(_ subjects: JSON, by issuer: TestIssuer, text: Bool) throws -> JSON {
        let document = issuer.template.with("credentialSubject", subjects)
        return text ? try issuer.signText(document) : try issuer.sign(document)
    }

    private func verdict(_ document: JSON, _ rules: String, _ issuer: TestIssuer, recent: Set<[UInt8]> = []) throws
        -> Verdict
    {
        let policy = VerificationPolicy(try PolicyFixture.parse(rules))
        return Verifier(trust: try TrustStore(issuer.material), policy: policy)
            .verify(document.compactBytes, recent: recent, at: TestIssuer.clock)
    }

    @Test(arguments: [false, true]) func oneOfSeveral(text: Bool) throws {
        let issuer = try TestIssuer(seed: 9)
        for (subjects, wanted) in [
            ([["id": "did:example:a"], ["id": "did:example:lost"]], "policy.d"),
            ([["id": "did:example:lost"], ["id": "did:example:a"]], "policy.d"),
            ([["id": "did:example:a"], ["id": "did:example:b"]], "ok"),
        ] as [(JSON, String)] {
            let document = try signed(subjects, by: issuer, text: text)
            #expect(try verdict(document, Self.deny, issuer).code.text == wanted)
        }
    }

    @Test(arguments: [false, true]) func replayBySubject(text: Bool) throws {
        let issuer = try TestIssuer(seed: 9)
        let rules = "replay.key = \"subject\"\n[[accept]]\nid = \"r\"\n"
        let both = try signed([["id": "did:example:a"], ["id": "did:example:b"]], by: issuer, text: text)
        for name in ["a", "b"] {
            let alone = try signed(["id": .text("did:example:" + name)], by: issuer, text: text)
            let seen = Set(try verdict(alone, rules, issuer).replayKeys)
            #expect(try verdict(both, rules, issuer, recent: seen).code == .replaySeen, "\(name) alone, then both")
            let keys = Set(try verdict(both, rules, issuer).replayKeys)
            #expect(try verdict(alone, rules, issuer, recent: keys).code == .replaySeen, "both, then \(name) alone")
        }
    }

    // MARK: - Two proofs on one credential

    /// One proof leaves a choice of statements to the holder, and a second proof does not. Under either proof, a
    /// credential with an id is recognised as seen.
    @Test func oneOfTwoProofsWhereOneLeavesAChoice() throws {
        let issuer = try TestIssuer(seed: 9)
        let signer = try GraphSigner(.ecdsaSD2023)
        var material = issuer.material
        material.issuers[0].controllers = [signer.id]
        func verdict(_ document: JSON, recent: Set<[UInt8]> = []) throws -> Verdict {
            Verifier(trust: try TrustStore(material))
                .verify(document.compactBytes, recent: recent, at: TestIssuer.clock)
        }
        func showings(_ document: JSONObject) throws -> [JSON] {
            let whole = try #require(try issuer.sign(document)["proof"])
            let choice = try #require(try signer.sign(document)["proof"])
            return ([[whole, choice], [choice, whole], whole, choice] as [JSON]).map {
                .object(document.with("proof", $0))
            }
        }
        let shown = try showings(issuer.template.with("id", "urn:uuid:1"))
        for first in shown {
            let before = try verdict(first)
            #expect(before.code == .ok)
            for second in shown {
                #expect(try verdict(second, recent: Set(before.replayKeys)).code == .replaySeen)
            }
        }
        // An id is specific to its issuer: another credential, and the same id by another issuer, are new.
        let keys = Set(try verdict(shown[2]).replayKeys)
        let other = try showings(issuer.template.with("id", "urn:uuid:2"))
        #expect(try verdict(other[2], recent: keys).code == .ok)
        let stranger = try TestIssuer(seed: 10)
        material.issuers.append(TrustedIssuer(id: stranger.id))
        let same = try stranger.sign(stranger.template.with("id", "urn:uuid:1"))
        #expect(try verdict(same, recent: keys).code == .ok)
    }

    /// One issuer makes two proofs, over the text and over the graph. The name of the signed content is the same under
    /// either proof.
    @Test func oneOfTwoProofs() throws {
        let issuer = try TestIssuer(seed: 9)
        let document = issuer.template
        let graph = try #require(try issuer.sign(document)["proof"])
        let text = try #require(try issuer.signText(document)["proof"])
        let shown: [JSON] = [[graph, text], [text, graph], graph, text]
        let accept = "[[accept]]\nid = \"r\"\n"
        let verdicts = try shown.map { try verdict(.object(document.with("proof", $0)), accept, issuer) }
        #expect(verdicts.map(\.code.text) == ["ok", "ok", "ok", "ok"])
        let digests = verdicts.compactMap(\.credential.signedDigest)
        #expect(digests.count == 4 && Set(digests).count == 1)
        #expect(Set(verdicts.map { Set($0.replayKeys) }).count == 1)
        for digest in digests {
            let deny = "[[deny]]\nid = \"d\"\ncredentials = [ \"sha256:\(Hex.encode(digest))\" ]\n" + accept
            for proof in shown {
                #expect(try verdict(.object(document.with("proof", proof)), deny, issuer).code.text == "policy.d")
            }
        }
    }
}
