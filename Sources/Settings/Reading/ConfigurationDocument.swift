import Encoding

/// A TOML document. Its values are found by dotted keys, such as `gate.pulse`.
struct ConfigurationDocument {
    /// The values of the document; nil: it has none.
    private let root: TOMLTable?
    /// The key of the section whose keys `root` contains, and the line of the section; nil if `root` is the whole
    /// file.
    private let section: (key: String, line: Int?)?

    /// Creates a document without keys.
    init() { (root, section) = (nil, nil) }

    init(_ bytes: [UInt8]) throws(TOML.SyntaxError) {
        (root, section) = (try TOML.parse(bytes), nil)
    }

    /// Creates a document of one among several sections with the key `key`, as if it were the only one. `line` is a
    /// line near the header of the section.
    init(_ table: TOMLTable, as key: String, line: Int?) {
        (root, section) = (table, (key, table.entries.first?.line ?? line))
    }

    /// The value of a dotted key; nil if the document does not contain the key.
    subscript(key: String) -> TOML? { entry(key)?.value }

    /// Returns the line of a dotted key. If the document does not contain the key, returns the line of the section to
    /// which the key would belong; nil if the section is missing too.
    func line(of key: String) -> Int? {
        if let entry = entry(key) { return entry.line }
        if let section, !key.contains(".") { return section.line }
        return key.lastIndex(of: ".").flatMap { line(of: String(key[..<$0])) }
    }

    /// The dotted keys of all values that are not sections, and of empty sections, in their order in the document.
    var leaves: [String] {
        var found: [String] = []
        func walk(_ table: TOMLTable, _ prefix: String) {
            for entry in table.entries {
                if let inner = entry.value.table, !inner.entries.isEmpty {
                    walk(inner, prefix + entry.name.string + ".")
                } else {
                    found.append(prefix + entry.name.string)
                }
            }
        }
        if let root { walk(root, section.map { $0.key + "." } ?? "") }
        return found
    }

    private func entry(_ key: String) -> TOMLTable.Entry? {
        var parts = key.split(separator: ".").map { Text(String($0)) }
        if let section {
            guard key.utf8.starts(with: (section.key + ".").utf8) else { return nil }
            parts.removeFirst(section.key.split(separator: ".").count)
        }
        var table: TOMLTable? = root
        for part in parts.dropLast() { table = table?[part]?.table }
        return parts.last.flatMap { table?.entry($0) }
    }
}
