import Encoding

/// A change of `issuers.toml` that preserves all other text. It inserts lines, or changes a value in its line. It
/// does not understand all of TOML, so the caller must read the result and compare it with the intended change.
struct IssuersEdit {
    /// The error that an existing single value differs from the new one.
    struct Conflict: Error, Hashable {
        let name: Text
        /// The existing value, in TOML.
        let value: String
        /// The number of the line, from 1.
        let line: Int
    }

    private var lines: [[UInt8]]
    private static let lineEnd = UInt8(ascii: "\n")

    init(_ bytes: [UInt8]) {
        lines = bytes.split(separator: Self.lineEnd, omittingEmptySubsequences: false).map(Array.init)
    }

    /// The content of the changed file.
    var bytes: [UInt8] { Array(lines.joined(separator: [Self.lineEnd])) }

    /// Writes the settings into the entry with the id `id`. If there is none, adds an entry at the end of the file.
    ///
    /// - Throws: ``Conflict`` if a single value would be replaced and `replaces` is false.
    mutating func set(_ settings: IssuerSettings, of id: Text, replaces: Bool) throws(Conflict) {
        guard entry(id) != nil else { return append(settings, id) }
        for (name, value) in settings.values {
            // Find the entry again, because each change moves lines.
            guard let entry = entry(id) else { return }
            try set(name, value, in: entry, replaces)
        }
    }

    private func entry(_ id: Text) -> TOMLTable? {
        let tables = (try? TOML.parse(bytes))?["issuer"]?.array?.compactMap(\.table) ?? []
        return tables.first { $0["id"]?.string == id }
    }

    private mutating func append(_ settings: IssuerSettings, _ id: Text) {
        var new = ["[[issuer]]", "id = \(IssuerSettings.Value.word(id).toml)"]
        new += settings.values.map { "\($0.name) = \($0.value.toml)" }
        while lines.last?.allSatisfy({ $0 == 0x20 || $0 == 0x0D }) ?? false { lines.removeLast() }
        if !lines.isEmpty { lines.append([]) }
        lines += new.map { Array($0.utf8) } + [[]]
    }

    private mutating func set(
        _ name: Text, _ value: IssuerSettings.Value, in entry: TOMLTable, _ replaces: Bool
    ) throws(Conflict) {
        guard let old = entry.entry(name) else {
            guard let line = entry.entry("id")?.line, lines.indices.contains(line - 1) else { return }
            return lines.insert(Self.like(lines[line - 1], "\(name) = \(value.toml)"), at: line)
        }
        guard lines.indices.contains(old.line - 1) else { return }
        switch value {
        case .list(let texts):
            let there = (old.value.array ?? []).compactMap(\.string)
            add(texts.filter { !there.contains($0) }, isFirst: there.isEmpty, at: old.line - 1)
        case .word(let word):
            guard old.value.string != word else { return }
            guard replaces else {
                let written = old.value.string.map { IssuerSettings.Value.word($0).toml }
                throw Conflict(name: name, value: written ?? "another value", line: old.line)
            }
            replace(word, at: old.line - 1)
        }
    }

    /// Inserts texts at the beginning of a list whose key is in the line `index`. The list may continue in further
    /// lines. `isFirst`: the list is empty.
    private mutating func add(_ texts: [Text], isFirst: Bool, at index: Int) {
        guard !texts.isEmpty, let equals = lines[index].firstIndex(of: UInt8(ascii: "=")),
            let open = lines[index][equals...].firstIndex(of: UInt8(ascii: "["))
        else { return }
        let new = IssuerSettings.Value.list(texts).toml.dropFirst().dropLast() + (isFirst ? "" : ", ")
        lines[index].insert(contentsOf: new.utf8, at: open + 1)
    }

    /// Replaces the single value in the line `index`, and preserves the rest of the line.
    private mutating func replace(_ word: Text, at index: Int) {
        let line = lines[index]
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return }
        let rest = line[(equals + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
        var end = rest.startIndex
        if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            end = rest.dropFirst().firstIndex(of: quote).map { $0 + 1 } ?? rest.endIndex
        } else {
            end = rest.firstIndex { [0x20, 0x09, 0x0D, UInt8(ascii: "#")].contains($0) } ?? rest.endIndex
        }
        lines[index] = Array(line[...equals]) + Array(" \(IssuerSettings.Value.word(word).toml)".utf8) + rest[end...]
    }

    /// Returns `text` as a line with the indentation and the line end of the line `neighbour`.
    private static func like(_ neighbour: [UInt8], _ text: String) -> [UInt8] {
        let blanks = neighbour.prefix { $0 == 0x20 || $0 == 0x09 }
        return Array(blanks) + Array(text.utf8) + (neighbour.last == 0x0D ? [0x0D] : [])
    }
}
