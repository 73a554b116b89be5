import Encoding

extension PolicyReader {
    mutating func acceptRule(_ source: PolicyTable) -> AcceptRule {
        var table = named("an [[accept]] rule", source)
        var rule = AcceptRule(id: id(of: &table))
        rule.selector = selector(of: &table)
        isAboutLinkedData = rule.selector.isAbout(.ldpVC)
        rule.selector.contexts = table.texts("contexts", &problems) ?? []
        rule.direction = table.choice("direction", &problems)
        rule.require = predicates("require", of: &table)
        rule.hours = table.sections(
            "hours", "{ days = [\"mon-fri\"], from = \"07:00\", to = \"19:00\" }", single: true, &problems
        )
        .compactMap { section in
            var table = section
            let hours = GateHours(&table, &problems)
            table.rejectUnknownKeys(&problems)
            return hours
        }
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
        isAboutLinkedData = rule.selector.isAbout(.ldpVC)
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
        warn(about: rule, table)
        rule.direction = table.choice("direction", &problems)
        rule.when = predicates("when", of: &table)
        if rule.selector == CredentialSelector(), rule.when.isEmpty, rule.direction == nil {
            problems.note(
                table.line, "the rule \(rule.id) denies everybody",
                "Name the credentials that it applies "
                    + "to.")
        }
        table.rejectUnknownKeys(&problems)
        return rule
    }

    /// Warns about a deny rule with `subjects`. A credential without a subject may be about a denied person, so the
    /// rule denies every such credential.
    private mutating func warn(about rule: DenyRule, _ table: PolicyTable) {
        let selector = rule.selector
        guard !selector.subjects.isEmpty, selector.types.isEmpty, Self.subjectless.contains(where: selector.isAbout)
        else { return }
        problems.warn(
            table.line(of: "subjects"),
            "the deny rule \(rule.id) also rejects every credential that names no subject, such as each mdoc and each "
                + "SD-JWT VC without sub",
            "Restrict the rule with types or formats.")
    }

    /// The formats in which credentials need not, or cannot, name their subject.
    private static let subjectless: [CredentialFormat] = [.vcSDJWT, .dcSDJWT, .sdJWT, .mdoc]

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
                table.line(of: "id"), "\(id) is not a valid rule id",
                "Use 1 to 64 of the letters A-Z a-z 0-9 - _; \(reserved) are reserved.")
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

    /// The formats that rules can name. Rules apply to credentials, alone or in a presentation. A rule that requires a
    /// presentation has `holder = "required"`.
    static let credentialFormats = CredentialFormat.allCases.filter { ![.ldpVP, .jwtVP, .vpJWT].contains($0) }

    private static func digest(_ value: TOML) -> [UInt8]? {
        guard let text = value.string, text.hasPrefix("sha256:") else { return nil }
        let digest = Hex.decode(String(decoding: text.utf8.dropFirst("sha256:".utf8.count), as: UTF8.self))
        return digest?.count == 32 ? digest : nil
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
