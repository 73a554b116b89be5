import Encoding

/// A TOML document seen by dotted keys.
struct ConfigurationDocument {
    private let root: TOMLTable

    init(_ bytes: [UInt8]) throws(TOML.SyntaxError) {
        root = try TOML.parse(bytes)
    }

    /// The value under a dotted key, if there is one.
    subscript(key: String) -> TOML? { entry(key)?.value }

    /// The line of a dotted key, else that of the section it would belong to.
    func line(of key: String) -> Int? {
        if let entry = entry(key) { return entry.line }
        return key.lastIndex(of: ".").flatMap { line(of: String(key[..<$0])) }
    }

    /// The dotted keys of every value that is no section, and of empty sections, in the order of the document.
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
        walk(root, "")
        return found
    }

    private func entry(_ key: String) -> TOMLTable.Entry? {
        let parts = key.split(separator: ".").map { Text(String($0)) }
        var table: TOMLTable? = root
        for part in parts.dropLast() { table = table?[part]?.table }
        return parts.last.flatMap { table?.entry($0) }
    }
}
