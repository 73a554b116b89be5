/// Finds declarations with `package` that could be narrower: their name occurs in no other target, in no interface of
/// their own target that others use, and is no requirement of a protocol. It compares names only, so it finds some of
/// them, and none that is used.
struct AccessRule {
    /// Functions that Swift's runtime calls.
    private static let witnesses: Set = ["checkIsolated"]

    /// The names of such declarations, by file.
    private(set) var needless: [String: [String]] = [:]

    init(_ tree: SourceTree) {
        var users: [String: Set<String>] = [:]
        // How often a name occurs in interfaces and in requirements, by target.
        var interfaces: [String: [String: Int]] = [:]
        var declared: [(path: String, name: String)] = []
        for (path, source) in tree.files {
            let target = SourceTree.target(of: path)
            for word in tree.words[path] ?? [] { users[word, default: []].insert(target) }
            guard path.hasPrefix("Sources/") else { continue }
            let interface = Interface(source)
            for word in interface.words { interfaces[target, default: [:]][word, default: 0] += 1 }
            declared += interface.names.map { (path, $0) }
        }
        let counts = declared.reduce(into: [:]) { counts, declaration in
            counts[SourceTree.target(of: declaration.path) + " " + declaration.name, default: 0] += 1
        }
        for (path, name) in declared where !Self.witnesses.contains(name) {
            let target = SourceTree.target(of: path)
            let own = counts[target + " " + name] ?? 0
            guard users[name] == [target], interfaces[target]?[name] == own else { continue }
            needless[path, default: []].append(name)
        }
    }
}

/// What a file offers to other targets.
private struct Interface {
    /// The names after `package` that begin with a letter.
    var names: [String] = []
    /// All words of those declarations up to their bodies, of cases, and of protocols.
    var words: [String] = []

    private static let kinds: Set = [
        "struct", "enum", "class", "actor", "protocol", "func", "var", "let", "typealias",
    ]

    init(_ source: SwiftSource) {
        // The parentheses that the last line of a declaration leaves open, and the indent of an open protocol.
        var (open, protocolIndent): (Int, Int?) = (0, nil)
        for line in source.lines {
            let words = SwiftSource.words(in: line.code)
            let indent = line.code.utf8.prefix { $0 == UInt8(ascii: " ") }.count
            if let start = protocolIndent, indent <= start, !words.isEmpty || line.code.contains("}") {
                protocolIndent = nil
            }
            let modifiers = words.prefix { !Self.kinds.contains($0) && $0 != "init" && $0 != "subscript" }
            let isPackage = modifiers.contains("package") && modifiers.first != "import" && !words.contains("import")
            if isPackage, words.count > modifiers.count + 1, Self.kinds.contains(words[modifiers.count]) {
                // An operator has no name in letters.
                let after = line.code.split(separator: words[modifiers.count] + " ", maxSplits: 1).last ?? ""
                if let name = SwiftSource.words(in: String(after.prefix { $0 != "(" && $0 != "<" })).first {
                    names.append(name)
                }
            }
            if words.contains("protocol"), line.code.hasSuffix("{") { protocolIndent = indent }
            guard isPackage || open > 0 || protocolIndent != nil || words.first == "case" else { continue }
            self.words += SwiftSource.words(in: String(line.code.prefix { open > 0 || $0 != "{" }))
            open += line.code.utf8.reduce(0) { sum, byte in
                sum + ("([".utf8.contains(byte) ? 1 : ")]".utf8.contains(byte) ? -1 : 0)
            }
            open = max(0, open)
        }
    }
}
