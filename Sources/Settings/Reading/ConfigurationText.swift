package import Encoding

/// A configuration that is being written: keys in their sections. Each key may have a comment above it.
package struct ConfigurationText {
    private var sections: [(name: String, lines: [String])] = []

    /// Creates a text without keys.
    package init() {}

    /// Adds the key `section.key` with its value. The first key of a section also adds the section. A value is a
    /// text, a list of texts, a boolean or a number.
    package mutating func add(_ key: String, _ value: JSON, _ comment: String? = nil) {
        let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return }
        if !sections.contains(where: { $0.name.utf8.elementsEqual(parts[0].utf8) }) { sections.append((parts[0], [])) }
        // TOML's basic strings use the escapes of JSON, and also require an escape of U+007F.
        let written = value.compactText.replacing("\u{7F}", with: "\\u007F")
        let lines = [comment.map { "# " + $0 }, "\(parts[1]) = \(written)"].compactMap(\.self)
        for index in sections.indices where sections[index].name.utf8.elementsEqual(parts[0].utf8) {
            sections[index].lines += lines
        }
    }

    /// The lines of the file, with an empty line between two sections.
    package var lines: [String] {
        Array(sections.map { ["[\($0.name)]"] + $0.lines }.joined(separator: [""]))
    }
}
