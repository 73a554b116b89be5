import Encoding
package import LinkedData

/// The error for a text that is not an N-Quads document.
package struct NQuadsError: Error, Hashable, Sendable {
    /// The number of the line with the error, from 1.
    package let line: Int
}

extension Dataset {
    /// Parses N-Quads 1.1, which includes N-Triples. Blank nodes keep their labels.
    package init(nQuads bytes: [UInt8]) throws(NQuadsError) {
        var parser = NQuadsParser(bytes: bytes)
        self.init(try parser.document())
    }
}

/// A parser for the grammar of N-Quads 1.1 section 4.
private struct NQuadsParser {
    let bytes: [UInt8]
    var position = 0
    var line = 1

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var error: NQuadsError { NQuadsError(line: line) }
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func document() throws(NQuadsError) -> [Quad] {
        var quads: [Quad] = []
        while position < bytes.count {
            skipSpace()
            if let letter = next, letter != UInt8(ascii: "#"), letter != 0x0A, letter != 0x0D {
                quads.append(try statement())
                skipSpace()
            }
            if next == UInt8(ascii: "#") {
                while let letter = next, letter != 0x0A, letter != 0x0D { position += 1 }
            }
            guard let end = next else { break }
            guard end == 0x0A || end == 0x0D else { throw error }
            if end == 0x0A { line += 1 }
            position += 1
        }
        return quads
    }

    private mutating func skipSpace() {
        while let letter = next, letter == 0x20 || letter == 0x09 { position += 1 }
    }

    private mutating func take(_ letter: Unicode.Scalar) throws(NQuadsError) {
        guard next == UInt8(ascii: letter) else { throw error }
        position += 1
    }

    private mutating func statement() throws(NQuadsError) -> Quad {
        let subject = try resource()
        skipSpace()
        let predicate = try iri()
        skipSpace()
        let object = next == UInt8(ascii: "\"") ? try literal() : try resource()
        skipSpace()
        var graph: Term?
        if next != UInt8(ascii: ".") {
            graph = try resource()
            skipSpace()
        }
        try take(".")
        return Quad(subject, predicate, object, in: graph)
    }

    private mutating func resource() throws(NQuadsError) -> Term {
        next == UInt8(ascii: "_") ? .blank(try label()) : .iri(try iri())
    }

    private mutating func iri() throws(NQuadsError) -> Text {
        try take("<")
        var text: [UInt8] = []
        while let letter = next, letter != UInt8(ascii: ">") {
            position += 1
            if letter == UInt8(ascii: "\\") {
                text += try codePoint()
            } else {
                text.append(letter)
            }
        }
        try take(">")
        guard let iri = Text(utf8: text), IRI.isWellFormed(iri) else { throw error }
        return iri
    }

    /// Parses a blank node label (BLANK_NODE_LABEL). A dot at its end is not part of it: the dot ends the statement.
    private mutating func label() throws(NQuadsError) -> Text {
        try take("_")
        try take(":")
        let start = position
        while let letter = next, Self.isLabelByte(letter) || letter == UInt8(ascii: ".") { position += 1 }
        while position > start, bytes[position - 1] == UInt8(ascii: ".") { position -= 1 }
        guard position > start, bytes[start] != UInt8(ascii: "-"), bytes[start] != UInt8(ascii: "."),
            let label = Text(utf8: bytes[start..<position])
        else { throw error }
        return label
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        IRI.isLetter(byte) || IRI.isDigit(byte) || byte >= 0x80
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ":")
    }

    private mutating func literal() throws(NQuadsError) -> Term {
        try take("\"")
        var text: [UInt8] = []
        while let letter = next, letter != UInt8(ascii: "\"") {
            position += 1
            switch letter {
            case UInt8(ascii: "\\"): text += try escape()
            case 0x0A, 0x0D: throw error
            default: text.append(letter)
            }
        }
        try take("\"")
        guard let value = Text(utf8: text) else { throw error }
        switch next {
        case UInt8(ascii: "@"):
            position += 1
            let start = position
            while let letter = next, IRI.isLetter(letter) || IRI.isDigit(letter) || letter == UInt8(ascii: "-") {
                position += 1
            }
            guard let language = Text(utf8: bytes[start..<position]), Self.isLanguage(language) else { throw error }
            return .literal(Literal(value, datatype: RDF.langString, language: language))
        case UInt8(ascii: "^"):
            position += 1
            try take("^")
            return .literal(Literal(value, datatype: try iri()))
        default:
            return .literal(Literal(value))
        }
    }

    /// Returns whether `tag` is a language tag (LANGTAG) of N-Quads. N-Quads does not limit the length of its parts.
    private static func isLanguage(_ tag: Text) -> Bool {
        let parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.allSatisfy { !$0.isEmpty } && parts[0].allSatisfy(IRI.isLetter)
    }

    private mutating func escape() throws(NQuadsError) -> [UInt8] {
        let value: UInt8
        switch next {
        case UInt8(ascii: "t"): value = 0x09
        case UInt8(ascii: "b"): value = 0x08
        case UInt8(ascii: "n"): value = 0x0A
        case UInt8(ascii: "r"): value = 0x0D
        case UInt8(ascii: "f"): value = 0x0C
        case UInt8(ascii: "\""): value = UInt8(ascii: "\"")
        case UInt8(ascii: "'"): value = UInt8(ascii: "'")
        case UInt8(ascii: "\\"): value = UInt8(ascii: "\\")
        default: return try codePoint()
        }
        position += 1
        return [value]
    }

    /// Parses the `uXXXX` or `UXXXXXXXX` of an escape, after its backslash. Returns the UTF-8 of the character.
    private mutating func codePoint() throws(NQuadsError) -> [UInt8] {
        let count: Int
        switch next {
        case UInt8(ascii: "u"): count = 4
        case UInt8(ascii: "U"): count = 8
        default: throw error
        }
        position += 1
        guard position + count <= bytes.count,
            let value = UInt32(String(decoding: bytes[position..<position + count], as: UTF8.self), radix: 16),
            let scalar = Unicode.Scalar(value), let encoded = UTF8.encode(scalar)
        else { throw error }
        position += count
        return Array(encoded)
    }
}
