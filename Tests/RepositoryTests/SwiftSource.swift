/// A Swift source, separated into code, comments and string literals. The parser knows only the grammar that
/// this repository's files use.
struct SwiftSource {
    /// A literal between single quotes. Literals between three quotes are prose and are left out.
    struct Literal {
        /// As written; interpolations are "\\(…)".
        let text: String
        /// The line number, from 1.
        let line: Int
        /// The character directly after the closing quote.
        let next: Character?
    }

    /// A line of the file.
    struct Line {
        /// The code. Of a literal only its quotes and the code of its interpolations are left.
        var code = ""
        /// The comment without its slashes; empty without one.
        var comment = ""
        /// Whether a part of a string literal or regular expression is in the line.
        var holdsLiteral = false
        /// The number of characters of the whole line.
        var width = 0
    }

    /// The lines from the top.
    private(set) var lines: [Line] = []
    /// The literals in the order of the file.
    private(set) var literals: [Literal] = []

    private let bytes: [UInt8]
    private var place = 0
    private var start = 0
    private var line = Line()
    private var code: [UInt8] = []
    private var comment: [UInt8] = []

    init(_ text: String) {
        bytes = Array(text.utf8)
        readCode(inParentheses: false)
        if start < bytes.count { endLine() }
    }
}

// MARK: - Reading

extension SwiftSource {
    private func isNext(_ text: StaticString) -> Bool {
        guard place + text.utf8CodeUnitCount <= bytes.count else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { text.utf8Start[$0] == bytes[place + $0] }
    }

    /// What a byte is part of.
    private enum Part { case code, comment, literal }

    private mutating func step(_ part: Part) {
        let byte = bytes[place]
        if byte == UInt8(ascii: "\n") {
            endLine()
            start = place + 1
        } else {
            switch part {
            case .code: code.append(byte)
            case .comment: comment.append(byte)
            case .literal: break
            }
        }
        place += 1
    }

    private mutating func endLine() {
        line.code = String(decoding: code, as: UTF8.self)
        line.comment = String(decoding: comment, as: UTF8.self)
        line.width = place - start
        if line.width > HouseLimits.columns { line.width = String(decoding: bytes[start..<place], as: UTF8.self).count }
        lines.append(line)
        line = Line()
        code.removeAll(keepingCapacity: true)
        comment.removeAll(keepingCapacity: true)
    }

    private mutating func readCode(inParentheses: Bool) {
        var depth = 0
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "/"):
                if isNext("//") {
                    while place < bytes.count, bytes[place] == UInt8(ascii: "/") { place += 1 }
                    while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { step(.comment) }
                } else if let end = endOfRegex() {
                    line.holdsLiteral = true
                    while place < end { step(.literal) }
                } else {
                    step(.code)
                }
            case UInt8(ascii: "#"):
                if let hashes = hashesBeforeQuote() {
                    place += hashes
                    readString(hashes: hashes)
                } else {
                    step(.code)
                }
            case UInt8(ascii: "\""): readString(hashes: 0)
            case UInt8(ascii: "("):
                depth += 1
                step(.code)
            case UInt8(ascii: ")"):
                depth -= 1
                step(.code)
                if inParentheses, depth < 0 { return }
            default: step(.code)
            }
        }
    }

    /// Returns the number of number signs here if a quote follows them.
    private func hashesBeforeQuote() -> Int? {
        let end = bytes[place...].firstIndex { $0 != UInt8(ascii: "#") } ?? bytes.endIndex
        return end < bytes.count && bytes[end] == UInt8(ascii: "\"") ? end - place : nil
    }

    /// Returns the end of the regular expression that begins here, if one does: a slash where no operator can be.
    private func endOfRegex() -> Int? {
        let isExtended = code.last == UInt8(ascii: "#")
        if !isExtended {
            let before = code.last { $0 != UInt8(ascii: " ") }
            guard before.map({ "(,=:[{!&|".utf8.contains($0) }) ?? true, place + 1 < bytes.count,
                bytes[place + 1] != UInt8(ascii: " ")
            else { return nil }
        }
        var end = place + 1
        while end < bytes.count, isExtended || bytes[end] != UInt8(ascii: "\n") {
            if bytes[end] == UInt8(ascii: "\\") {
                end += 1
            } else if bytes[end] == UInt8(ascii: "/"),
                !isExtended || end + 1 < bytes.count && bytes[end + 1] == UInt8(ascii: "#")
            {
                return end + 1
            }
            end += 1
        }
        return nil
    }

    private mutating func readString(hashes: Int) {
        let first = lines.count + 1
        let quotes = isNext("\"\"\"") ? 3 : 1
        let mark = [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
        let close = [UInt8](repeating: UInt8(ascii: "\""), count: quotes) + mark
        let escape = [UInt8(ascii: "\\")] + mark
        var text: [UInt8] = []
        code.append(UInt8(ascii: "\""))
        place += quotes
        while place < bytes.count, !bytes[place...].starts(with: close) {
            line.holdsLiteral = true
            if bytes[place...].starts(with: escape), place + escape.count < bytes.count {
                place += escape.count
                if bytes[place] == UInt8(ascii: "(") {
                    step(.code)
                    readCode(inParentheses: true)
                    text += "\\(…)".utf8
                } else {
                    text += escape + [bytes[place]]
                    step(.literal)
                }
            } else if quotes == 1, bytes[place] == UInt8(ascii: "\n") {
                break
            } else {
                text.append(bytes[place])
                step(.literal)
            }
        }
        line.holdsLiteral = true
        place = min(place + close.count, bytes.count)
        code.append(UInt8(ascii: "\""))
        guard quotes == 1 else { return }
        let next = place < bytes.count ? Character(UnicodeScalar(bytes[place])) : nil
        literals.append(Literal(text: String(decoding: text, as: UTF8.self), line: first, next: next))
    }
}
