/// Parses lines, headers, keys and tables of a TOML 1.0.0 document. `TOMLParser+Values.swift` parses values.
struct TOMLParser {
    let bytes: [UInt8]
    let limits: TOML.Limits
    var position = 0
    var line = 1

    init(_ bytes: [UInt8], _ limits: TOML.Limits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func document() throws(TOML.SyntaxError) -> TOMLTable {
        // Refuse a byte order mark, which TOML does not allow. Some editors write a byte order mark, and the author of
        // the file does not see it.
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
            throw failure("the file begins with a byte order mark; save the file as UTF-8 without BOM")
        }
        let root = TOMLBuilder(.header)
        var current = root
        while true {
            try skipBlankLines()
            guard let byte = peek else { return root.table }
            if byte == UInt8(ascii: "[") {
                current = try header(root)
            } else {
                try entry(in: current, depth: 1)
            }
            skipBlanks()
            try endOfLine()
        }
    }

    // MARK: - Headers and keys

    private mutating func header(_ root: TOMLBuilder) throws(TOML.SyntaxError) -> TOMLBuilder {
        let line = line
        position += 1
        let isList = take("[")
        skipBlanks()
        let key = try dottedKey()
        guard take("]"), !isList || take("]") else { throw failure("the section header is not closed by a bracket") }
        var table = root
        for name in key.dropLast() { table = try step(from: table, to: name, line) }
        guard let name = key.last else { return table }
        switch (table[name], isList) {
        case (nil, false):
            let new = TOMLBuilder(.header)
            table.add(name, .table(new), line: line)
            return new
        case (.table(let existing)?, false) where existing.origin == .implied:
            existing.origin = .header
            return existing
        case (nil, true):
            let new = TOMLBuilder(.header)
            table.add(name, .tables([new]), line: line)
            return new
        case (.tables?, true):
            let new = TOMLBuilder(.header)
            table.append(new, to: name)
            return new
        default:
            throw failure("\(name) already exists")
        }
    }

    /// Follows one part of a header's path. Creates a missing table.
    private func step(from table: TOMLBuilder, to name: Text, _ line: Int) throws(TOML.SyntaxError) -> TOMLBuilder {
        switch table[name] {
        case nil:
            let new = TOMLBuilder(.implied)
            table.add(name, .table(new), line: line)
            return new
        case .table(let next)? where next.origin != .inline: return next
        case .tables(let list)?:
            if let last = list.last { return last }
            throw failure("\(name) is empty")
        default: throw failure("\(name) is not a section that can be added to")
        }
    }

    /// Reads `key = value`, where the key may have dots.
    mutating func entry(in table: TOMLBuilder, depth: Int) throws(TOML.SyntaxError) {
        let line = line
        let key = try dottedKey()
        guard take("=") else { throw failure("a key needs = and a value after it") }
        skipBlanks()
        var table = table
        for name in key.dropLast() {
            switch table[name] {
            case nil:
                let new = TOMLBuilder(.dotted)
                table.add(name, .table(new), line: line)
                table = new
            case .table(let next)? where next.origin == .dotted: table = next
            default: throw failure("\(name) already exists")
            }
        }
        guard let name = key.last, table[name] == nil else { throw failure("\(key.last ?? "") already exists") }
        table.add(name, .value(try value(depth: depth + key.count)), line: line)
    }

    private mutating func dottedKey() throws(TOML.SyntaxError) -> [Text] {
        var names: [Text] = []
        repeat {
            skipBlanks()
            names.append(try keyPart())
            skipBlanks()
            guard names.count <= limits.depth else { throw failure("the key has too many parts") }
        } while take(".")
        return names
    }

    private mutating func keyPart() throws(TOML.SyntaxError) -> Text {
        if peek == UInt8(ascii: "\"") || peek == UInt8(ascii: "'") {
            guard !starts(with: "\"\"\""), !starts(with: "'''") else { throw failure("a key is on one line") }
            return try string()
        }
        let start = position
        while let byte = peek, Self.isBareKey(byte) { position += 1 }
        guard position > start else {
            throw failure(
                peek.map { "a key cannot start with \(Self.display($0))" } ?? "the file ends where a key was expected")
        }
        return Text(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    // MARK: - Lines

    /// Skips blanks, comments and line ends.
    mutating func skipBlankLines() throws(TOML.SyntaxError) {
        while true {
            skipBlanks()
            if peek == UInt8(ascii: "#") {
                try comment()
            } else if !(try lineEnd()) {
                return
            }
        }
    }

    /// Skips a comment and the line end. Throws for any other text.
    private mutating func endOfLine() throws(TOML.SyntaxError) {
        if peek == UInt8(ascii: "#") { try comment() }
        guard try lineEnd() || peek == nil else {
            throw failure("unexpected on this line: \(peek.map(Self.display) ?? "")")
        }
    }

    private mutating func comment() throws(TOML.SyntaxError) {
        while let byte = peek, byte != 0x0A {
            if byte == 0x0D, next == 0x0A { return }
            try check(byte)
            position += 1
        }
    }

    /// Skips LF or CR LF. Returns false for any other text.
    mutating func lineEnd() throws(TOML.SyntaxError) -> Bool {
        if peek == 0x0D {
            guard next == 0x0A else { throw failure("there is a carriage return without a line feed") }
            position += 1
        }
        guard peek == 0x0A else { return false }
        position += 1
        line += 1
        return true
    }

    /// Throws for control characters other than tab, which TOML does not allow anywhere.
    func check(_ byte: UInt8) throws(TOML.SyntaxError) {
        if byte < 0x20 && byte != 0x09 || byte == 0x7F { throw failure("there is a control character") }
    }

    // MARK: - Bytes

    var peek: UInt8? { position < bytes.count ? bytes[position] : nil }
    var next: UInt8? { position + 1 < bytes.count ? bytes[position + 1] : nil }

    func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    /// Skips `text` if the input continues with it. Returns whether the input continued with `text`.
    mutating func take(_ text: StaticString) -> Bool {
        guard starts(with: text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    mutating func skipBlanks() {
        while peek == 0x20 || peek == 0x09 { position += 1 }
    }

    func failure(_ message: String) -> TOML.SyntaxError { TOML.SyntaxError(line: line, message: message) }

    static func isBareKey(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Returns a byte in words, for a message.
    static func display(_ byte: UInt8) -> String {
        switch byte {
        case 0x0A, 0x0D: "the end of the line"
        case 0x20..<0x7F: "\(Character(Unicode.Scalar(byte)))"
        default: "a character outside ASCII"
        }
    }
}
