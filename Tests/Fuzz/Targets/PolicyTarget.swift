import Encoding

@testable import Credentials

extension FuzzTarget {
    /// Gate policies: a policy that is read can decide about a credential at any date, and its own tests run.
    static let policy = FuzzTarget(
        name: "policy", longest: 4096,
        seeds: { PolicySamples.all.map { Array($0.utf8) } },
        check: { bytes in
            guard let policy = try? GatePolicy.parse(bytes) else { return }
            for date in dates {
                var question = PolicyQuestion(
                    policy, of: VerificationPolicy(policy), about: [PolicyCase(claims: claims)],
                    at: WallTime(utc: date, provenance: .synchronised), knowing: knowledge)
                _ = question.decide()
            }
            for test in policy.tests {
                if case .verified(let credential) = test.subject { _ = policy.run(test, on: credential) }
            }
        })

    private static var knowledge: PolicyKnowledge {
        PolicyKnowledge(
            groups: { $0 == "works" ? ["did:ex:i"] : nil }, pinned: nil, profile: .strict, work: RuleWork(20_000))
    }

    private static let dates = ["0000-01-01T00:00:00Z", "2026-06-05T23:00:00Z", "9999-12-31T23:59:59Z"]
        .compactMap { Timestamp(rfc3339: $0) }

    private static let claims = SignedClaims(
        format: .dcSDJWT, issuer: "did:ex:i", types: ["urn:t"],
        text: SignedText(
            ["a": [1700, "x", .number(.init(validated: "1.5e3"))], "b": "2000-02-29", "a/b": [["x"], true]],
            hidesMembers: true),
        validFrom: Timestamp(rfc3339: "0000-01-01T00:00:00Z"), validUntil: Timestamp(rfc3339: "9999-12-31T23:59:59Z"),
        signed: SignedContent(digest: [UInt8](repeating: 1, count: 32)), subjects: CredentialSubjects(["did:ex:bob"]))
}

/// Policy files that use every section and predicate.
enum PolicySamples {
    static let all = [whole, tests, "id = \"p\"\nversion = \"1\"\n[[accept]]\nid = \"r\"\n"]

    private static let whole = """
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
        when = [ { claim = "/a", in = [1, "x", true] } ]
        [[accept]]
        id = "staff"
        formats = ["dc+sd-jwt"]
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

    private static let tests = """
        id = "p"
        version = "1"
        [[accept]]
        id = "r"
        require = [ { age = "/b", at-least = 18 }, { claim = "/a/0", at-least = 1.5e3, before = "today" },
          { any = [ { not = { remaining = "1h" } }, { issued-within = "365d" }, { claim = ["urn:x"], contains-all = [1] } ] } ]
        [[test]]
        at = 2026-01-01T00:00:00Z
        expect = "accept"
        claims = { a = [1, 2.5], b = "2000-02-29" }
        graph = { "urn:x" = { "urn:y" = true } }
        """
}
