import Encoding
import Reasons
import Testing

@testable import Credentials

/// Rules inside the verifier, with signed credentials.
@Suite struct PolicyVerifierTests {
    private let issuer: TestIssuer
    private let contexts: [Text: [UInt8]]
    private static let terms: Text = "https://works.example/ns/v1"
    private static let aliases: Text = "https://works.example/ns/v2"
    private static let level =
        #"["https://www.w3.org/2018/credentials#credentialSubject", "https://works.example/ns#level"]"#

    init() throws {
        issuer = try TestIssuer(seed: 9)
        let context: JSON = [
            "@context": [
                "StaffPass": "https://works.example/ns#StaffPass", "level": "https://works.example/ns#level",
                "zones": "https://works.example/ns#zone", "wish": "https://works.example/ns#wish",
            ]
        ]
        var material = issuer.material
        material.contexts[Self.terms] = context.compactBytes
        var aliases = context["@context"]?.object ?? [:]
        aliases["areas"] = "https://works.example/ns#zone"
        material.contexts[Self.aliases] = JSON.object(["@context": .object(aliases)]).compactBytes
        contexts = material.contexts
    }

    /// Returns a signed pass with these members of its subject. The issuer's own contexts also define the
    /// terms.
    private func pass(_ subject: JSON, context: JSON = .string(terms)) throws -> JSON {
        var document = issuer.template
        document["@context"] = .array((issuer.template["@context"]?.array ?? []) + [context])
        document["type"] = ["VerifiableCredential", "StaffPass"]
        var holder: JSONObject = ["id": "did:example:holder"]
        for member in subject.object?.members ?? [] { holder[member.name] = member.value }
        document["credentialSubject"] = .object(holder)
        return try issuer.sign(document, contexts: contexts)
    }

    private func verify(
        _ document: JSON, _ rules: String, profile: Profile = .strict, recent: Set<[UInt8]> = [], inline: Bool = false,
        groups: [Text] = [], clock: WallTime = TestIssuer.clock
    ) throws -> Verdict {
        var material = issuer.material
        material.contexts = contexts
        material.issuers[0].inlineContexts = inline
        material.issuers[0].groups = groups
        let policy = try VerificationPolicy(PolicyFixture.parse(rules), over: VerificationPolicy(profile: profile))
        return Verifier(trust: try TrustStore(material), policy: policy)
            .verify(document.compactBytes, recent: recent, at: clock)
    }

    private let staff = "[[accept]]\nid = \"staff\"\ntypes = \"https://works.example/ns#StaffPass\"\n"

    @Test func anAcceptedCredentialNamesItsRule() throws {
        let rules =
            staff + "issuers = \"group:works\"\nrequire = [ { claim = \"/credentialSubject/level\", at-least = 3 } ]"
        let verdict = try verify(pass(["level": 3]), rules, groups: ["works"])
        #expect(verdict.isAccepted && verdict.code == .ok && verdict.rule == "staff")
        #expect(verdict.reasons.map(\.code.text) == ["ok", "policy.staff"])
        #expect(verdict.reasons.map(\.severity) == [.info, .info])
        #expect(verdict.policy.hasPrefix("p@1 sha256:"))
        #expect(verdict.replayKeys == [verdict.credential.signedDigest].compactMap(\.self))
        let low = try verify(pass(["level": 2]), rules, groups: ["works"])
        #expect(!low.isAccepted && low.code.text == "policy.staff" && low.rule == nil)
        #expect(low.reasons.first?.pointer == "/credentialSubject/level" && low.reasons.first?.severity == .error)
        #expect(try verify(pass(["level": 3]), rules).code == .policyNoMatch, "no member of the group")
    }

    @Test func pointersAndPropertiesReadTheSame() throws {
        let rules = staff + "require = [ { claim = \(Self.level), equals = 3 } ]"
        #expect(try verify(pass(["level": 3]), rules).isAccepted)
        #expect(try verify(pass(["level": 4]), rules).code.text == "policy.staff")
    }

    /// The literal text of a type has no meaning; an undefined type is not even signed.
    @Test func shortNamesAreNoTypes() throws {
        let rules = "[[accept]]\nid = \"r\"\ntypes = [\"StaffPass\"]\n"
        #expect(try verify(pass(["level": 3]), rules).code == .policyNoMatch)
    }

    /// The compat profile accepts a credential with members outside the signature, but no rule reads them.
    @Test func unsignedClaimsAreNotRead() throws {
        let rules = staff + "require = [ { claim = \"/credentialSubject/clearance\", equals = \"top\" } ]"
        let unsigned = try pass(["level": 3, "clearance": "top"])
        #expect(try verify(unsigned, staff).code == .claimsUnsigned)
        #expect(try verify(unsigned, staff, profile: .compat).isAccepted)
        let verdict = try verify(unsigned, rules, profile: .compat)
        #expect(verdict.code.text == "policy.staff" && verdict.unsigned == ["/credentialSubject/clearance"])
        // The holder added the member after the signing.
        var forged = try pass(["level": 3]).object ?? [:]
        var subject = forged["credentialSubject"]?.object ?? [:]
        subject["clearance"] = "top"
        forged["credentialSubject"] = .object(subject)
        #expect(try verify(.object(forged), rules, profile: .compat).code.text == "policy.staff")
        #expect(try verify(.object(forged), staff, profile: .compat).isAccepted)
        // Neither the absence nor the presence of an unsigned member counts.
        let absent = staff + "require = [ { not = { claim = \"/credentialSubject/clearance\", equals = \"top\" } } ]"
        #expect(try verify(.object(forged), absent, profile: .compat).code.text == "policy.staff")
    }

    /// The holder replaces the context and the names; the signed graph and the signature stay the same.
    @Test func aNameWithAnotherMeaningIsNotRead() throws {
        let rules = staff + "require = [ { claim = \"/credentialSubject/zones\", contains = \"north\" } ]"
        let wishes = try pass(["wish": "north"])
        #expect(try verify(wishes, rules).code.text == "policy.staff")
        var swapped = wishes.object ?? [:]
        swapped["@context"] = .array(
            (issuer.template["@context"]?.array ?? []) + [
                ["StaffPass": "https://works.example/ns#StaffPass", "zones": "https://works.example/ns#wish"]
            ])
        swapped["credentialSubject"] = ["id": "did:example:holder", "zones": "north"]
        for profile in [Profile.strict, .compat] {
            #expect(
                try verify(.object(swapped), staff, profile: profile, inline: true).isAccepted, "the signature is right"
            )
            let verdict = try verify(.object(swapped), rules, profile: profile, inline: true)
            #expect(verdict.code.text == "policy.staff" && verdict.reasons.first?.pointer == "/credentialSubject/zones")
        }
        let byProperty =
            staff
            + #"require = [ { claim = ["https://www.w3.org/2018/credentials#credentialSubject", "https://works.example/ns#wish"], equals = "north" } ]"#
        #expect(try verify(.object(swapped), byProperty, inline: true).isAccepted)
    }

    /// A pinned context has two names for one property. The holder may exchange the names, so neither is read.
    @Test func aNameThatSharesItsMeaningIsNotRead() throws {
        let byName = staff + "require = [ { claim = \"/credentialSubject/zones\", contains = \"north\" } ]"
        let genuine = try pass(["areas": "north", "zones": "south", "level": 3], context: .string(Self.aliases))
        var swapped = genuine.object ?? [:]
        swapped["credentialSubject"] = ["id": "did:example:holder", "areas": "south", "zones": "north", "level": 3]
        for document in [genuine, .object(swapped)] {
            #expect(try verify(document, staff).isAccepted, "the signature is right")
            let verdict = try verify(document, byName)
            #expect(verdict.code.text == "policy.staff")
            guard case .untold(let what)? = verdict.ruleNotes.last?.outcome else {
                Issue.record("\(verdict.ruleNotes)")
                continue
            }
            #expect(what.contains("use property IRIs"))
            let absent =
                staff
                + "require = [ { claim = \"/credentialSubject/zone\", exists = false }, { not = { claim = \"/credentialSubject/zones\", equals = \"x\" } } ]"
            #expect(try verify(document, absent).code.text == "policy.staff")
            let byMeaning =
                staff
                + #"require = [ { claim = ["https://www.w3.org/2018/credentials#credentialSubject", "https://works.example/ns#zone"], contains-all = ["north", "south"] } ]"#
            #expect(try verify(document, byMeaning).isAccepted)
            #expect(
                try verify(document, staff + "require = [ { claim = \"/credentialSubject/level\", equals = 3 } ]")
                    .isAccepted)
        }
    }

    @Test func policyComesLast() throws {
        let closed = staff + "require = [ { claim = \"/x\", exists = true } ]"
        var broken = try pass(["level": 3]).object ?? [:]
        broken["credentialSubject"] = ["id": "did:example:holder", "level": 4]
        #expect(try verify(.object(broken), closed).code == .proofInvalid)
        var late = TestIssuer.clock
        late.utc = Timestamp(seconds: 1_900_000_000)
        #expect(try verify(pass(["level": 3]), closed, clock: late).code == .validityExpired)
        let document = try pass(["level": 3])
        let digest = try #require(try verify(document, staff).credential.signedDigest)
        #expect(try verify(document, closed, recent: [digest]).code == .replaySeen)
    }

    @Test func anUntrustedClockStopsBeforeTheDates() throws {
        var late = WallTime(utc: Timestamp(seconds: 1_900_000_000), provenance: .saved)
        #expect(try verify(pass(["level": 3]), staff, clock: late).code == .clockUntrusted)
        late = WallTime(utc: TestIssuer.clock.utc, provenance: .rtc, unsynchronised: .seconds(61))
        let rules = "clock.max-unsynced = \"1min\"\n" + staff
        #expect(try verify(pass(["level": 3]), rules, clock: late).code == .clockUntrusted)
        late.unsynchronised = .seconds(60)
        #expect(try verify(pass(["level": 3]), rules, clock: late).isAccepted)
    }

    /// If one of two dates is correct, a credential must be valid and admitted at both dates, whichever date the clock
    /// shows.
    @Test func aClockThatWasMovedAdmitsByBothDates() throws {
        let day =
            "[[accept]]\nid = \"day\"\ntypes = \"https://works.example/ns#StaffPass\"\n"
            + "hours = [ { from = \"07:00\", to = \"19:00\" } ]\n"
        let noon = try #require(Timestamp(rfc3339: TestIssuer.clock.utc.rfc3339.prefix(10) + "T12:00:00Z"))
        func moved(_ shown: Int64, _ other: Int64?, _ rules: String) throws -> Verdict {
            let clock = WallTime(
                utc: noon.advanced(by: .seconds(shown)), provenance: .synchronised,
                alternative: other.map { noon.advanced(by: .seconds($0)) })
            return try verify(pass(["level": 3]), rules, clock: clock)
        }
        let (hour, decade) = (Int64(3600), Int64(10 * 365 * 86_400))
        for rules in [day, staff] {
            #expect(try moved(0, nil, rules).isAccepted && moved(0, 2 * hour, rules).isAccepted)
        }
        for (shown, other) in [(Int64(0), 8 * hour), (0, -6 * hour)] {
            let refused = try moved(shown, other, day)
            #expect(refused.code == .dateUnconfirmed && refused.replayKeys.isEmpty && refused.rule == nil)
            #expect(refused.reasons.dropFirst().first?.code == .policy("day"))
            #expect(try moved(other, shown, day).code == .policy("day"), "the shown date refuses by itself")
            #expect(try moved(shown, other, staff).isAccepted)
        }
        #expect(try moved(0, decade, staff).reasons.map(\.code).prefix(2) == [.dateUnconfirmed, .validityExpired])
        #expect(try moved(decade, 0, staff).code == .validityExpired)
    }

    /// If the duration of a power-off is unknown, a rule's hours must include all times since the last confirmed date.
    /// Everything else is checked at the shown date, or at the last confirmed date if that is later.
    @Test func theFirstDateAfterThePowerWasOffOpensNoHours() throws {
        let day =
            "[[accept]]\nid = \"day\"\ntypes = \"https://works.example/ns#StaffPass\"\n"
            + "hours = [ { from = \"07:00\", to = \"13:00\" }, { from = \"13:00\", to = \"19:00\" } ]\n"
        func half(_ id: String, _ from: String, _ to: String) -> String {
            "[[accept]]\nid = \"\(id)\"\ntypes = \"https://works.example/ns#StaffPass\"\n"
                + "hours = [ { from = \"\(from)\", to = \"\(to)\" } ]\n"
        }
        let halves = half("morning", "07:00", "13:00") + half("afternoon", "13:00", "19:00")
        let noon = try #require(Timestamp(rfc3339: TestIssuer.clock.utc.rfc3339.prefix(10) + "T12:00:00Z"))
        let (hour, decade) = (Int64(3600), Int64(10 * 365 * 86_400))
        for (shown, last, rules, code) in [
            (0, -2 * hour, day, nil), (6 * hour, -5 * hour, day, nil),
            (0, -6 * hour, day, .dateUnconfirmed), (0, -24 * hour, day, .dateUnconfirmed),
            (0, -decade, day, .dateUnconfirmed), (8 * hour, 0, day, .policy("day")),
            // Each rule is evaluated separately.
            (3 * hour, 2 * hour, halves, nil), (2 * hour, -hour, halves, .dateUnconfirmed), (2 * hour, -hour, day, nil),
            // Neither the issue date nor the start of the credential is checked at dates during the power-off.
            (0, -24 * hour, staff, nil), (0, -decade, staff, nil),
            // If the date goes back, the credential must be admitted at both dates.
            (0, 2 * hour, day, nil), (0, 8 * hour, day, .dateUnconfirmed), (0, decade, staff, .dateUnconfirmed),
        ] as [(Int64, Int64, String, ReasonCode?)] {
            let clock = WallTime(
                utc: noon.advanced(by: .seconds(shown)), provenance: .synchronised,
                lastConfirmed: noon.advanced(by: .seconds(last)))
            let verdict = try verify(pass(["level": 3]), rules, clock: clock)
            #expect(verdict.code == code ?? .ok, "\(shown) \(last)")
        }
    }

    @Test func replayByCredentialAndBySubject() throws {
        let (first, second) = (try pass(["level": 3]), try pass(["level": 4]))
        let keys = { (document: JSON, rules: String) in Set(try verify(document, rules).replayKeys) }
        let byCredential = try keys(first, staff)
        #expect(try verify(first, staff, recent: byCredential).code == .replaySeen)
        #expect(try verify(second, staff, recent: byCredential).isAccepted)
        let rules = "replay.key = \"subject\"\n" + staff
        let bySubject = try keys(first, rules)
        #expect(bySubject.isDisjoint(with: byCredential))
        #expect(try verify(second, rules, recent: bySubject).code == .replaySeen)
        let flagged = try verify(first, "replay.action = \"flag\"\n" + staff, recent: byCredential)
        #expect(flagged.isAccepted)
        #expect(flagged.reasons.map(\.code.text) == ["ok", "policy.staff", "replay.seen"])
        #expect(flagged.reasons.last?.severity == .warning)
        let ignored = try verify(first, staff + "replay = \"ignore\"", recent: byCredential)
        #expect(ignored.reasons.map(\.code.text) == ["ok", "policy.staff"])
        // A rule that tolerates a replay must still be fulfilled.
        let other = staff + "replay = \"ignore\"\nrequire = [ { claim = \"/x\", exists = true } ]"
        #expect(try verify(first, other, recent: byCredential).code.text == "policy.staff")
    }

    @Test func explanationNamesRulesAndPlacesButNoValues() throws {
        let rules = """
            [[deny]]
            id = "lost"
            subjects = ["did:example:other"]
            [[accept]]
            id = "card"
            types = ["urn:card"]
            """ + "\n" + staff + """
                require = [ { claim = "/credentialSubject/zones", contains = "secret-zone" }, { claim = "/credentialSubject/level", at-least = 7 } ]
                """
        let verdict = try verify(pass(["level": 3, "zones": "secret-zone"]), rules)
        let report = VerdictReport(
            file: "f", verdict: verdict, stages: Stage.allCases.map { .init($0, microseconds: 1) })
        let text = report.explanation.joined(separator: "\n")
        for sentence in [
            "FAILED  the gate's own rules", "deny lost: not about this credential (subject)",
            "accept card: not about this credential (type)",
            "accept staff: not fulfilled: at-least at /credentialSubject/level",
            "error policy.staff at /credentialSubject/level",
        ] {
            #expect(text.contains(sentence), "\(sentence) in \(text)")
        }
        #expect(!text.contains("secret-zone") && !report.jsonLine.contains("secret-zone"))
    }
}
