/// Reads the comments of an example file, in which a comment is above each key.
///
/// A comment above a key is about that key and about the keys that follow it directly; a comment above a `[section]` is
/// about the section. A key may itself be in a comment (`# skew = "60s"`): a commented line is a key if its name is
/// known, otherwise prose.
struct AnnotatedExample {
    /// Keys to which the same comment applies.
    struct Entry {
        var keys: [String]
        let meaning: [String]
        /// Lines that show how the keys are written; empty if the keys themselves show it.
        var example: [String] = []
    }

    /// The content of a section, such as `[clock]`. The keys above the first header are a section without a name.
    struct Section {
        let name: String
        /// The header as it is in the file: `[clock]`, `[[accept]]`.
        let header: String
        var meaning: [String]
        var entries: [Entry] = []
    }

    /// The comment at the top of the file.
    private(set) var introduction: [String] = []
    private(set) var sections = [Section(name: "", header: "", meaning: [])]

    private let known: Set<String>
    private var current = 0
    private var prose: [String] = []
    /// Whether the previous line was a key, so that a key without a comment shares that key's comment.
    private var followsKey = false
    /// The number of brackets that the previous lines have opened and not closed.
    private var depth = 0
    /// Whether commented lines are added to the example of the last entry.
    private var isShowing = false

    /// Reads an example file. `known` contains the names of all keys with their sections, such as `clock.skew`.
    init(_ text: String, known: Set<String>) {
        self.known = known
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { take(line) }
    }

    private mutating func take(_ line: Substring) {
        let isComment = line.hasPrefix("#")
        let content = isComment ? String(line.dropFirst(line.hasPrefix("# ") ? 2 : 1)) : String(line)
        let words = content.drop { $0 == " " }
        if depth > 0 {
            depth += Self.balance(words)
        } else if words.isEmpty {
            if !isComment { endOfBlock() } else { (isShowing, followsKey) = (false, false) }
            if isComment, !prose.isEmpty { prose.append("") }
        } else if isShowing, isComment {
            sections[current].entries[sections[current].entries.count - 1].example.append(content)
        } else if words.hasPrefix("["), !isComment || words.hasPrefix("[[") && words.hasSuffix("]]") {
            header(words, isComment: isComment)
        } else if let key = Self.key(words), !isComment || known.contains(name(of: key)) {
            add(key, isComment: isComment)
            depth = max(0, Self.balance(words))
        } else if isComment {
            prose.append(content)
            followsKey = false
        }
    }

    /// Handles an empty line, which ends a comment.
    private mutating func endOfBlock() {
        if introduction.isEmpty { introduction = prose }
        (prose, followsKey, isShowing) = ([], false, false)
    }

    private mutating func header(_ text: Substring, isComment: Bool) {
        let name = String(text.filter { !"[]".contains($0) })
        if isComment {
            // A header in a comment. With another name than the section's it is a key whose value is a list of
            // sections; with the same name it shows a further section.
            guard name != sections[current].name else { return }
            sections[current].entries.append(Entry(keys: [name], meaning: prose, example: [String(text)]))
            (prose, isShowing) = ([], true)
        } else if let index = sections.firstIndex(where: { $0.name == name }) {
            if sections[index].meaning.isEmpty { sections[index].meaning = prose }
            (current, prose) = (index, [])
        } else {
            sections.append(Section(name: name, header: String(text), meaning: prose))
            (current, prose) = (sections.count - 1, [])
        }
        followsKey = false
    }

    private mutating func add(_ key: String, isComment: Bool) {
        let name = name(of: key)
        if sections[current].entries.contains(where: { $0.keys.contains(name) }) {
            if !isComment { prose = [] }
        } else if prose.isEmpty, followsKey, !sections[current].entries.isEmpty {
            sections[current].entries[sections[current].entries.count - 1].keys.append(name)
        } else {
            sections[current].entries.append(Entry(keys: [name], meaning: prose))
            prose = []
        }
        followsKey = true
    }

    private func name(of key: String) -> String {
        sections[current].name.isEmpty ? key : sections[current].name + "." + key
    }

    /// Returns the key in a line, such as `skew` for `skew = "60s"`; nil if the line has no key.
    private static func key(_ line: Substring) -> String? {
        let key = line.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" }
        return key.first?.isLetter == true && line.dropFirst(key.count).hasPrefix(" = ") ? String(key) : nil
    }

    /// Returns the number of brackets that a line opens, minus the number that it closes. Brackets in texts are not
    /// counted.
    private static func balance(_ line: Substring) -> Int {
        var (depth, isText) = (0, false)
        for character in line {
            if character == "\"" { isText.toggle() }
            if isText { continue }
            if "[{".contains(character) { depth += 1 } else if "]}".contains(character) { depth -= 1 }
        }
        return depth
    }
}
