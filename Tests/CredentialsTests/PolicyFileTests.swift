import Encoding
import Testing

@testable import Credentials

/// Parsing of policy files: each error with its line, and the correct spelling.
@Suite struct PolicyFileTests {
    @Test func everyKey() throws {
        let text = """
            id = "north-gate"
            version = "2026-06"
            valid-until = 2027-12-31T23:59:59Z
            profile = "compat"
            zone = "+02:00"
            [clock]
            skew = "30s"
            minimum = "saved"
            max-unsynced = "7d"
            [replay]
            window = "45s"
            key = "subject"
            action = "flag"
            [[deny]]
            id = "blocked"
            subjects = ["did:ex:bob"]
            [[accept]]
            id = "staff"
            formats = ["ldp_vc"]
            types = ["urn:t"]
            issuers = ["did:ex:i", "group:works"]
            contexts = ["urn:c"]
            direction = "in"
            holder = "required"
            replay = "ignore"
            hours = [ { days = ["mon-fri", "sun"], from = "22:00", to = "06:00" } ]
            status = { purposes = ["revocation"], when-stale = "24h", when-missing = "accept", max-age = "7d" }
            require = [
              { claim = "/a~1b/0", contains = "x" },
              { any = [ { age = "/b", at-least = 18 }, { not = { remaining = "1h" } } ] },
            ]
            """
        let policy = try GatePolicy.parse(Array(text.utf8))
        #expect(policy.id == "north-gate" && policy.version == "2026-06" && policy.profile == .compat)
        #expect(policy.validUntil == Timestamp(rfc3339: "2027-12-31T23:59:59Z"))
        #expect(policy.zone.offset(at: PolicyFixture.noon) == 7200)
        #expect(policy.clockSkew == .seconds(30) && policy.minimumClock == .saved)
        #expect(policy.maxUnsynchronised == .seconds(7 * 86_400))
        #expect(policy.replay.window == .seconds(45) && policy.replay.key == .subject && policy.replay.action == .flag)
        #expect(policy.deny.map(\.id) == ["blocked"])
        let rule = try #require(policy.accept.first)
        #expect(
            rule.selector.formats == [.ldpVC] && rule.selector.types == ["urn:t"] && rule.selector.contexts == ["urn:c"]
        )
        #expect(rule.selector.issuers == ["did:ex:i"] && rule.selector.groups == ["works"])
        #expect(rule.direction == .in && rule.holderRequired && rule.replay == .ignore)
        #expect(rule.hours == [GateHours(days: [0, 1, 2, 3, 4, 6], from: 1320, to: 360)])
        #expect(rule.status.purposes == ["revocation"] && rule.status.whenStale == .grace(.seconds(86_400)))
        #expect(!rule.status.rejectsMissing && rule.status.maxAge == .seconds(7 * 86_400))
        #expect(
            rule.require == [
                .claim(.pointer("/a~1b/0", ["a/b", "0"]), .contains(.text("x"))),
                .any([.claim(.pointer("/b", ["b"]), .age(.atLeast, 18)), .not(.remaining(.seconds(3600)))]),
            ])
        #expect(policy.name == "north-gate@2026-06 sha256:" + Hex.encode(Digest.sha256(Array(text.utf8)).prefix(8)))
        let verification = VerificationPolicy(policy)
        #expect(verification.statedProfile == .compat && verification.clockSkew == .seconds(30))
        #expect(verification.decidesOnStatus && verification.version == policy.name)
    }

    @Test func missingSettingsAreStrict() throws {
        let policy = try PolicyFixture.parse("[[accept]]\nid = \"r\"\n")
        #expect(policy.profile == nil && policy.clockSkew == nil && policy.minimumClock == nil && policy.zone == .utc)
        #expect(
            policy.replay.window == .seconds(30) && policy.replay.key == .credential && policy.replay.action == .reject)
        #expect(policy.accept == [AcceptRule(id: "r")])
        #expect(AcceptRule(id: "r").status == StatusTolerance() && StatusTolerance().rejectsMissing)
        var defaults = VerificationPolicy(profile: .compat)
        defaults.clockSkew = .seconds(5)
        defaults.minimumClock = .synchronised
        let verification = VerificationPolicy(policy, over: defaults)
        #expect(verification.statedProfile == .compat && verification.clockSkew == .seconds(5))
        #expect(verification.minimumClock == .synchronised)
    }

    /// The line number includes the two lines of the fixture's head.
    @Test(arguments: [
        ("[[accept]]\n", 3, "an [[accept]] rule has no id"),
        ("[[accept]]\nid = \"a b\"\n", 4, "a b is not a valid rule id"),
        ("[[accept]]\nid = \"no-match\"\n", 4, "no-match is not a valid rule id"),
        ("[[accept]]\nid = \"expired\"\n", 4, "expired is not a valid rule id"),
        ("[[accept]]\nid = 5\n", 4, "id is a whole number"),
        ("[[accept]]\nid = \"a\"\n[[accept]]\nid = \"a\"\n", 6, "two rules have the id a"),
        ("[[accept]]\nid = \"a\"\n[[deny]]\nid = \"a\"\nformats = \"ldp_vc\"", 4, "two rules have the id a"),
        ("[accept]\nid = \"a\"\n", 3, "accept is a section"),
        ("[[accept]]\nid = \"a\"\nrequires = []\n", 5, "requires is not a known key of an [[accept]] rule"),
        ("[[accept]]\nid = \"a\"\nformats = [\"jwt\"]\n", 5, "formats is a list"),
        ("[[accept]]\nid = \"a\"\nformats = \"ldp_vp\"\n", 5, "formats does not take \"ldp_vp\""),
        ("[[accept]]\nid = \"a\"\ntypes = []\n", 5, "types is a list"),
        ("[[accept]]\nid = \"a\"\nholder = \"maybe\"\n", 5, "holder does not take \"maybe\""),
        ("[[accept]]\nid = \"a\"\nholder = true\n", 5, "holder is true or false"),
        ("[[accept]]\nid = \"a\"\nreplay = \"off\"\n", 5, "replay does not take \"off\""),
        ("[[accept]]\nid = \"a\"\ndirection = \"up\"\n", 5, "direction does not take \"up\""),
        ("[[accept]]\nid = \"a\"\nstatus = { when-stale = \"soon\" }\n", 5, "when-stale does not take \"soon\""),
        ("[[accept]]\nid = \"a\"\nstatus = { whenStale = \"1h\" }\n", 5, "whenStale is not a known key of status"),
        ("[[accept]]\nid = \"a\"\nhours = { days = [\"monday\"] }\n", 5, "days does not know \"monday\""),
        ("[[accept]]\nid = \"a\"\nhours = { from = \"7:00\" }\n", 5, "from does not take \"7:00\""),
        ("[[accept]]\nid = \"a\"\nhours = { from = \"24:00\", to = \"24:00\" }\n", 5, "the hours are empty"),
        ("[[accept]]\nid = \"a\"\nhours = { from = \"07:60\" }\n", 5, "from does not take \"07:60\""),
        ("[[accept]]\nid = \"a\"\nrequire = [ { } ]\n", 5, "a condition has no subject"),
        (
            "[[accept]]\nid = \"a\"\nrequire = [\n{ claim = \"/a\", age = \"/b\", at-least = 1 } ]\n", 6,
            "a condition has several subjects"
        ),
        ("[[accept]]\nid = \"a\"\nrequire = [ { claim = \"/a\" } ]\n", 5, "a condition has no comparison"),
        ("[[accept]]\nid = \"a\"\nrequire = [ { claim = \"a\", equals = 1 } ]\n", 5, "claim does not take \"a\""),
        ("[[accept]]\nid = \"a\"\nrequire = [ { claim = \"/a~2\", equals = 1 } ]\n", 5, "claim does not take \"/a~2\""),
        ("[[accept]]\nid = \"a\"\nrequire = [ { claim = [\"zones\"], equals = 1 } ]\n", 5, "claim is a list"),
        (
            "[[accept]]\nid = \"a\"\nrequire = [ { claim = \"/a\", equal = 1 } ]\n", 5,
            "equal is not a known key of a condition"
        ),
        ("[[accept]]\nid = \"a\"\nrequire = [ { claim = \"/a\", equals = [1] } ]\n", 5, "equals is a list"),
        ("[[accept]]\nid = \"a\"\nrequire = [ { claim = \"/a\", in = [] } ]\n", 5, "in is a list"),
        (
            "[[accept]]\nid = \"a\"\nrequire = [ { claim = \"/a\", at-least = \"x\" } ]\n", 5,
            "at-least does not take \"x\""
        ),
        (
            "[[accept]]\nid = \"a\"\nrequire = [ { claim = \"/a\", below = nan } ]\n", 5,
            "below is a number with a fraction"
        ),
        (
            "[[accept]]\nid = \"a\"\nrequire = [ { claim = \"/a\", before = \"2026-02-30\" } ]\n", 5,
            "before does not take \"2026-02-30\""
        ),
        (
            "[[accept]]\nid = \"a\"\nrequire = [ { claim = \"/a\", before = 2026-01-01T00:00:00 } ]\n", 5,
            "before is a date or time"
        ),
        (
            "[[accept]]\nid = \"a\"\nrequire = [ { age = \"/a\", at-least = 18.5 } ]\n", 5,
            "at-least is a number with a fraction"
        ),
        ("[[accept]]\nid = \"a\"\nrequire = [ { age = \"/a\", at-least = -1 } ]\n", 5, "at-least is a whole number"),
        ("[[accept]]\nid = \"a\"\nrequire = [ { remaining = 5 } ]\n", 5, "remaining is a whole number"),
        ("[[accept]]\nid = \"a\"\nrequire = [ { any = [] } ]\n", 5, "any has no conditions"),
        ("[[accept]]\nid = \"a\"\nrequire = [ \"x\" ]\n", 5, "require is a list"),
        ("[[accept]]\nid = \"a\"\n[[deny]]\nid = \"d\"\n", 6, "the rule d denies everybody"),
        ("[[accept]]\nid = \"a\"\n[[deny]]\nid = \"d\"\ncredentials = [\"sha256:00\"]\n", 7, "credentials is a list"),
        (
            "[[accept]]\nid = \"a\"\n[[deny]]\nid = \"d\"\ncontexts = \"urn:c\"\n", 7,
            "contexts is not a known key of a [[deny]] rule"
        ),
        ("zone = \"Mars/Olympus\"\n[[accept]]\nid = \"a\"\n", 3, "there is no zone Mars/Olympus"),
        ("profile = \"lax\"\n[[accept]]\nid = \"a\"\n", 3, "profile does not take \"lax\""),
        ("valid-until = 2026-01-01\n[[accept]]\nid = \"a\"\n", 3, "valid-until is a date or time"),
        ("clock.minimum = \"given\"\n[[accept]]\nid = \"a\"\n", 3, "minimum does not take \"given\""),
        ("clock.skew = \"2h\"\n[[accept]]\nid = \"a\"\n", 3, "skew is longer than an hour"),
        ("replay.window = \"25h\"\n[[accept]]\nid = \"a\"\n", 3, "window is longer than a day"),
        ("capacity = 5\n[[accept]]\nid = \"a\"\n", 3, "capacity is not a known key of a policy"),
        ("[[accept]]\nid = \"a\"\n[[test]]\nexpect = \"accept\"\n", 6, "the test test 1 has no date"),
        ("[[accept]]\nid = \"a\"\n[[test]]\nat = 2026-01-01T00:00:00Z\n", 6, "the test test 1 expects nothing"),
        (
            "[[accept]]\nid = \"a\"\n[[test]]\nat = 2026-01-01T00:00:00Z\nexpect = \"accept\"\nrule = \"b\"", 6,
            "there is no rule b"
        ),
        ("[[accept]]\nid = ", 4, "is not TOML"),
    ]) func mistakes(_ text: String, _ line: Int, _ message: String) {
        let problems = PolicyFixture.problems(text)
        #expect(problems.contains { $0.line == line && $0.message.hasPrefix(message) }, "\(problems)")
        #expect(problems.allSatisfy { !$0.remedy.isEmpty && $0.remedy.hasSuffix(".") }, "\(problems)")
    }

    @Test func allAtOnce() throws {
        let error = #expect(throws: PolicyFileError.self) {
            try GatePolicy.parse(Array("colour = 1\n[clock]\nskew = 1".utf8))
        }
        #expect(error?.problems.map(\.line) == [nil, nil, nil, 1, 3])
        #expect(throws: PolicyFileError.self) { try GatePolicy.parse([]) }
        #expect(throws: PolicyFileError.self) { try GatePolicy.parse([0xFF, 0x00]) }
    }

    @Test func bounds() throws {
        func nested(_ depth: Int) -> String {
            let (open, close) = (String(repeating: "{ not = ", count: depth), String(repeating: " }", count: depth))
            return "[[accept]]\nid = \"r\"\nrequire = [ \(open){ claim = \"/a\", exists = true }\(close) ]"
        }
        #expect(PolicyFixture.problems(nested(7)).isEmpty)
        #expect(PolicyFixture.problems(nested(8)).map(\.message) == ["conditions are nested too deeply"])
        #expect(!PolicyFixture.problems(nested(1000)).isEmpty)
        func many(_ count: Int) -> String {
            "[[accept]]\nid = \"r\"\nrequire = ["
                + String(repeating: "{ claim = \"/a\", exists = true },", count: count) + "]"
        }
        #expect(PolicyFixture.problems(many(128)).isEmpty)
        #expect(PolicyFixture.problems(many(129)).map(\.message) == ["require has too many conditions"])
        func rules(_ count: Int) -> String { (0..<count).map { "[[accept]]\nid = \"r\($0)\"\n" }.joined() }
        #expect(PolicyFixture.problems(rules(256)).isEmpty)
        #expect(PolicyFixture.problems(rules(257)).map(\.message) == ["there are too many rules"])
        let steps = { (count: Int) in
            "[[accept]]\nid = \"r\"\nrequire = { claim = \"\(String(repeating: "/a", count: count))\", exists = true }"
        }
        #expect(PolicyFixture.problems(steps(32)).isEmpty)
        #expect(!PolicyFixture.problems(steps(33)).isEmpty)
    }

    /// Damaged files are parsed or refused, and a parsed policy can be evaluated; neither traps.
    @Test func damagedFiles() throws {
        let text = """
            id = "p"
            version = "1"
            zone = "+02:00"
            valid-until = 2027-12-31T23:59:59Z
            [clock]
            max-unsynced = "7d"
            [[deny]]
            id = "d"
            when = [ { claim = "/a", in = [1, "x", true] } ]
            [[accept]]
            id = "r"
            hours = [ { days = ["fri-mon"], from = "22:00", to = "06:00" } ]
            status = { when-stale = "24h", max-age = "1h" }
            require = [ { age = "/b", at-least = 18 }, { claim = "/a/0", at-least = 1.5e3, before = "today" },
              { any = [ { not = { remaining = "1h" } }, { issued-within = "365d" }, { claim = ["urn:x"], contains-all = [1] } ] } ]
            [[test]]
            at = 2026-01-01T00:00:00Z
            expect = "accept"
            claims = { a = [1, 2.5], b = "2000-02-29" }
            graph = { "urn:x" = { "urn:y" = true } }
            """
        let bytes = Array(text.utf8)
        #expect((try? GatePolicy.parse(bytes)) != nil)
        var random = SystemRandomNumberGenerator()
        let letters = Array("\"'[]{}=,.#\n-+:0129eTZtruefalsinda/~\\\u{0}é".utf8)
        let claims = PolicyFixture.claims(
            ["a": [1700], "b": "2000-02-29"], from: "0000-01-01T00:00:00Z", until: "9999-12-31T23:59:59Z")
        var read = 0
        for _ in 0..<4000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let at = Int.random(in: 0..<damaged.count, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: damaged[at] = letters.randomElement(using: &random) ?? 0
                case 1: damaged.remove(at: at)
                case 2: damaged.insert(letters.randomElement(using: &random) ?? 0, at: at)
                default: damaged.removeSubrange(at..<min(damaged.count, at + 20))
                }
            }
            guard let policy = try? GatePolicy.parse(damaged) else { continue }
            read += 1
            for now in ["0000-01-01T00:00:00Z", "2026-06-05T23:00:00Z", "9999-12-31T23:59:59Z"] {
                let instant = Timestamp(rfc3339: now) ?? PolicyFixture.noon
                _ = PolicyFixture.ask(policy, [PolicyCase(claims: claims)], at: instant)
            }
            for test in policy.tests {
                if case .verified(let credential) = test.subject { _ = policy.run(test, on: credential) }
            }
        }
        #expect(read > 100)
    }
}
