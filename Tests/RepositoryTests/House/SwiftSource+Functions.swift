extension SwiftSource {
    /// A function, initialiser or computed value with a body of its own.
    struct Function: Equatable {
        /// The line of its name, from 1.
        let line: Int
        /// The number of lines from the name to the last brace.
        let lines: Int
    }

    /// All functions, in the order of the file. A function in a function is counted in both.
    var functions: [Function] {
        var reader = FunctionReader()
        for (index, line) in lines.enumerated() { reader.read(line.code, at: index + 1) }
        return reader.found.sorted { $0.line < $1.line }
    }

    /// Returns the identifiers and keywords of some code.
    static func words(in code: String) -> [String] {
        code.utf8.split { !isPartOfWord($0) }.compactMap { String($0) }
    }

    /// Returns whether a byte of UTF-8 is part of an identifier.
    static func isPartOfWord(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte >= 0x80
            || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
}

/// Finds functions by their braces.
private struct FunctionReader {
    private static let functions: Set = ["func", "init", "deinit", "subscript", "var"]
    /// Words that begin the next declaration, so that a function before them has no body.
    private static let declarations = functions.union([
        "let", "case", "struct", "enum", "class", "actor", "protocol", "extension", "typealias", "associatedtype",
    ])

    var found: [SwiftSource.Function] = []
    /// The functions whose body is open, with the number of braces around them.
    private var open: [(line: Int, braces: Int)] = []
    /// A function whose body has not begun, with the number of parentheses around its name.
    private var head: (line: Int, parentheses: Int, isValue: Bool)?
    private var braces = 0
    private var parentheses = 0

    mutating func read(_ code: String, at line: Int) {
        var word: [UInt8] = []
        var before = UInt8(ascii: " ")
        for byte in code.utf8 {
            if SwiftSource.isPartOfWord(byte) {
                word.append(byte)
                continue
            }
            take(word, after: before, at: line)
            word.removeAll(keepingCapacity: true)
            before = byte
            take(byte, at: line)
        }
        take(word, after: before, at: line)
        // The brace of a computed value is in the line of its name.
        if head?.isValue == true { head = nil }
    }

    private mutating func take(_ word: [UInt8], after before: UInt8, at line: Int) {
        let name = String(decoding: word, as: UTF8.self)
        guard before != UInt8(ascii: "."), Self.declarations.contains(name) else { return }
        if let head, head.parentheses != parentheses { return }
        head = Self.functions.contains(name) ? (line, parentheses, name == "var") : nil
    }

    private mutating func take(_ byte: UInt8, at line: Int) {
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: "["): parentheses += 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"):
            parentheses -= 1
            if let start = head, start.parentheses > parentheses { head = nil }
        case UInt8(ascii: "="):
            if head?.isValue == true { head = nil }
        case UInt8(ascii: "{"):
            if let start = head, start.parentheses == parentheses {
                open.append((start.line, braces))
                head = nil
            }
            braces += 1
        case UInt8(ascii: "}"):
            braces -= 1
            if let start = head, start.parentheses == parentheses { head = nil }
            if let start = open.last, start.braces == braces {
                found.append(.init(line: start.line, lines: line + 1 - start.line))
                open.removeLast()
            }
        default: break
        }
    }
}
