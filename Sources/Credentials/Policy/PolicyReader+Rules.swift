import Encoding

extension PolicyReader {
    mutating func acceptRule(_ source: PolicyTable) -> AcceptRule {
        var table = named("an [[accept]] rule", source)
        var rule = AcceptRule(id: id(of: &table))
        rule.selector = selector(of: &table)
        rule.selector.contexts = table.texts("contexts", &problems) ?? []
        rule.direction = table.choice("direction", &problems)
        rule.require = predicates("require", of: &table)
        rule.hours = table.sections(
            "hours", "{ days = [\"mon-fri\"], from = \"07:00\", to = \"19:00\" }", single: true, &problems
        )
        .compactMap { hours($0) }
        rule.holderRequired =
            table.take("holder", "\"none\" or \"required\"", &problems) { value in
                switch value.string {
                case "none": false
                case "required": true
                default: nil
                }
            } ?? false
        if let status = table.section("status", &problems) { rule.status = tolerance(status) }
        rule.replay = table.choice("replay", &problems)
        table.rejectUnknownKeys(&problems)
        return rule
    }

    mutating func denyRule(_ source: PolicyTable) -> DenyRule {
        var table = named("a [[deny]] rule", source)
        var rule = DenyRule(id: id(of: &table))
        rule.selector = selector(of: &table)
        rule.selector.subjects = table.texts("subjects", &problems) ?? []
        rule.selector.credentials =
            table.take(
                "credentials", "a list of \"sha256:\" with 64 hexadecimal digits: the hash of the signed content",
                &problems
            ) { value in
                guard let elements = value.array else { return nil }
                let digests = elements.compactMap(Self.digest)
                return digests.count == elements.count ? digests : nil
            } ?? []
        rule.direction = table.choice("direction", &problems)
        rule.when = predicates("when", of: &table)
        if rule.selector == CredentialSelector(), rule.when.isEmpty, rule.direction == nil {
            problems.note(table.line, "the rule \(rule.id) denies everybody", "Say whom it is about.")
        }
        table.rejectUnknownKeys(&problems)
        return rule
    }

    private func named(_ name: String, _ table: PolicyTable) -> PolicyTable {
        PolicyTable(name, table.table, line: table.line)
    }

    private mutating func id(of table: inout PolicyTable) -> Text {
        guard table.has("id") else {
            problems.note(table.line, "\(table.name) has no id", "Write id = \"…\": verdicts name the rule by it.")
            return ""
        }
        guard let id = table.text("id", &problems) else { return "" }
        guard Self.isName(id, longest: 64, also: "-_"), !GatePolicy.reservedIDs.contains(id) else {
            let reserved = GatePolicy.reservedIDs.map(\.string).joined(separator: " and ")
            problems.note(
                table.line(of: "id"), "\(id) is no id of a rule",
                "Use 1 to 64 of the letters A-Z a-z 0-9 - _; \(reserved) have a meaning of their own.")
            return ""
        }
        return id
    }

    private mutating func selector(of table: inout PolicyTable) -> CredentialSelector {
        var selector = CredentialSelector()
        let known = Self.credentialFormats
        selector.formats =
            table.take("formats", "a list of " + known.map { "\"\($0.rawValue)\"" }.joined(separator: ", "), &problems)
        { value in
            let elements = value.array ?? [value]
            let formats = elements.compactMap { element in known.first { Text($0.rawValue) == element.string } }
            return formats.count == elements.count && !formats.isEmpty ? formats : nil
        } ?? []
        selector.types = table.texts("types", &problems) ?? []
        for issuer in table.texts("issuers", &problems) ?? [] {
            if issuer.hasPrefix("group:") {
                selector.groups.append(
                    Text(String(decoding: issuer.utf8.dropFirst("group:".utf8.count), as: UTF8.self)))
            } else {
                selector.issuers.append(issuer)
            }
        }
        return selector
    }

    /// Rules are about credentials, alone or in a presentation; one that asks for a presentation says `holder = "required"`.
    static let credentialFormats = CredentialFormat.allCases.filter { ![.ldpVP, .jwtVP, .vpJWT].contains($0) }

    private static func digest(_ value: TOML) -> [UInt8]? {
        guard let text = value.string, text.hasPrefix("sha256:") else { return nil }
        let digest = Hex.decode(String(decoding: text.utf8.dropFirst("sha256:".utf8.count), as: UTF8.self))
        return digest?.count == 32 ? digest : nil
    }

    // MARK: - Hours

    private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    private mutating func hours(_ source: PolicyTable) -> GateHours? {
        var table = source
        let days = table.take("days", "a list of days, [\"mon-fri\", \"sun\"]", &problems) { value -> Set<Int>? in
            let elements = (value.array ?? [value]).map { $0.string.flatMap(Self.days) }
            return elements.isEmpty || elements.contains(nil) ? nil : Set(elements.compactMap(\.self).joined())
        }
        let (isFrom, isTo) = (table.has("from"), table.has("to"))
        let from =
            table.take("from", "a time, \"07:00\"", &problems) { $0.string.flatMap(Self.minute) } ?? (isFrom ? nil : 0)
        let to =
            table.take("to", "a time, \"19:00\"; \"24:00\" is midnight", &problems) { $0.string.flatMap(Self.minute) }
            ?? (isTo ? nil : 1440)
        table.rejectUnknownKeys(&problems)
        guard let from, let to else { return nil }
        guard from != to, from < 1440, to > 0 else {
            problems.note(table.line, "the hours are empty", "Leave out from and to for whole days.")
            return nil
        }
        return GateHours(days: days ?? Set(0...6), from: from, to: to)
    }

    /// The days of `tue` or of `fri-mon`.
    private static func days(_ text: Text) -> Set<Int>? {
        let ends = text.string.split(separator: "-", omittingEmptySubsequences: false).map { name in
            weekdays.firstIndex { $0.utf8.elementsEqual(name.utf8) }
        }
        guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else { return nil }
        return Set((0...((last - first + 7) % 7)).map { (first + $0) % 7 })
    }

    /// Minutes since midnight, 0 to 1440.
    private static func minute(_ text: Text) -> Int? {
        let letters = Array(text.utf8)
        guard letters.count == 5, letters[2] == UInt8(ascii: ":") else { return nil }
        let digits = [letters[0], letters[1], letters[3], letters[4]].map { Int($0) - Int(UInt8(ascii: "0")) }
        guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        return minute < 60 && (hour < 24 || hour == 24 && minute == 0) ? hour * 60 + minute : nil
    }

    // MARK: - Status

    private mutating func tolerance(_ source: PolicyTable) -> StatusTolerance {
        var (table, tolerance) = (source, StatusTolerance())
        tolerance.purposes = table.texts("purposes", &problems) ?? []
        tolerance.whenStale =
            table.take("when-stale", "\"reject\", \"accept\" or a grace such as \"24h\"", &problems) { value in
                switch value.string {
                case "reject": .reject
                case "accept": .accept
                default: value.string.flatMap { DurationText.parse($0.string) }.map { .grace($0) }
                }
            } ?? .reject
        tolerance.rejectsMissing =
            table.take("when-missing", "\"reject\" or \"accept\"", &problems) { value in
                switch value.string {
                case "reject": true
                case "accept": false
                default: nil
                }
            } ?? true
        tolerance.maxAge = table.duration("max-age", &problems)
        table.rejectUnknownKeys(&problems)
        return tolerance
    }
}
