import Encoding
import LinkedData
import Testing

@testable import Credentials

/// Which rule decides, and what the verdict reports.
@Suite struct PolicyRuleTests {
    private typealias Answer = PolicyFixture.Answer

    private func ask(
        _ text: String, _ claims: SignedClaims..., status: [StatusAnswer] = [], places: [String] = [],
        proven: Bool = false, seen: Bool = false, provenance: WallTime.Provenance = .synchronised,
        unsynchronised: Duration? = nil, direction: GateDirection? = nil, groups: [Text: Set<Text>] = [:],
        at now: String? = nil
    ) throws -> Answer {
        let instant = try now.map { try #require(Timestamp(rfc3339: $0)) } ?? PolicyFixture.noon
        // The name of a status contains its place. Each case gets the statuses of its place, without the place.
        let cases = claims.enumerated().map { index, claims in
            let place = places.indices.contains(index) ? places[index] : ""
            let own = status.filter { place.isEmpty || $0.pointer.hasPrefix(place + "/") }.map { answer in
                var answer = answer
                answer.pointer.removeFirst(place.count)
                return answer
            }
            return PolicyCase(
                claims: claims, place: place, status: own, holder: proven ? .proven : .missing, wasSeen: seen)
        }
        return PolicyFixture.ask(
            try PolicyFixture.parse(text), cases, at: instant, provenance: provenance,
            unsynchronised: unsynchronised, direction: direction, groups: groups)
    }

    private let pass = PolicyFixture.claims(["zones": ["north"], "level": 2])

    // MARK: - The order of rules

    @Test func theFirstRuleThatFitsDecides() throws {
        let rules = """
            [[accept]]
            id = "boss"
            require = [ { claim = "/level", at-least = 9 } ]
            [[accept]]
            id = "north"
            require = [ { claim = "/zones", contains = "north" } ]
            [[accept]]
            id = "all"
            """
        #expect(try ask(rules, pass) == Answer(code: "ok", rule: "north"))
        #expect(
            try ask(rules, PolicyFixture.claims(["level": 9, "zones": "north"])) == Answer(code: "ok", rule: "boss"))
        #expect(try ask(rules, PolicyFixture.claims([:])) == Answer(code: "ok", rule: "all"))
    }

    @Test func theFirstRuleThatIsAboutTheCredentialNamesTheReason() throws {
        let rules = """
            [[accept]]
            id = "other"
            types = ["urn:other"]
            [[accept]]
            id = "staff"
            types = ["urn:none", "\(PolicyFixture.staff)"]
            require = [ { claim = "/level", at-least = 1 }, { claim = "/zones", contains = "west" } ]
            [[accept]]
            id = "late"
            types = ["\(PolicyFixture.staff)"]
            hours = { from = "20:00", to = "21:00" }
            """
        #expect(try ask(rules, pass) == Answer(code: "policy.staff", at: "/zones"))
        #expect(try ask(rules, pass, at: "2026-06-01T20:30:00Z") == Answer(code: "ok", rule: "late"))
        #expect(try ask(rules, PolicyFixture.claims([:], types: ["urn:third"])) == Answer(code: "policy.no-match"))
        #expect(try ask(rules, PolicyFixture.claims([:], types: [])) == Answer(code: "policy.no-match"))
    }

    @Test func aMissingClaimIsNamedByItsPointer() throws {
        let rule = "[[accept]]\nid = \"r\"\nrequire = [ { not = { claim = \"/banned\", equals = true } } ]"
        #expect(try ask(rule, pass) == Answer(code: "policy.r", at: "/banned"))
    }

    // MARK: - Selection of credentials by rules

    @Test func selectors() throws {
        func code(_ lines: String, _ claims: SignedClaims? = nil, groups: [Text: Set<Text>] = [:]) throws -> String {
            try ask("[[accept]]\nid = \"r\"\n" + lines, claims ?? pass, groups: groups).code
        }
        let none = "policy.no-match"
        #expect(try code(#"formats = ["jwt_vc_json", "mso_mdoc"]"#) == "ok")
        #expect(try code(#"formats = "ldp_vc""#) == none)
        #expect(try code(#"types = "\#(PolicyFixture.staff)""#) == "ok")
        #expect(try code(#"types = ["https://works.example/ns#staffpass"]"#) == none)
        #expect(try code(#"issuers = ["did:web:works.example"]"#) == "ok")
        #expect(try code(#"issuers = ["did:web:works.example.org", "did:web:works"]"#) == none)
        #expect(try code(#"issuers = ["group:works"]"#, groups: ["works": [PolicyFixture.issuer]]) == "ok")
        #expect(try code(#"issuers = ["group:works"]"#, groups: ["works": ["did:web:x"]]) == none)
        #expect(try code(#"issuers = ["group:works"]"#, groups: ["other": [PolicyFixture.issuer]]) == none)
        #expect(try code(#"issuers = ["group:works", "did:web:works.example"]"#) == "ok")
        // An issuer whose id looks like a group name is not a group.
        #expect(try code(#"issuers = ["group:works"]"#, PolicyFixture.claims([:], issuer: "group:works")) == none)
    }

    @Test func contextsMustBeTheVeryList() throws {
        let rule = "[[accept]]\nid = \"r\"\ncontexts = [\"urn:a\", \"urn:b\"]"
        for (context, isRight) in [
            (["urn:a", "urn:b"], true), (["urn:b", "urn:a"], false), (["urn:a"], false),
            (["urn:a", "urn:b", "urn:c"], false),
            (["urn:a", "urn:b", [:]], false), ("urn:a", false),
        ] as [(JSON, Bool)] {
            let claims = PolicyFixture.claims(["@context": context], format: .ldpVC, graph: PolicyFixture.graph([]))
            #expect(try (ask(rule, claims).code == "ok") == isRight, "\(context)")
        }
    }

    @Test func direction() throws {
        let rules = """
            [[accept]]
            id = "in"
            direction = "in"
            require = [ { claim = "/level", at-least = 9 } ]
            [[accept]]
            id = "out"
            direction = "out"
            """
        #expect(try ask(rules, pass, direction: .in) == Answer(code: "policy.in", at: "/level"))
        #expect(try ask(rules, pass, direction: .out) == Answer(code: "ok", rule: "out"))
        #expect(try ask(rules, pass) == Answer(code: "policy.no-match"), "a gate without direction")
        let deny = "[[deny]]\nid = \"no\"\ndirection = \"out\"\n[[accept]]\nid = \"all\""
        #expect(try ask(deny, pass, direction: .in).code == "ok")
        #expect(try ask(deny, pass, direction: .out).code == "policy.no")
        #expect(try ask(deny, pass).code == "policy.no", "in doubt")
    }

    // MARK: - Presentations

    @Test func oneCredentialOfAPresentationMustFulfilARuleAlone() throws {
        let rule = """
            [[accept]]
            id = "r"
            types = ["\(PolicyFixture.staff)"]
            require = [ { claim = "/a", equals = 1 }, { claim = "/b", equals = 1 } ]
            """
        let (a, b) = (PolicyFixture.claims(["a": 1]), PolicyFixture.claims(["b": 1]))
        let places = ["/verifiableCredential/0", "/verifiableCredential/1"]
        #expect(try ask(rule, a, b, places: places) == Answer(code: "policy.r", at: "/verifiableCredential/0/b"))
        let both = PolicyFixture.claims(["a": 1, "b": 1])
        #expect(try ask(rule, a, both, places: places) == Answer(code: "ok", rule: "r"))
        let card = PolicyFixture.claims(["a": 1, "b": 1], types: ["urn:card"])
        #expect(try ask(rule, card, b, places: places) == Answer(code: "policy.r", at: "/verifiableCredential/1/a"))
        #expect(try ask(rule) == Answer(code: "policy.no-match"), "nothing was verified")
    }

    @Test func statusAnswersBelongToTheirCredential() throws {
        let rule =
            "[[accept]]\nid = \"r\"\nrequire = [ { claim = \"/a\", equals = 1 } ]\nstatus.purposes = [\"revocation\"]"
        let (a, b) = (PolicyFixture.claims(["a": 1]), PolicyFixture.claims(["a": 2]))
        let places = ["/verifiableCredential/1", "/verifiableCredential/10"]
        let other = StatusAnswer(.valid, purpose: "revocation", pointer: "/verifiableCredential/10/credentialStatus")
        let own = StatusAnswer(.valid, purpose: "revocation", pointer: "/verifiableCredential/1/credentialStatus")
        #expect(try ask(rule, a, b, status: [other], places: places).code == "status.unavailable")
        #expect(try ask(rule, a, b, status: [other, own], places: places).code == "ok")
    }

    // MARK: - Deny

    @Test func denyComesFirst() throws {
        let accept = "[[accept]]\nid = \"all\"\n"
        let digest = String(repeating: "01", count: 32)
        for (lines, isDenied) in [
            ("credentials = [\"sha256:\(digest)\"]", true),
            ("credentials = [\"sha256:\(digest.replacing("1", with: "2"))\"]", false),
            ("subjects = [\"did:ex:bob\"]", true), ("subjects = [\"did:ex:alice\"]", false),
            ("issuers = [\"did:web:works.example\"]", true), ("formats = [\"ldp_vc\"]", false),
            (#"when = [ { claim = "/level", below = 3 } ]"#, true),
            (#"when = [ { claim = "/level", below = 2 } ]"#, false),
            // Withholding a claim does not help the holder.
            (#"when = [ { claim = "/badge", in = [17, 18] } ]"#, true),
            (#"types = ["urn:card"]"# + "\n" + #"when = [ { claim = "/badge", in = [17, 18] } ]"#, false),
        ] {
            let claims = PolicyFixture.claims(["level": 2], subject: "did:ex:bob", digest: 1)
            let answer = try ask(accept + "[[deny]]\nid = \"no\"\n" + lines, claims)
            #expect(answer.code == (isDenied ? "policy.no" : "ok"), "\(lines)")
        }
        let rules = accept + "[[deny]]\nid = \"no\"\nwhen = [ { claim = \"/level\", equals = 1 } ]\n"
        let (good, bad) = (PolicyFixture.claims(["level": 2]), PolicyFixture.claims(["level": 1]))
        #expect(
            try ask(rules, good, bad, places: ["/verifiableCredential/0", "/verifiableCredential/1"])
                == Answer(code: "policy.no", at: "/verifiableCredential/1/level"))
    }

    /// If no trust entry names a group, accept rules with the group admit no visitor, and deny rules with it refuse
    /// all.
    @Test func aMisspeltGroupFailsClosed() throws {
        let deny = "[[deny]]\nid = \"no\"\nissuers = \"group:left\"\n[[accept]]\nid = \"all\""
        #expect(try ask(deny, pass).code == "policy.no")
        #expect(try ask(deny, pass, groups: ["left": ["did:web:x"]]).code == "ok")
        #expect(try PolicyFixture.parse(deny).groups == ["left"])
    }

    // MARK: - Holder, status, replay

    @Test func holder() throws {
        let rule = "[[accept]]\nid = \"r\"\nholder = \"required\""
        #expect(try ask(rule, pass).code == "holder.proof-missing")
        #expect(try ask(rule, pass, proven: true).code == "ok")
        #expect(try ask("[[accept]]\nid = \"r\"\nholder = \"none\"", pass).code == "ok")
        // A rule with weaker requirements may follow.
        #expect(try ask(rule + "\n[[accept]]\nid = \"s\"", pass) == Answer(code: "ok", rule: "s"))
    }

    @Test func status() throws {
        let valid = StatusAnswer(.valid, purpose: "revocation", pointer: "/s", age: .seconds(3600))
        var stale = valid
        stale.overdue = .seconds(86_400)
        var undated = valid
        undated.age = nil
        let unknown = StatusAnswer(.unknown, purpose: "revocation", pointer: "/s")
        let suspension = StatusAnswer(.valid, purpose: "suspension", pointer: "/t")
        for (status, answers, code) in [
            ("", [], "ok"), ("", [valid], "ok"), ("", [stale], "status.stale"), ("", [unknown], "status.unavailable"),
            (#"when-stale = "accept""#, [stale], "ok"), (#"when-stale = "24h""#, [stale], "ok"),
            (#"when-stale = "23h""#, [stale], "status.stale"), (#"when-stale = "reject""#, [stale], "status.stale"),
            (#"when-stale = "accept""#, [unknown], "status.unavailable"),
            (#"when-missing = "accept""#, [unknown], "ok"), (#"when-missing = "accept""#, [stale], "status.stale"),
            (#"when-missing = "accept""#, [unknown, stale], "status.stale"),
            (#"purposes = ["revocation"]"#, [], "status.unavailable"), (#"purposes = ["revocation"]"#, [valid], "ok"),
            (#"purposes = ["revocation", "suspension"]"#, [valid], "status.unavailable"),
            (#"purposes = ["revocation", "suspension"]"#, [valid, suspension], "ok"),
            (#"purposes = ["revocation"], when-missing = "accept""#, [], "ok"),
            (#"max-age = "1h""#, [valid], "ok"), (#"max-age = "59min""#, [valid], "status.stale"),
            (#"max-age = "59min", when-stale = "1min""#, [valid], "ok"),
            (#"max-age = "1h""#, [undated], "status.stale"),
            (#"max-age = "1h", when-stale = "accept""#, [undated], "ok"),
            // A revoked or suspended status is never tolerated, whatever a rule states.
            (
                #"when-stale = "accept", when-missing = "accept""#,
                [StatusAnswer(.revoked, purpose: "revocation", pointer: "/s")], "status.revoked"
            ),
            (
                #"when-stale = "accept", when-missing = "accept""#,
                [StatusAnswer(.suspended, purpose: "suspension", pointer: "/s")], "status.suspended"
            ),
        ] as [(String, [StatusAnswer], String)] {
            let rule = "[[accept]]\nid = \"r\"\nstatus = { \(status) }"
            #expect(try ask(rule, pass, status: answers).code == code, "\(status) \(answers)")
        }
    }

    @Test func replay() throws {
        for (top, rule, code) in [
            ("", "", "replay.seen"), ("replay.action = \"flag\"", "", "ok"), ("replay.action = \"ignore\"", "", "ok"),
            ("", "replay = \"flag\"", "ok"), ("replay.action = \"ignore\"", "replay = \"reject\"", "replay.seen"),
        ] {
            #expect(try ask("\(top)\n[[accept]]\nid = \"r\"\n\(rule)", pass, seen: true).code == code)
        }
    }

    // MARK: - Clock and date of the policy

    @Test func anUntrustedClockIsNeverGreen() throws {
        let rule = "[[accept]]\nid = \"r\"\n"
        for (clock, provenance, unsynchronised, isGreen) in [
            ("", .rtc, nil, true), ("", .saved, nil, false), ("", .unset, nil, false),
            ("minimum = \"unset\"", .unset, nil, true), ("minimum = \"synchronised\"", .rtc, nil, false),
            ("minimum = \"synchronised\"", .synchronised, nil, true), ("minimum = \"synchronised\"", .given, nil, true),
            ("max-unsynced = \"7d\"", .rtc, .seconds(7 * 86_400), true),
            ("max-unsynced = \"7d\"", .rtc, .seconds(7 * 86_400 + 1), false),
            ("max-unsynced = \"7d\"", .rtc, nil, false),
            ("max-unsynced = \"7d\"", .synchronised, nil, true),
            ("max-unsynced = \"7d\"\nminimum = \"saved\"", .saved, .seconds(1), true),
        ] as [(String, WallTime.Provenance, Duration?, Bool)] {
            let answer = try ask(
                rule + "[clock]\n" + clock, pass, provenance: provenance, unsynchronised: unsynchronised)
            #expect(answer.code == (isGreen ? "ok" : "clock.untrusted"), "\(clock) \(provenance)")
        }
        // The clock is checked before everything that depends on the date, including the validity of the policy.
        let old = "valid-until = 2020-01-01T00:00:00Z\n" + rule
        #expect(try ask(old, pass, provenance: .unset).code == "clock.untrusted")
    }

    @Test func anExpiredPolicyAdmitsNoVisitor() throws {
        let rule = "valid-until = 2026-06-01T12:00:00Z\n[[accept]]\nid = \"r\"\n"
        #expect(try ask(rule, pass, at: "2026-06-01T12:01:00Z").code == "ok", "within the skew")
        #expect(try ask(rule, pass, at: "2026-06-01T12:01:00.1Z").code == "policy.expired")
    }
}
