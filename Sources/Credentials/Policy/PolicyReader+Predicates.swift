import Encoding
import LinkedData

extension PolicyReader {
    /// Reads the predicates under a key of a rule.
    mutating func predicates(_ key: Text, of table: inout PolicyTable) -> [Predicate] {
        let wanted = "a list of conditions, [ { claim = \"/credentialSubject/zones\", contains = \"north\" } ]"
        let sections = table.sections(key, wanted, single: true, &problems)
        var count = 0
        let predicates = sections.compactMap { predicate($0, depth: 1, &count) }
        if count > GatePolicy.Bounds.predicates {
            problems.note(
                table.line(of: key), "\(key) has too many conditions",
                "Write \(GatePolicy.Bounds.predicates) at most, or split the rule.")
        }
        return predicates
    }

    private mutating func predicate(_ source: PolicyTable, depth: Int, _ count: inout Int) -> Predicate? {
        var table = PolicyTable("a condition", source.table, line: source.line)
        count += 1
        guard depth <= GatePolicy.Bounds.depth else {
            problems.note(
                table.line, "conditions are nested too deeply", "Nest \(GatePolicy.Bounds.depth) levels at most.")
            return nil
        }
        let subjects = (["claim", "age", "issued-within", "remaining", "all", "any", "not"] as [Text]).filter {
            table.has($0)
        }
        guard subjects.count == 1, let subject = subjects.first else {
            problems.note(
                table.line, subjects.isEmpty ? "a condition has no subject" : "a condition has several subjects",
                "Write one of claim, age, issued-within, remaining, all, any or not in each { … }.")
            return nil
        }
        var found: Predicate?
        switch subject {
        case "claim": found = claim(&table)
        case "age": found = age(&table)
        case "issued-within": found = table.duration(subject, &problems).map { .issuedWithin($0) }
        case "remaining": found = table.duration(subject, &problems).map { .remaining($0) }
        case "not":
            found = table.section(subject, &problems).flatMap { predicate($0, depth: depth + 1, &count) }
                .map { .not($0) }
        default:
            let inner = table.sections(subject, "a list of conditions, [ { … }, { … } ]", &problems)
            let predicates = inner.compactMap { predicate($0, depth: depth + 1, &count) }
            if predicates.isEmpty {
                problems.note(table.line, "\(subject) has no conditions", "Write [ { … }, { … } ].")
            }
            found = subject == "all" ? .all(predicates) : .any(predicates)
        }
        table.rejectUnknownKeys(&problems)
        return found
    }

    // MARK: - Claims

    private mutating func path(_ key: Text, _ table: inout PolicyTable) -> ClaimPath? {
        let wanted = "a JSON pointer such as \"/credentialSubject/zones\", or a list of property IRIs"
        return table.take(key, wanted, &problems) { value in
            if let text = value.string { return Self.pointer(text).map { .pointer(text, $0) } }
            guard let iris = value.array?.compactMap(\.string), iris.count == value.array?.count,
                (1...GatePolicy.Bounds.steps).contains(iris.count), iris.allSatisfy(IRI.isWellFormed)
            else { return nil }
            return .properties(iris)
        }
    }

    /// Returns the tokens of a JSON pointer (RFC 6901 section 3) to a member; nil for any other text, and for a pointer
    /// with more than ``GatePolicy/Bounds/steps`` tokens.
    static func pointer(_ text: Text) -> [Text]? {
        guard text.hasPrefix("/") else { return nil }
        var tokens: [Text] = []
        for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            var token: [UInt8] = []
            var rest = part[...]
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "~") else {
                    token.append(byte)
                    continue
                }
                switch rest.popFirst() {
                case UInt8(ascii: "0"): token.append(UInt8(ascii: "~"))
                case UInt8(ascii: "1"): token.append(UInt8(ascii: "/"))
                default: return nil
                }
            }
            guard let token = Text(utf8: token) else { return nil }
            tokens.append(token)
        }
        return tokens.count <= GatePolicy.Bounds.steps ? tokens : nil
    }

    private mutating func claim(_ table: inout PolicyTable) -> Predicate? {
        let path = path("claim", &table)
        var tests: [ClaimTest] = []
        if let wanted = table.flag("exists", &problems) { tests.append(.exists(wanted)) }
        if let value = value("equals", &table) { tests.append(.equals(value)) }
        if let values = values("in", &table) { tests.append(.isOne(of: values)) }
        if let prefix = table.text("starts-with", &problems) { tests.append(.hasPrefix(prefix)) }
        if let value = value("contains", &table) { tests.append(.contains(value)) }
        if let values = values("contains-any", &table) { tests.append(.containsAny(values)) }
        if let values = values("contains-all", &table) { tests.append(.containsAll(values)) }
        for (key, order) in Self.numberOrders {
            let number = table.take(key, "a number; a very long one in quotes", &problems) { value in
                Self.number(value) ?? value.string.flatMap { DecimalNumber($0) }
            }
            if let number { tests.append(.number(order, number)) }
        }
        for (key, order) in Self.dateOrders {
            let wanted = "a date (2026-12-31), a date with time and zone, \"today\" or \"now\""
            if let date = table.take(key, wanted, &problems, Self.date) { tests.append(.date(order, date)) }
        }
        warn(about: tests, table)
        return complete(path, tests, &table)
    }

    /// Warns about numbers whose exact value a signature might not preserve. JCS signs numbers as doubles (RFC 8785
    /// section 3.2.2.3), and several integers above 2^53 share one double.
    private mutating func warn(about tests: [ClaimTest], _ table: PolicyTable) {
        guard isAboutLinkedData else { return }
        for test in tests where test.numbers.contains(where: { !$0.isSafe }) {
            problems.warn(
                table.line(of: Text(test.key)),
                "\(test.key) compares with a number that not every signature preserves: JCS signatures of linked data "
                    + "preserve numbers up to 2^53 (9007199254740992) and 15 digits only",
                "Ask the issuer to write it as text, and compare with the text; or remove ldp_vc from the rule's "
                    + "formats.")
        }
    }

    private mutating func age(_ table: inout PolicyTable) -> Predicate? {
        let path = path("age", &table)
        var tests: [ClaimTest] = []
        for (key, order) in Self.numberOrders {
            let years = table.take(key, "whole years, 0 to 200", &problems) { value in
                value.integer.flatMap { (0...200).contains($0) ? Int($0) : nil }
            }
            if let years { tests.append(.age(order, years)) }
        }
        return complete(path, tests, &table)
    }

    private mutating func complete(
        _ path: ClaimPath?, _ tests: [ClaimTest], _ table: inout PolicyTable
    ) -> Predicate? {
        // A malformed comparison has already been reported, so report only a condition that has no key for a
        // comparison.
        if tests.isEmpty, table.table.entries.count == 1 {
            problems.note(
                table.line, "a condition has no comparison",
                "Add a comparison, such as equals, contains, in, exists, at-least or before.")
        }
        guard let path else { return nil }
        let predicates = tests.map { Predicate.claim(path, $0) }
        return predicates.count == 1 ? predicates.first : .all(predicates)
    }

    private static let numberOrders: [(Text, ClaimTest.Order)] = [
        ("at-least", .atLeast), ("at-most", .atMost), ("above", .more), ("below", .less),
    ]
    private static let dateOrders: [(Text, ClaimTest.Order)] = [
        ("on-or-after", .atLeast), ("on-or-before", .atMost), ("after", .more), ("before", .less),
    ]

    // MARK: - Values

    private mutating func value(_ key: Text, _ table: inout PolicyTable) -> PolicyValue? {
        table.take(key, "a text in quotes, a number, true or false", &problems, Self.value)
    }

    private mutating func values(_ key: Text, _ table: inout PolicyTable) -> [PolicyValue]? {
        table.take(key, "a list of texts, numbers, true or false", &problems) { value in
            guard let elements = value.array, !elements.isEmpty else { return nil }
            let values = elements.compactMap(Self.value)
            return values.count == elements.count ? values : nil
        }
    }

    private static func value(_ value: TOML) -> PolicyValue? {
        switch value {
        case .string(let text), .dateTime(let text): .text(text)
        case .boolean(let flag): .boolean(flag)
        case .integer, .float: number(value).map { .number($0) }
        case .array, .table: nil
        }
    }

    /// Reads a TOML number. A fraction is read from its shortest decimal text, which equals the written number up to 15
    /// digits.
    private static func number(_ value: TOML) -> DecimalNumber? {
        switch value {
        case .integer(let number): DecimalNumber(number)
        case .float(let number): DecimalNumber(Text(number.description))
        default: nil
        }
    }

    private static func date(_ value: TOML) -> PolicyDate? {
        guard let text = value.dateText else { return nil }
        switch text {
        case "today": return .today
        case "now": return .now
        default:
            if let day = CivilDate(text) { return .day(day) }
            return Timestamp(rfc3339: text.string.replacing(" ", with: "T")).map { .instant($0) }
        }
    }
}
