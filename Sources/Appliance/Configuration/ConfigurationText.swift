import Encoding

/// A configuration in the making: keys in their sections, each perhaps with a comment above it.
struct ConfigurationText {
    private var sections: [(name: String, lines: [String])] = []

    /// Adds `section.key`. A section begins with its first key. Values are texts, lists of texts, truth values and numbers.
    mutating func add(_ key: String, _ value: JSON, _ comment: String? = nil) {
        let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return }
        if !sections.contains(where: { $0.name.utf8.elementsEqual(parts[0].utf8) }) { sections.append((parts[0], [])) }
        // Basic strings of TOML have the escapes of JSON, and need one more.
        let written = value.compactText.replacing("\u{7F}", with: "\\u007F")
        let lines = [comment.map { "# " + $0 }, "\(parts[1]) = \(written)"].compactMap(\.self)
        for index in sections.indices where sections[index].name.utf8.elementsEqual(parts[0].utf8) {
            sections[index].lines += lines
        }
    }

    /// The lines, with an empty one between two sections.
    var lines: [String] {
        Array(sections.map { ["[\($0.name)]"] + $0.lines }.joined(separator: [""]))
    }
}
