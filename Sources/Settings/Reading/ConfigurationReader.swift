import Encoding

/// Reads values from a document by their keys. Collects all problems, and all keys that were requested.
///
/// The requests are the schema. A key of the document that was never requested is unknown, and the requests to an
/// empty document list all keys with their defaults.
package struct ConfigurationReader {
    private static let textForm = "a text in quotes"

    private let document: ConfigurationDocument
    /// The keys that a configuration file must contain.
    private(set) var requiredKeys: Set<String> = []
    private(set) var problems: [ConfigurationError.Problem] = []
    /// Each key that was requested, with its value in force and the form of its values, in the order of the requests.
    private(set) var effective: [(key: String, value: JSON, form: String)] = []
    /// The warnings about keys that have no effect, or not the whole effect that the operator may intend.
    private(set) var notices: [ConfigurationError.Problem] = []

    /// The deprecated keys that the document contains, by the keys that replace them.
    private var former: [String: String] = [:]

    init(_ document: ConfigurationDocument, deprecated: [DeprecatedKey] = []) {
        self.document = document
        for old in deprecated where document[old.key] != nil {
            let (message, remedy) = old.warning
            warn(old.key, message, remedy)
            guard let replacement = old.replacement else { continue }
            if document[replacement] != nil {
                reject(old.key, "is given together with \(replacement), which replaces it", "Remove \(old.key).")
            } else {
                former[replacement] = old.key
            }
        }
    }

    /// Returns whether the document contains a value for `key`.
    package func has(_ key: String) -> Bool { node(key) != nil }

    /// Returns whether the document contains a text for `key`.
    func isText(_ key: String) -> Bool { node(key)?.string != nil }

    /// Returns the value of `key`. It may be in the document under the deprecated name of the key.
    private func node(_ key: String) -> TOML? { document[former[key] ?? key] }

    /// Records a problem with a key.
    package mutating func reject(_ key: String, _ message: String, _ remedy: String) {
        let written = former[key] ?? key
        problems.append(.init(line: document.line(of: written), key: written, message: message, remedy: remedy))
    }

    /// Reads a text that the document must contain. `example` is the value in the remedy if it is missing.
    mutating func required(_ key: String, example: String) -> String {
        requiredKeys.insert(key)
        guard has(key) else {
            reject(key, "is missing", "Write for example: \(Self.lastPart(key)) = \"\(example)\"")
            effective.append((key, .text(example), Self.textForm))
            return ""
        }
        return text(key, default: "")
    }

    /// Reads a text. Returns `fallback` if it is missing or invalid.
    package mutating func text(_ key: String, default fallback: String) -> String {
        read(key, fallback, Self.textForm, write: { .text($0) }) { $0.string?.string }
    }

    /// Reads a text. Returns nil if it is missing or empty.
    package mutating func optional(_ key: String) -> String? {
        let text = text(key, default: "")
        return text.isEmpty ? nil : text
    }

    /// Reads a list of texts. Returns an empty list if it is missing or invalid.
    package mutating func texts(_ key: String) -> [String] {
        read(key, [], "a list of texts, [\"one\", \"two\"]", write: { .array($0.map { .text($0) }) }) { value in
            guard let elements = value.array else { return nil }
            let texts = elements.compactMap(\.string?.string)
            return texts.count == elements.count ? texts : nil
        }
    }

    /// Reads `true` or `false`. Returns `fallback` if it is missing or invalid.
    package mutating func flag(_ key: String, default fallback: Bool) -> Bool {
        read(key, fallback, "true or false, without quotes", write: { .bool($0) }) { $0.boolean }
    }

    /// Reads a whole number within bounds. Returns `fallback` if it is missing or invalid.
    package mutating func integer(_ key: String, default fallback: Int, in bounds: ClosedRange<Int>) -> Int {
        let wanted = "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
        let value = read(key, fallback, wanted, write: { .int($0) }) { $0.integer.map { Int(clamping: $0) } }
        if bounds.contains(value) { return value }
        reject(key, "\(value) is out of range", "Write \(wanted).")
        return fallback
    }

    /// Reads a duration within bounds. Returns `fallback` if it is missing or invalid.
    mutating func duration(
        _ key: String, default fallback: Duration, in bounds: ClosedRange<Duration>
    ) -> Duration {
        let range = "from \(DurationText.write(bounds.lowerBound)) to \(DurationText.write(bounds.upperBound))"
        let wanted = "a duration \(range), such as \"\(DurationText.write(fallback))\" (units ms, s, min, h, d)"
        let value = read(key, fallback, wanted, write: { .text(DurationText.write($0)) }) {
            $0.string.flatMap { DurationText.parse($0.string) }
        }
        if bounds.contains(value) { return value }
        reject(key, "\(DurationText.write(value)) is out of range", "Write \(wanted).")
        return fallback
    }

    /// Reads a list of at most `limit` durations, each within `bounds`, and at most `longest` in total. Returns
    /// `fallback` if it is missing or invalid.
    mutating func durations(
        _ key: String, default fallback: [Duration], in bounds: ClosedRange<Duration>, longest: Duration, limit: Int
    ) -> [Duration] {
        let range = "from \(DurationText.write(bounds.lowerBound)) to \(DurationText.write(bounds.upperBound))"
        let wanted = "a list of \(limit) durations at most, each \(range), \(DurationText.write(longest)) in all"
        let values = read(key, fallback, wanted, write: { .array($0.map { .text(DurationText.write($0)) }) }) { value in
            guard let elements = value.array else { return nil }
            let durations = elements.compactMap { $0.string.flatMap { DurationText.parse($0.string) } }
            return durations.count == elements.count ? durations : nil
        }
        guard values.count <= limit, values.allSatisfy(bounds.contains), values.reduce(.zero, +) <= longest else {
            reject(key, "is out of range", "Write \(wanted).")
            return fallback
        }
        return values
    }

    /// Reads a value that must be one of the words of `choices`. Returns `fallback` if it is missing or invalid.
    package mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, default fallback: Choice, of choices: [Choice] = Array(Choice.allCases)
    ) -> Choice where Choice.RawValue == String {
        let words = choices.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        return read(key, fallback, words, write: { .text($0.rawValue) }) { value in
            // Compare bytes: two Unicode spellings of one letter are different words.
            value.string.flatMap { text in choices.first { Text($0.rawValue) == text } }
        }
    }

    /// Reads a value that must be one of a fixed set of words, or the word `none`. Returns nil for the word `none`,
    /// and if the value is missing or invalid.
    package mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, orNil none: String
    ) -> Choice? where Choice.RawValue == String {
        let words = ([none] + Choice.allCases.map(\.rawValue)).map { "\"\($0)\"" }.joined(separator: " or ")
        return read(key, nil, words, write: { .text($0?.rawValue ?? none) }) { value in
            guard let text = value.string else { return nil }
            if text == Text(none) { return .some(nil) }
            return Choice.allCases.first { Text($0.rawValue) == text }.map(Optional.some)
        }
    }

    /// Reads a list of words from a fixed set, each at most once. Returns them in the order of the set, or `fallback`
    /// if the list is missing or invalid.
    mutating func choices<Choice: RawRepresentable & CaseIterable & Equatable>(
        _ key: String, default fallback: [Choice]
    ) -> [Choice] where Choice.RawValue == String {
        let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        let wanted = "a list of one or more of \(words), each once"
        let texts = read(key, fallback.map(\.rawValue), wanted, write: { .array($0.map { .text($0) }) }) { value in
            guard let elements = value.array else { return nil }
            let texts = elements.compactMap(\.string?.string)
            return texts.count == elements.count ? texts : nil
        }
        var chosen: [Choice] = []
        for text in texts {
            guard let choice = Choice.allCases.first(where: { Text($0.rawValue) == Text(text) }) else {
                reject(key, "does not take \"\(text.prefix(60))\"", "Write \(wanted).")
                return fallback
            }
            if chosen.contains(choice) { reject(key, "names \"\(text)\" twice", "Write \(wanted).") }
            chosen.append(choice)
        }
        if chosen.isEmpty { reject(key, "is empty", "Write \(wanted).") }
        return Choice.allCases.filter { chosen.contains($0) }
    }

    /// Reads the sections `[[key]]`. Each may contain only the keys `names`.
    mutating func sections(_ key: String, _ names: [Text]) -> [TOMLTable] {
        let wanted = "one section [[\(key)]] for each"
        let sections: [TOMLTable] = read(key, [], wanted, write: { .array($0.map(Self.json)) }) { value in
            guard let elements = value.array else { return nil }
            let tables = elements.compactMap(\.table)
            return tables.count == elements.count ? tables : nil
        }
        for entry in sections.flatMap(\.entries) where !names.contains(entry.name) {
            problems.append(
                .init(
                    line: entry.line, key: "\(key).\(entry.name)", message: "is not a known key",
                    remedy: "Remove it; known are \(names.map(\.string).joined(separator: ", "))."))
        }
        return sections
    }

    /// Reads the sections `[[list]]`, whose keys are those of `[key]`. Calls `body` for each section with a reader
    /// for which this section is `[key]`. Problems in a section are reported under `list`.
    package mutating func each<Section>(
        _ list: String, as key: String, _ body: (inout ConfigurationReader) -> Section
    ) -> [Section] {
        let wanted = "one section [[\(list)]] for each"
        let tables: [TOMLTable] = read(list, [], wanted, write: { .array($0.map(Self.json)) }) { value in
            guard let elements = value.array else { return nil }
            let tables = elements.compactMap(\.table)
            return tables.count == elements.count ? tables : nil
        }
        return tables.map { table in
            var inner = ConfigurationReader(ConfigurationDocument(table, as: key, line: document.line(of: list)))
            let section = body(&inner)
            inner.rejectUnknownKeys()
            func named(_ problem: ConfigurationError.Problem) -> ConfigurationError.Problem {
                var problem = problem
                problem.key = list + problem.key.dropFirst(key.count)
                return problem
            }
            problems += inner.problems.map(named)
            notices += inner.notices.map(named)
            return section
        }
    }

    /// Reads a section with `body`. In the list of all keys its keys follow those of the section `name`.
    mutating func after<Section>(_ name: String, _ body: (inout Self) -> Section) -> Section {
        let end = effective.count
        let section = body(&self)
        let read = effective[end...]
        effective.removeSubrange(end...)
        effective.insert(contentsOf: read, at: (effective.lastIndex { $0.key.hasPrefix(name + ".") } ?? end - 1) + 1)
        return section
    }

    private static func json(_ table: TOMLTable) -> JSON {
        func json(_ value: TOML) -> JSON {
            value.array.map { .array($0.map(json)) } ?? value.string.map(JSON.string)
                ?? value.integer.map { .int(Int(clamping: $0)) } ?? value.boolean.map(JSON.bool) ?? .null
        }
        return .object(JSONObject(table.entries.map { .init($0.name, json($0.value)) }))
    }

    /// Records a warning about a key. Unlike a problem, it does not make the file invalid.
    package mutating func warn(_ key: String, _ message: String, _ remedy: String) {
        notices.append(.init(line: document.line(of: key), key: key, message: message, remedy: remedy))
    }

    /// Records a problem for each key of the document that was never requested.
    mutating func rejectUnknownKeys() {
        let known = effective.map(\.key)
        let retired = notices.map(\.key)
        for leaf in document.leaves where !(known + retired).contains(where: { $0 == leaf }) {
            // Either the value is not a section although its key is that of a section, or it is an empty section. An
            // empty section is permitted.
            if known.contains(where: { $0.hasPrefix(leaf + ".") }) {
                if document[leaf]?.table != nil { continue }
                reject(leaf, "is a section, not a value", "Write [\(leaf)] on a line of its own, and its keys below.")
            } else {
                let nearest = known.min { $0.spellingDistance(to: leaf) < $1.spellingDistance(to: leaf) }
                let remedy = nearest.flatMap { $0.spellingDistance(to: leaf) <= 4 ? "Did you mean \($0)?" : nil }
                reject(
                    leaf, "is not a known key", remedy ?? "Remove it, or see the example configuration for all keys.")
            }
        }
    }

    private mutating func read<Value>(
        _ key: String, _ fallback: Value, _ wanted: String, write: (Value) -> JSON,
        _ convert: (TOML) -> Value?
    ) -> Value {
        var value = fallback
        if let node = node(key) {
            if let converted = convert(node) {
                value = converted
            } else {
                reject(key, Self.complaint(node), "Write \(wanted).")
            }
        }
        effective.append((key, write(value), wanted))
        return value
    }

    private static func complaint(_ value: TOML) -> String {
        guard let text = value.string?.string else { return "is \(value.kind)" }
        // If an invitation is written in the wrong place, do not repeat it in the error: it is a secret.
        return WrittenInvitation.holdsInvitation(text) ? "does not take that" : "does not take \"\(text.prefix(60))\""
    }

    private static func lastPart(_ key: String) -> String { key.split(separator: ".").last.map(String.init) ?? key }
}
