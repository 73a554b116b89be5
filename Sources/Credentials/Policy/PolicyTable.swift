import Encoding

/// One table of a policy file. The table records the keys that the policy reader looks up; ``rejectUnknownKeys(_:)``
/// reports every other key as a problem.
struct PolicyTable {
    /// The name of the table in messages: `[clock]`, `an [[accept]] rule`.
    let name: String
    let table: TOMLTable
    /// The line of the table's first key; for an empty table, the line of the containing table.
    let line: Int
    private(set) var asked: [Text] = []

    init(_ name: String, _ table: TOMLTable, line: Int) {
        self.name = name
        self.table = table
        self.line = table.entries.first?.line ?? line
    }

    /// Returns whether the table has the key `key`, and marks the key as read.
    mutating func has(_ key: Text) -> Bool {
        asked.append(key)
        return table.entry(key) != nil
    }

    func line(of key: Text) -> Int { table.entry(key)?.line ?? line }

    /// Returns the value of a key; nil if the table does not have the key. If the value has the wrong form, notes a
    /// problem and returns nil.
    mutating func take<Value>(
        _ key: Text, _ wanted: String, _ problems: inout PolicyProblems, _ convert: (TOML) -> Value?
    ) -> Value? {
        problems.ask(KeyForm("\(name).\(key)", wanted))
        guard has(key), let entry = table.entry(key) else { return nil }
        if let value = convert(entry.value) { return value }
        let complaint =
            entry.value.string.map { "does not take \"\($0.string.prefix(60))\"" } ?? "is \(entry.value.kind)"
        problems.note(entry.line, "\(key) \(complaint)", "Write \(wanted).")
        return nil
    }

    mutating func text(_ key: Text, _ problems: inout PolicyProblems) -> Text? {
        take(key, "a text in quotes", &problems, \.string)
    }

    mutating func flag(_ key: Text, _ problems: inout PolicyProblems) -> Bool? {
        take(key, "true or false, without quotes", &problems, \.boolean)
    }

    /// Reads a text or a list of texts.
    mutating func texts(_ key: Text, _ problems: inout PolicyProblems) -> [Text]? {
        take(key, "a text or a list of texts, [\"one\", \"two\"]", &problems) { value in
            let elements = value.array ?? [value]
            let texts = elements.compactMap(\.string)
            return texts.count == elements.count && !texts.isEmpty ? texts : nil
        }
    }

    mutating func duration(_ key: Text, _ problems: inout PolicyProblems) -> Duration? {
        take(key, "a duration such as \"30s\", \"12h\" or \"365d\" (units ms, s, min, h, d)", &problems) {
            $0.string.flatMap { DurationText.parse($0.string) }
        }
    }

    /// Reads an instant: an RFC 3339 date-time with its zone, with or without quotes.
    mutating func instant(_ key: Text, _ problems: inout PolicyProblems) -> Timestamp? {
        take(key, "a date with time and zone, such as 2027-12-31T23:59:59Z", &problems) { value in
            value.dateText.flatMap { Timestamp(rfc3339: $0.string.replacing(" ", with: "T")) }
        }
    }

    /// Reads one of a fixed set of words.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: Text, _ problems: inout PolicyProblems
    ) -> Choice? where Choice.RawValue == String {
        let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        return take(key, words, &problems) { value in
            value.string.flatMap { text in Choice.allCases.first { Text($0.rawValue) == text } }
        }
    }

    /// Reads an inner table.
    mutating func section(_ key: Text, _ problems: inout PolicyProblems) -> PolicyTable? {
        let line = line(of: key)
        return take(key, "a section [\(key)], or { … }", &problems, \.table).map {
            PolicyTable("\(key)", $0, line: line)
        }
    }

    /// Reads a list of tables or, if `single` allows it, a single table.
    mutating func sections(
        _ key: Text, _ wanted: String, single: Bool = false, _ problems: inout PolicyProblems
    ) -> [PolicyTable] {
        let line = line(of: key)
        let tables: [TOMLTable]? = take(key, wanted, &problems) { value in
            if single, let table = value.table { return [table] }
            guard let elements = value.array else { return nil }
            let tables = elements.compactMap(\.table)
            return tables.count == elements.count ? tables : nil
        }
        return (tables ?? []).map { PolicyTable("\(key)", $0, line: line) }
    }

    /// Notes a problem for every key that was never read.
    func rejectUnknownKeys(_ problems: inout PolicyProblems) {
        for entry in table.entries where !asked.contains(entry.name) {
            let known = asked.map(\.string).joined(separator: ", ")
            problems.note(entry.line, "\(entry.name) is not a known key of \(name)", "Remove it; known are: \(known).")
        }
    }
}

/// The problems found so far, and the keys that the reader looked up.
struct PolicyProblems {
    private(set) var list: [PolicyFileError.Problem] = []
    /// Warnings about correct parts of the table that may surprise the author.
    private(set) var warnings: [PolicyFileError.Problem] = []
    /// The keys that the reader looked up, without duplicates. Each key begins with the name of its table.
    private(set) var asked: [KeyForm] = []
    private var seen: Set<String> = []

    mutating func ask(_ form: KeyForm) {
        if seen.insert(form.key).inserted { asked.append(form) }
    }

    mutating func note(_ line: Int?, _ message: String, _ remedy: String) {
        list.append(.init(line: line, message: message, remedy: remedy))
    }

    mutating func warn(_ line: Int, _ message: String, _ remedy: String) {
        warnings.append(.init(line: line, message: message, remedy: remedy))
    }
}

extension TOML {
    /// A date or time as it was written, with or without quotes.
    var dateText: Text? {
        if case .dateTime(let text) = self { return text }
        return string
    }
}
