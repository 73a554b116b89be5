/// The string literals of a Swift source, without comments. The parser knows only the grammar that this
/// repository's files use.
struct SwiftLiterals {
    struct Literal {
        /// As written; interpolations are "\\(…)".
        let text: String
        /// The line number, from 1.
        let line: Int
        /// The character directly after the closing quote.
        let next: Character?
    }

    private let source: [Character]
    private var place = 0
    private var line = 1
    private var found: [Literal] = []

    /// Returns the literals of one line each. Literals between three quotes are prose and are left out.
    static func all(in source: String) -> [Literal] {
        var reader = SwiftLiterals(source: Array(source))
        reader.readCode(inParentheses: false)
        return reader.found
    }

    private init(source: [Character]) { self.source = source }

    private func isNext(_ text: String) -> Bool { source[place...].starts(with: Array(text)) }

    private mutating func step() {
        if source[place] == "\n" { line += 1 }
        place += 1
    }

    private mutating func skip(to end: String) {
        while place < source.count, !isNext(end) { step() }
    }

    private mutating func readCode(inParentheses: Bool) {
        var depth = 0
        while place < source.count {
            if isNext("//") {
                skip(to: "\n")
            } else if isNext("/*") {
                skip(to: "*/")
            } else if isNext("\"\"\"") {
                place += 3
                skip(to: "\"\"\"")
                place = min(place + 3, source.count)
            } else if source[place] == "\"" {
                readString()
            } else {
                if source[place] == "(" { depth += 1 }
                if source[place] == ")" { depth -= 1 }
                step()
                if inParentheses, depth < 0 { return }
            }
        }
    }

    private mutating func readString() {
        let start = line
        var text = ""
        step()
        while place < source.count, source[place] != "\"", source[place] != "\n" {
            if isNext("\\(") {
                place += 2
                readCode(inParentheses: true)
                text += "\\(…)"
            } else if source[place] == "\\", place + 1 < source.count {
                text += String(source[place...place + 1])
                place += 2
            } else {
                text.append(source[place])
                step()
            }
        }
        place = min(place + 1, source.count)
        found.append(Literal(text: text, line: start, next: place < source.count ? source[place] : nil))
    }
}
