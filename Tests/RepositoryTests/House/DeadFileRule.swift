/// Finds files of which nothing is used: no name that they declare for others occurs in another file. A file with a
/// conformance, an initialiser of another type, tests or the beginning of a program is used without its names.
struct DeadFileRule {
    /// The paths, sorted.
    let dead: [String]

    init(_ tree: SourceTree) {
        let users = tree.words.values.joined().reduce(into: [:]) { $0[$1, default: 0] += 1 }
        dead = tree.files.filter { path, source in
            let name = path.split(separator: "/").last
            if name == "Package.swift" || name == "main.swift" { return false }
            let words = tree.words[path] ?? []
            if !words.isDisjoint(with: ["Testing", "main", "_cdecl"]) { return false }
            return !Self.extendsWithoutName(source) && !Self.names(in: source).contains { users[$0, default: 0] > 1 }
        }.map(\.key).sorted()
    }

    private static func extendsWithoutName(_ source: SwiftSource) -> Bool {
        var isExtension = false
        return source.lines.contains { line in
            let words = SwiftSource.words(in: line.code)
            if !line.code.hasPrefix(" "), !words.isEmpty { isExtension = words.contains("extension") }
            let isConformance = !line.code.hasPrefix(" ") && line.code.contains(":")
            return isExtension
                && (isConformance
                    || words.contains("init") && line.code.hasPrefix("    ")
                        && !line.code.hasPrefix("     "))
        }
    }

    private static let kinds: Set = [
        "struct", "enum", "class", "actor", "protocol", "func", "var", "let", "typealias",
    ]

    /// The names that a file declares at its top or in extensions.
    private static func names(in source: SwiftSource) -> Set<String> {
        var names: Set<String> = []
        var isExtension = false
        for line in source.lines {
            let indent = line.code.utf8.prefix { $0 == UInt8(ascii: " ") }.count
            let words = SwiftSource.words(in: line.code)
            if indent == 0, !words.isEmpty { isExtension = words.contains("extension") }
            guard indent == 0 || indent == 4 && isExtension else { continue }
            if let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count {
                names.insert(words[kind + 1])
            }
        }
        return names
    }
}
