extension TOMLParser {
    /// Reads a value. `depth`: the number of enclosing tables and arrays.
    mutating func value(depth: Int) throws(TOML.SyntaxError) -> TOML {
        guard depth <= limits.depth else { throw failure("values are nested too deeply") }
        switch peek {
        case UInt8(ascii: "\"")?, UInt8(ascii: "'")?: return .string(try string())
        case UInt8(ascii: "[")?: return .array(try array(depth: depth))
        case UInt8(ascii: "{")?: return .table(try inlineTable(depth: depth))
        default: return try scalar()
        }
    }

    private mutating func array(depth: Int) throws(TOML.SyntaxError) -> [TOML] {
        position += 1
        var elements: [TOML] = []
        while true {
            try skipBlankLines()
            if take("]") { return elements }
            elements.append(try value(depth: depth + 1))
            try skipBlankLines()
            if take("]") { return elements }
            guard take(",") else { throw failure("a list needs commas between its values and a bracket at its end") }
        }
    }

    private mutating func inlineTable(depth: Int) throws(TOML.SyntaxError) -> TOMLTable {
        position += 1
        let table = TOMLBuilder(.inline)
        skipBlanks()
        if take("}") { return table.table }
        while true {
            skipBlanks()
            try entry(in: table, depth: depth + 1)
            skipBlanks()
            if take("}") { return table.table }
            guard take(",") else { throw failure("an inline table is on one line, with commas and a closing brace") }
        }
    }

    // MARK: - Strings

    /// Reads a string of any form.
    mutating func string() throws(TOML.SyntaxError) -> Text {
        if take("\"\"\"") { return try multiLine(quote: UInt8(ascii: "\""), escapes: true) }
        if take("'''") { return try multiLine(quote: UInt8(ascii: "'"), escapes: false) }
        let quote = peek
        position += 1
        var content: [UInt8] = []
        while let byte = peek, byte != 0x0A, byte != 0x0D {
            if byte == quote {
                position += 1
                return Text(String(decoding: content, as: UTF8.self))
            }
            if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                try escape(into: &content)
            } else {
                try check(byte)
                content.append(byte)
                position += 1
            }
        }
        throw failure("the text is not closed by a quote on its line")
    }

    private mutating func multiLine(quote: UInt8, escapes: Bool) throws(TOML.SyntaxError) -> Text {
        _ = try lineEnd()  // A line end directly after the opening quotes is not part of the text.
        var content: [UInt8] = []
        while let byte = peek {
            if byte == quote {
                let count = bytes[position...].prefix(6) { $0 == quote }
                position += count
                // Up to two quotes directly before the closing three quotes belong to the text.
                content.append(contentsOf: repeatElement(quote, count: min(count, count < 3 ? count : count - 3)))
                if count >= 6 { throw failure("too many quotes in a row") }
                if count >= 3 { return Text(String(decoding: content, as: UTF8.self)) }
            } else if byte == UInt8(ascii: "\\"), escapes {
                if !(try foldedLine()) { try escape(into: &content) }
            } else if try lineEnd() {
                content.append(0x0A)
            } else {
                try check(byte)
                content.append(byte)
                position += 1
            }
        }
        throw failure("the text over several lines is not closed")
    }

    /// Skips a backslash at the end of a line and all white space up to the next character. Returns false if the
    /// backslash does not end the line.
    private mutating func foldedLine() throws(TOML.SyntaxError) -> Bool {
        let start = position
        position += 1
        skipBlanks()
        guard try lineEnd() else {
            position = start
            return false
        }
        repeat { skipBlanks() } while try lineEnd()
        return true
    }

    private mutating func escape(into content: inout [UInt8]) throws(TOML.SyntaxError) {
        position += 1
        let letter = peek
        position += 1
        switch letter.map({ Character(Unicode.Scalar($0)) }) {
        case "b": content.append(0x08)
        case "t": content.append(0x09)
        case "n": content.append(0x0A)
        case "f": content.append(0x0C)
        case "r": content.append(0x0D)
        case "\"": content.append(0x22)
        case "\\": content.append(0x5C)
        case "u": try scalar(digits: 4, into: &content)
        case "U": try scalar(digits: 8, into: &content)
        default: throw failure("a backslash needs one of b t n f r u U \" \\ after it; double it to mean itself")
        }
    }

    private mutating func scalar(digits: Int, into content: inout [UInt8]) throws(TOML.SyntaxError) {
        let text = bytes[min(position, bytes.count)...].prefix(digits)
        guard text.count == digits, text.allSatisfy(Self.isHexadecimal),
            let number = UInt32(String(decoding: text, as: UTF8.self), radix: 16), let scalar = Unicode.Scalar(number)
        else { throw failure("the escape needs \(digits) hexadecimal digits of a character") }
        position += digits
        content.append(contentsOf: String(Character(scalar)).utf8)
    }

    // MARK: - Numbers, dates, true and false

    private mutating func scalar() throws(TOML.SyntaxError) -> TOML {
        let start = position
        while let byte = peek,
            Self.isBareKey(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
                || byte == UInt8(ascii: ":")
        {
            position += 1
        }
        // One space may separate a date and a time.
        if position - start == 10, peek == 0x20, let digit = next, Self.isDigit(digit),
            TOMLScalar.isDate(bytes[start..<position])
        {
            position += 1
            while let byte = peek, Self.isBareKey(byte) || "+.:".utf8.contains(byte) { position += 1 }
        }
        guard position > start else {
            throw failure(
                peek.map { "a value cannot start with \(Self.display($0)); write texts in quotes" }
                    ?? "the file ends where a value was expected")
        }
        guard let value = TOMLScalar.read(bytes[start..<position]) else {
            let text = String(decoding: bytes[start..<position].prefix(40), as: UTF8.self)
            throw failure("\(text) is not a value; write texts in quotes")
        }
        return value
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}

extension Collection where Element == UInt8 {
    /// Returns the number of leading elements, at most `limit`, for which the condition is true.
    fileprivate func prefix(_ limit: Int, while condition: (UInt8) -> Bool) -> Int {
        prefix(limit).prefix(while: condition).count
    }
}
