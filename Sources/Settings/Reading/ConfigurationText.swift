package import Encoding

/// A configuration that is being written: keys in their sections, each optionally with a comment above it.
package struct ConfigurationText {
    private var sections: [(name: String, lines: [String])] = []

    /// Creates a text without keys.
    package init() {}

    /// Adds `section.key`. The first key of a section begins it. Values are texts, lists of texts, booleans
    /// and numbers.
    package mutating func add(_ key: String, _ value: JSON, _ comment: String? = nil) {
        let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return }
        if !sections.contains(where: { $0.name.utf8.elementsEqual(parts[0].utf8) }) { sections.append((parts[0], [])) }
        // TOML's basic strings have the escapes of JSON, and must also escape U+007F.
        let written = value.compactText.replacing("\u{7F}", with: "\\u007F")
        let lines = [comment.map { "# " + $0 }, "\(parts[1]) = \(written)"].compactMap(\.self)
        for index in sections.indices where sections[index].name.utf8.elementsEqual(parts[0].utf8) {
            sections[index].lines += lines
        }
    }

    /// The lines, with an empty line between sections.
    package var lines: [String] {
        Array(sections.map { ["[\($0.name)]"] + $0.lines }.joined(separator: [""]))
    }
}
