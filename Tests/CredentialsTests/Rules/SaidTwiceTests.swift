import Encoding
import LinkedData
import Reasons
import Testing

@testable import Credentials

/// Members that are signed twice, or under an unexpected name. The tests concern only the reading of statements,
/// because the spelling check would refuse each of these documents.
@Suite struct SaidTwiceTests {
    private let twins: RespellingTwins

    init() throws { twins = try RespellingTwins(.eddsaRDFC2022) }

    private static func property(_ name: String) -> Text { Text("https://www.w3.org/2018/credentials#" + name) }
    private static func status(_ name: String) -> Text { Text("https://www.w3.org/ns/credentials/status#" + name) }
    private static func security(_ name: String) -> Text { Text("https://w3id.org/security#" + name) }

    private static func date(_ date: Text) -> JSON {
        ["@type": "http://www.w3.org/2001/XMLSchema#dateTime", "@value": .string(date)]
    }

    private func signed(_ changes: (inout JSONObject) -> Void) throws -> JSON {
        var document = twins.template
        changes(&document)
        return try twins.issuer.sign(document)
    }

    private func presented(_ changes: (inout JSONObject) -> Void) throws -> JSON {
        var document: JSONObject = [
            "@context": twins.holder.heads(), "id": "urn:uuid:2", "type": ["VerifiablePresentation"],
            "verifiableCredential": [try signed { _ in }],
        ]
        changes(&document)
        return try twins.holder.sign(document, purpose: "authentication") { $0["challenge"] = "n-1" }
    }

    private func verdict(
        _ document: JSON, lists: [(Text, JSON)] = [], rules: String? = nil, demand: HolderDemand = .init(),
        issuer: GraphSigner? = nil, takesArraysWhole: Bool = false
    ) throws -> Verdict {
        let issuer = issuer ?? twins.issuer
        var material = TrustMaterial(issuers: [TrustedIssuer(id: issuer.id)])
        material.issuers[0].takesArraysWhole = takesArraysWhole
        material.contexts = issuer.contexts.mapValues(\.compactBytes)
        for (url, list) in lists { material.statusLists[url] = list.compactBytes }
        let policy = try rules.map { try VerificationPolicy(PolicyFixture.parse($0)) } ?? VerificationPolicy()
        var verifier = Verifier(trust: try TrustStore(material), policy: policy)
        verifier.checksSpelling = false
        return verifier.verify(document.compactBytes, demand: demand, at: RespellingTwin.clock)
    }

    @Test func datesAndIssuers() throws {
        let earlier = try signed { $0[Self.property("validUntil")] = Self.date("2026-02-01T00:00:00Z") }
        #expect(try verdict(earlier).code == .validityExpired)
        let later = try signed { $0[Self.property("validFrom")] = Self.date("2026-12-01T00:00:00Z") }
        #expect(try verdict(later).code == .validityNotYet)
        let other = try signed { $0[Self.property("issuer")] = ["@id": "did:example:other"] }
        #expect(try verdict(other).code == .shapeIssuer)
        #expect(try verdict(signed { _ in }).isAccepted)
    }

    @Test func proofOptions() throws {
        let expired = try twins.issuer.sign(twins.template) {
            $0[Self.security("expiration")] = Self.date("2026-02-01T00:00:00Z")
            $0["expires"] = "2026-12-01T00:00:00Z"
        }
        #expect(try verdict(expired).code == .proofExpired)
        let demand = HolderDemand(nonce: "n-1")
        #expect(try verdict(presented { _ in }, demand: demand).isAccepted)
        let two = try twins.holder.sign(
            [
                "@context": twins.holder.heads(), "type": ["VerifiablePresentation"],
                "verifiableCredential": [try signed { _ in }],
            ], purpose: "authentication"
        ) {
            $0["challenge"] = "n-1"
            $0[Self.security("challenge")] = "n-2"
        }
        #expect(try verdict(two, demand: demand).code == .holderInvalid)
    }

    @Test func presentations() throws {
        let holders = try presented {
            $0["holder"] = .string(twins.holder.id)
            $0[Self.property("holder")] = ["@id": "did:example:other"]
        }
        #expect(try verdict(holders).code == .shapeSpelling)
        let other = try presented { $0[Self.property("holder")] = ["@id": "did:example:other"] }
        #expect(try verdict(other).code == .holderInvalid)
        let hidden = try presented {
            $0[Self.property("verifiableCredential")] = [
                "@graph": ["@id": "urn:uuid:3", "https://works.example/ns#level": 9]
            ]
        }
        #expect(try verdict(hidden).code == .shapeSpelling)
    }

    /// The holder chooses which of two credentials is the outermost.
    @Test func twoCredentials() throws {
        let second: JSON = ["id": "urn:uuid:9", "type": "VerifiableCredential", "callName": "x"]
        #expect(try verdict(signed { $0["@included"] = [second] }).code == .shapeSpelling)
        let inside = try signed { document in
            document["credentialSubject"] = .object(twins.subject.with("manager", second))
        }
        #expect(try verdict(inside).isAccepted)
        let circle = try signed { document in
            document["credentialSubject"] = .object(
                twins.subject.with(
                    "manager",
                    ["id": "urn:uuid:9", "type": "VerifiableCredential", "manager": document["id"] ?? nil]))
        }
        #expect(try verdict(circle).code == .shapeSpelling)
    }

    @Test func statusLists() throws {
        let clean = try twins.list("list", set: false)
        let pass = try signed { $0["credentialStatus"] = RespellingTwins.entry("list") }
        #expect(try verdict(pass, lists: [clean]).isAccepted)
        let entry = RespellingTwins.entry("list").object ?? [:]
        let indexes = try signed {
            $0["credentialStatus"] = .object(entry.with(Self.status("statusListIndex"), "8"))
        }
        #expect(try verdict(indexes, lists: [clean]).code == .statusInvalid)
        let letters = try #require(clean.1["credentialSubject"]?["encodedList"])
        let lists = try twins.list("list", set: false) { document in
            let subject = document["credentialSubject"]?.object ?? [:]
            document["credentialSubject"] = .object(subject.with(Self.status("encodedList"), "uAAAA"))
        }
        #expect(try verdict(pass, lists: [lists]).code == .statusInvalid)
        let subjects = try twins.list("list", set: false) {
            $0[Self.property("credentialSubject")] = [
                "type": "BitstringStatusList", "statusPurpose": "revocation", "encodedList": letters,
            ]
        }
        #expect(try verdict(pass, lists: [subjects]).code == .statusInvalid)
        // The age that a list states is also read by its property.
        let old = try twins.list("list", set: false) {
            $0[Self.property("validFrom")] = Self.date("2026-01-01T00:00:00Z")
            $0["validFrom"] = nil
        }
        let rules = "[[accept]]\nid = \"r\"\nstatus = { max-age = \"7d\" }\n"
        let renewed = RespellingTwin.clock.utc.advanced(by: .seconds(-3600)).rfc3339
        let young = try twins.list("list", set: false) { $0["validFrom"] = .text(renewed) }
        #expect(try verdict(pass, lists: [young], rules: rules).isAccepted)
        #expect(try verdict(pass, lists: [old], rules: rules).status.first?.age ?? .zero > .seconds(7 * 86_400))
    }

    @Test func subjects() throws {
        let deny = "[[deny]]\nid = \"d\"\nsubjects = [ \"did:example:lost\" ]\n[[accept]]\nid = \"r\"\n"
        let oneUnnamed = try signed { $0["credentialSubject"] = [["id": "did:example:a"], ["level": 1]] }
        #expect(try verdict(oneUnnamed, rules: deny).code.text == "policy.d")
        #expect(try verdict(signed { _ in }, rules: deny).isAccepted)
        let replay = "replay.key = \"subject\"\n[[accept]]\nid = \"r\"\n"
        let plain = try verdict(
            signed { $0["credentialSubject"] = ["id": "did:example:a", "level": 1] }, rules: replay)
        let keyword = try verdict(
            signed { $0["credentialSubject"] = ["@id": "did:example:a", "level": 1] }, rules: replay)
        #expect(plain.isAccepted && !plain.replayKeys.isEmpty && plain.replayKeys == keyword.replayKeys)
    }

    /// Another subject may be hidden, unless all mandatory subjects must be shown together.
    @Test func aSubjectThatMayBeLeftOut() throws {
        let deny = "[[deny]]\nid = \"d\"\nsubjects = [ \"did:example:lost\" ]\n[[accept]]\nid = \"r\"\n"
        var disclosed = try RespellingTwins(.ecdsaSD2023)
        for (optional, whole, code) in [
            ([], true, "ok"), ([], false, "policy.d"), ([Self.property("credentialSubject")], true, "policy.d"),
        ] as [(Set<Text>, Bool, String)] {
            disclosed.issuer.optional = optional
            let document = try disclosed.issuer.sign(disclosed.template)
            let found = try verdict(document, rules: deny, issuer: disclosed.issuer, takesArraysWhole: whole)
            #expect(found.code.text == code)
        }
    }

    /// Another type may be hidden, unless all mandatory types must be shown together.
    @Test func aTypeThatMayBeLeftOut() throws {
        let deny = "[[deny]]\nid = \"d\"\ntypes = [ \"https://works.example/ns#Other\" ]\n[[accept]]\nid = \"r\"\n"
        var disclosed = try RespellingTwins(.ecdsaSD2023)
        for (optional, code) in [([], "ok"), ([RDF.type], "policy.d")] as [(Set<Text>, String)] {
            disclosed.issuer.optional = optional
            let document = try disclosed.issuer.sign(disclosed.template)
            #expect(try verdict(document, rules: deny, issuer: disclosed.issuer).code.text == code)
        }
    }

    /// Returns the verdict on a presented document of an issuer whose entry does or does not allow dates to
    /// be left out.
    private static func verdict(
        _ document: JSONObject, by issuer: GraphSigner, allowed: Bool, profile: Profile
    ) throws -> Verdict {
        var material = TrustMaterial(issuers: [TrustedIssuer(id: issuer.id)])
        material.contexts = issuer.contexts.mapValues(\.compactBytes)
        material.issuers[0].mayWithholdExpiry = allowed
        return Verifier(trust: try TrustStore(material), policy: VerificationPolicy(profile: profile))
            .verify(try issuer.sign(document).compactBytes, at: RespellingTwin.clock)
    }

    /// A credential whose holder withholds its end is refused, unless the issuer's entry or the "compat" profile allows
    /// it.
    @Test func anEndThatMayBeLeftOut() throws {
        var disclosed = try RespellingTwins(.ecdsaSD2023)
        disclosed.issuer.optional = [Self.property("validUntil"), "https://works.example/ns#level"]
        func code(_ document: JSONObject, allowed: Bool = false, profile: Profile = .strict) throws -> ReasonCode {
            try Self.verdict(document, by: disclosed.issuer, allowed: allowed, profile: profile).code
        }
        let whole = disclosed.template
        let endless = whole.without("validUntil")
        #expect(whole["validUntil"] != nil)
        #expect(try code(whole) == .ok)
        #expect(try code(endless) == .shapeDates)
        #expect(try code(endless, allowed: true) == .ok)
        #expect(try code(endless, profile: .compat) == .ok)
    }

    /// A credential whose holder withholds its start is refused in the same way: a pass for next month is not valid
    /// today.
    @Test func aStartThatMayBeLeftOut() throws {
        var disclosed = try RespellingTwins(.ecdsaSD2023)
        disclosed.issuer.optional = [Self.property("validFrom"), "https://works.example/ns#level"]
        func verdict(_ document: JSONObject, allowed: Bool = false, profile: Profile = .strict) throws -> Verdict {
            try Self.verdict(document, by: disclosed.issuer, allowed: allowed, profile: profile)
        }
        let later = disclosed.template.with("validFrom", "2026-12-01T00:00:00Z")
        #expect(try verdict(disclosed.template).code == .ok)
        #expect(try verdict(later).code == .validityNotYet)
        let hidden = try verdict(later.without("validFrom"))
        #expect(hidden.code == .shapeDates && hidden.reasons.first?.pointer == "/validFrom")
        #expect(hidden.reasons.first?.detail?.word == "withheld")
        #expect(try verdict(later.without("validFrom"), allowed: true).code == .ok)
        #expect(try verdict(later.without("validFrom"), profile: .compat).code == .ok)
    }

    /// A credential of which less is shown is still the same credential.
    @Test func lessOfTheSame() throws {
        var disclosed = try RespellingTwins(.ecdsaSD2023)
        disclosed.issuer.optional = ["https://works.example/ns#level"]
        var less = disclosed.template
        less["credentialSubject"] = .object(disclosed.subject.without("level"))
        let verdicts = try [disclosed.template, less].map {
            try verdict(disclosed.issuer.sign($0), issuer: disclosed.issuer)
        }
        #expect(verdicts.map(\.code) == [.ok, .ok])
        #expect(verdicts[0].replayKeys == verdicts[1].replayKeys && !verdicts[0].replayKeys.isEmpty)
    }
}
