package import Encoding

extension GatePolicy {
    /// The limits of a policy file; a larger file is refused.
    enum Bounds {
        static let rules = 256
        static let tests = 4096
        /// The maximum number of predicates of one rule, including those inside `any`, `all` and `not`.
        static let predicates = 128
        /// The maximum nesting depth of `any`, `all` and `not`.
        static let depth = 8
        /// The maximum number of tokens of a pointer, or of IRIs of a path.
        static let steps = 32
    }

    /// Reads a policy file; throws all its problems at once.
    ///
    /// - Parameters:
    ///   - bytes: The file: TOML 1.0.0, at most 1 MiB.
    ///   - zones: Returns the civil time zone with a name such as `Europe/Berlin`, or nil if there is none. Fixed
    ///     offsets need no lookup.
    package static func parse(
        _ bytes: [UInt8], zones: (Text) -> CivilZone? = { _ in nil }
    ) throws(PolicyFileError) -> GatePolicy {
        let root: TOMLTable
        do {
            root = try TOML.parse(bytes)
        } catch {
            throw PolicyFileError(problems: [
                .init(
                    line: error.line, message: "is not TOML: \(error.message)",
                    remedy: "Write texts in quotes, sections in [brackets] and each key on its own line.")
            ])
        }
        var reader = PolicyReader()
        var policy = reader.policy(root, digest: Digest.sha256(bytes), zones: zones)
        guard reader.problems.list.isEmpty else {
            throw PolicyFileError(problems: reader.problems.list.sorted { ($0.line ?? 0) < ($1.line ?? 0) })
        }
        policy.warnings = reader.problems.warnings.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
        return policy
    }

    /// Returns each key that the policy reader looks up in the file `bytes`, with the form of its value. The name of
    /// each key begins with the name of its table, as in messages. Only tables in the file are included.
    package static func forms(of bytes: [UInt8]) throws(TOML.SyntaxError) -> [KeyForm] {
        var reader = PolicyReader()
        _ = reader.policy(try TOML.parse(bytes), digest: Digest.sha256(bytes), zones: { _ in nil })
        return reader.problems.asked
    }
}

/// The reader of a policy file. This source file reads the top level of the policy file. `PolicyReader+Rules.swift`
/// reads rules, `PolicyReader+Predicates.swift` predicates, and `PolicyReader+Tests.swift` test cases.
struct PolicyReader {
    var problems = PolicyProblems()
    /// Whether the current rule may apply to linked data.
    var isAboutLinkedData = true

    mutating func policy(_ root: TOMLTable, digest: [UInt8], zones: (Text) -> CivilZone?) -> GatePolicy {
        var table = PolicyTable("a policy", root, line: 1)
        var policy = GatePolicy(id: name("id", of: &table), version: name("version", of: &table), digest: digest)
        policy.validUntil = table.instant("valid-until", &problems)
        policy.profile = table.take("profile", "\"strict\" or \"compat\"", &problems) { value in
            [Profile.strict, .compat].first { Text($0.rawValue) == value.string }
        }
        if let zone = table.text("zone", &problems) {
            if let known = CivilZone(offset: zone) ?? zones(zone) {
                policy.zone = known
            } else {
                problems.note(
                    table.line(of: "zone"), "there is no zone \(zone)",
                    "Write an offset such as \"+02:00\", or a name such as \"Europe/Berlin\".")
            }
        }
        if let clock = table.section("clock", &problems) { readClock(clock, into: &policy) }
        if let replay = table.section("replay", &problems) { readReplay(replay, into: &policy) }
        let denied = table.sections("deny", "[[deny]] with two brackets", &problems)
        let accepted = table.sections("accept", "[[accept]] with two brackets", &problems)
        policy.deny = denied.prefix(GatePolicy.Bounds.rules).map { denyRule($0) }
        policy.accept = accepted.prefix(GatePolicy.Bounds.rules).map { acceptRule($0) }
        if !table.has("zone"), let timed = zip(policy.accept, accepted).first(where: { !$0.0.hours.isEmpty }) {
            problems.warn(
                timed.1.line(of: "hours"), "no zone is given, so hours are in UTC",
                "Write zone = \"Europe/Berlin\" at the top, or zone = \"Z\" if UTC is meant.")
        }
        if accepted.isEmpty {
            problems.note(nil, "there is no [[accept]] rule", "Add one: without it no visitor is admitted.")
        }
        if max(denied.count, accepted.count) > GatePolicy.Bounds.rules {
            problems.note(table.line, "there are too many rules", "Write \(GatePolicy.Bounds.rules) of a kind at most.")
        }
        let tests = table.sections("test", "[[test]] with two brackets", &problems)
        policy.tests = tests.prefix(GatePolicy.Bounds.tests).enumerated().map { test($1, number: $0 + 1) }
        if tests.count > GatePolicy.Bounds.tests {
            problems.note(table.line, "there are too many tests", "Write \(GatePolicy.Bounds.tests) at most.")
        }
        table.rejectUnknownKeys(&problems)
        checkIDs(policy, denied + accepted)
        let ids = policy.deny.map(\.id) + policy.accept.map(\.id)
        policy.lines = Dictionary(zip(ids, (denied + accepted).map(\.line)), uniquingKeysWith: { first, _ in first })
        return policy
    }

    /// Reads the id or the version of the policy. Records contain both.
    private mutating func name(_ key: Text, of table: inout PolicyTable) -> Text {
        guard table.has(key) else {
            problems.note(nil, "there is no \(key)", "Write \(key) = \"…\" at the top; records name the policy by it.")
            return ""
        }
        guard let text = table.text(key, &problems) else { return "" }
        guard Self.isName(text, longest: 64, also: "._-") else {
            problems.note(
                table.line(of: key), "\(key) is not a valid name",
                "Use 1 to 64 of the letters A-Z a-z 0-9 . _ -, in "
                    + "quotes.")
            return ""
        }
        return text
    }

    private mutating func readClock(_ section: PolicyTable, into policy: inout GatePolicy) {
        var section = section
        policy.clockSkew = section.duration("skew", &problems)
        if let skew = policy.clockSkew, skew > .seconds(3600) {
            problems.note(section.line(of: "skew"), "skew is longer than an hour", "Write \"1h\" or less.")
        }
        policy.minimumClock = section.take(
            "minimum", "\"unset\", \"saved\", \"rtc\" or \"synchronised\"", &problems
        ) { value in
            [WallTime.Provenance.unset, .saved, .rtc, .synchronised].first { Text($0.rawValue) == value.string }
        }
        policy.maxUnsynchronised = section.duration("max-unsynced", &problems)
        section.rejectUnknownKeys(&problems)
    }

    private mutating func readReplay(_ section: PolicyTable, into policy: inout GatePolicy) {
        var section = section
        policy.replay.window = section.duration("window", &problems) ?? policy.replay.window
        policy.replay.key = section.choice("key", &problems) ?? policy.replay.key
        policy.replay.action = section.choice("action", &problems) ?? policy.replay.action
        if policy.replay.window > .seconds(86_400) {
            problems.note(section.line(of: "window"), "window is longer than a day", "Write \"24h\" or less.")
        }
        section.rejectUnknownKeys(&problems)
    }

    private mutating func checkIDs(_ policy: GatePolicy, _ tables: [PolicyTable]) {
        var seen: Set<Text> = []
        for (id, table) in zip(policy.deny.map(\.id) + policy.accept.map(\.id), tables) where !id.isEmpty {
            if !seen.insert(id).inserted {
                problems.note(table.line(of: "id"), "two rules have the id \(id)", "Give each rule its own id.")
            }
        }
        for test in policy.tests {
            if let rule = test.rule, !seen.contains(rule) {
                problems.note(test.line, "there is no rule \(rule)", "Name a rule of this file.")
            }
        }
    }

    /// Returns whether a text has 1 to `longest` characters, all of which are ASCII letters, ASCII digits or in
    /// `others`.
    static func isName(_ text: Text, longest: Int, also others: String) -> Bool {
        (1...longest).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: others.utf8.contains(byte)
                }
            }
    }
}
