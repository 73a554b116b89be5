/// The reason why a text is refused as JSON, and the byte offset of the error.
package struct JSONError: Error, Hashable, Sendable {
    /// The kind of error.
    package enum Code: Hashable, Sendable {
        /// The text does not follow RFC 8259. Invalid UTF-8, a BOM, lone surrogates and trailing bytes are syntax
        /// errors, too.
        case syntax
        /// An object has two members with the same name. Names are compared as bytes after unescaping.
        case duplicateName
        /// Containers are nested deeper than the limit.
        case tooDeep
        /// The text is longer, or has more values, than the limits allow.
        case tooLarge
    }

    /// The kind of error.
    package let code: Code
    /// The place of the error, in bytes from the start of the input.
    package let offset: Int
}

extension JSON {
    /// Limits of ``JSON/parse(_:limits:)``.
    package struct Limits: Sendable {
        /// The maximum nesting depth of arrays and objects.
        package var depth = 64
        /// The maximum size of the whole text in bytes: 8 MiB, Tuvali's limit for an inflated payload.
        package var bytes = 8 * 1024 * 1024
        /// The maximum number of values of any kind, including containers. A value can have two bytes of text but takes
        /// far more memory.
        package var values = 200_000

        /// Creates the documented default values.
        package init() {}
    }

    /// Reads one JSON text strictly by RFC 8259: without BOM, duplicate names or trailing bytes.
    ///
    /// The time is linear in the input. Names are compared as UTF-8 bytes after unescaping. RFC 8259 leaves some cases
    /// open. Numbers of any size are accepted, because their text is kept. Invalid UTF-8, UTF-16, a BOM, lone
    /// surrogates and repeated names are refused, because parsers interpret them differently.
    ///
    /// - Parameter known: Objects that the text may contain. The parser does not parse such an object again.
    package static func parse(
        _ bytes: [UInt8], limits: Limits = Limits(), knowing known: [KnownObject] = []
    ) throws(JSONError) -> JSON {
        guard bytes.count <= limits.bytes else { throw JSONError(code: .tooLarge, offset: limits.bytes) }
        return try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) -> JSON in
            var parser = JSONParser(bytes: UnsafeRawBufferPointer(bytes), limits: limits, known: known)
            return try parser.document()
        }
    }

    /// Reads the UTF-8 bytes of `text`; see ``parse(_:limits:)``.
    package static func parse(_ text: String, limits: Limits = Limits()) throws(JSONError) -> JSON {
        try parse(Array(text.utf8), limits: limits)
    }
}

struct JSONParser {
    let bytes: UnsafeRawBufferPointer
    let depthLimit: Int
    let known: [KnownObject]
    /// The objects whose first place in the text the parser determines.
    private let sought: [JSONObject]
    /// The first place of each sought object; nil for an object that has not been found.
    private(set) var places: [ObjectPlace?]
    var valuesLeft: Int
    var position = 0
    /// The nesting depth of the deepest container so far.
    private var deepest = 0
    private var seen: Seen?

    /// An object that a later object may repeat byte for byte. For example, proofs repeat the contexts of their
    /// document. The parser does not parse the repetition again.
    private struct Seen {
        let place: ObjectPlace
        let object: JSONObject
    }

    /// The minimum size in bytes of an object to remember.
    private static let worthKeeping = 256
    /// The maximum depth at which repetitions are searched. Nested objects that all begin alike would otherwise cost
    /// time.
    private static let repetitionDepth = 8

    init(
        bytes: UnsafeRawBufferPointer, limits: JSON.Limits, known: [KnownObject] = [], seeking sought: [JSONObject] = []
    ) {
        self.bytes = bytes
        self.known = known
        self.sought = sought
        places = sought.map { _ in nil }
        depthLimit = limits.depth
        valuesLeft = limits.values
    }

    mutating func document() throws(JSONError) -> JSON {
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw syntax }
        return value
    }

    private var syntax: JSONError { JSONError(code: .syntax, offset: position) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private mutating func skip(_ letter: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: letter) else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSON {
        skipSpace()
        guard valuesLeft > 0 else { throw JSONError(code: .tooLarge, offset: position) }
        valuesLeft -= 1
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try keyword("true", .bool(true))
        case UInt8(ascii: "f"): return try keyword("false", .bool(false))
        case UInt8(ascii: "n"): return try keyword("null", .null)
        case UInt8(ascii: "-"): return .number(try number())
        case let digit? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit): return .number(try number())
        default: throw syntax
        }
    }

    private mutating func keyword(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        for offset in 0..<word.utf8CodeUnitCount {
            guard next == word.utf8Start[offset] else { throw syntax }
            position += 1
        }
        return value
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSON {
        guard depth <= depthLimit else { throw JSONError(code: .tooDeep, offset: position) }
        if let object = repeated(depth: depth) { return .object(object) }
        let (outset, valuesBefore, deepestBefore) = (position, valuesLeft, deepest)
        deepest = depth
        defer { deepest = max(deepest, deepestBefore) }
        position += 1
        var object = JSONObject()
        skipSpace()
        if skip("}") { return .object(object) }
        while true {
            skipSpace()
            let start = position
            guard next == UInt8(ascii: "\"") else { throw syntax }
            let name = try string()
            skipSpace()
            guard skip(":") else { throw syntax }
            guard object.appendIfNew(JSONObject.Member(name, try value(depth: depth))) else {
                throw JSONError(code: .duplicateName, offset: start)
            }
            skipSpace()
            if skip(",") { continue }
            guard skip("}") else { throw syntax }
            if (seen == nil && position - outset >= Self.worthKeeping) || !sought.isEmpty {
                note(
                    object,
                    at: ObjectPlace(
                        range: outset..<position, values: valuesBefore - valuesLeft, height: deepest - depth))
            }
            return .object(object)
        }
    }

    private mutating func note(_ object: JSONObject, at place: ObjectPlace) {
        if seen == nil, place.range.count >= Self.worthKeeping { seen = Seen(place: place, object: object) }
        for index in sought.indices where places[index] == nil && sought[index] == object { places[index] = place }
    }

    /// Returns the object at the current position if it repeats an earlier or known object within the limits; otherwise
    /// nil.
    private mutating func repeated(depth: Int) -> JSONObject? {
        guard depth <= Self.repetitionDepth else { return nil }
        for object in known where object.text.withUnsafeBytes({ begins(with: $0) }) && take(object.place, depth) {
            return JSONObject(object)
        }
        guard let seen, begins(with: UnsafeRawBufferPointer(rebasing: bytes[seen.place.range])),
            take(seen.place, depth)
        else { return nil }
        return seen.object
    }

    /// Returns whether the input continues with the bytes `text`.
    private func begins(with text: UnsafeRawBufferPointer) -> Bool {
        guard text.count <= bytes.count - position else { return false }
        return ByteOrder.areEqual(
            UnsafeRawBufferPointer(rebasing: bytes[position..<position + text.count]), text)
    }

    /// Skips the next object, whose bytes repeat those of the object already parsed at `place`. Returns false and skips
    /// nothing if the object would exceed a limit at this depth.
    private mutating func take(_ place: ObjectPlace, _ depth: Int) -> Bool {
        guard place.values <= valuesLeft, depth + place.height <= depthLimit else { return false }
        position += place.range.count
        valuesLeft -= place.values
        deepest = max(deepest, depth + place.height)
        return true
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSON {
        guard depth <= depthLimit else { throw JSONError(code: .tooDeep, offset: position) }
        deepest = max(deepest, depth)
        position += 1
        var elements: [JSON] = []
        skipSpace()
        if skip("]") { return .array(elements) }
        while true {
            elements.append(try value(depth: depth))
            skipSpace()
            if skip(",") { continue }
            guard skip("]") else { throw syntax }
            return .array(elements)
        }
    }

    private mutating func number() throws(JSONError) -> JSONNumber {
        let start = position
        _ = skip("-")
        if !skip("0") { try digits() }
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            try digits()
        }
        return JSONNumber(
            validated: String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self))
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let digit = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) { position += 1 }
        guard position > start else { throw syntax }
    }

    private mutating func string() throws(JSONError) -> Text {
        position += 1
        let start = position
        let isASCII: Bool
        (position, isASCII) = ByteScan.plain(in: bytes, from: start)
        // Most strings have no escape. Validate such a string and copy it in one piece.
        if next == UInt8(ascii: "\"") {
            let plain = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
            // ASCII is well-formed UTF-8 and needs no validation.
            let text = isASCII ? Text(ascii: plain) : Text(utf8: plain)
            guard let text else { throw syntax }
            position += 1
            return text
        }
        var buffer = Array(bytes[start..<position])
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = Text(utf8: buffer) else { throw syntax }
                position += 1
                return text
            case UInt8(ascii: "\\"):
                position += 1
                try escape(into: &buffer)
            case 0..<0x20: throw syntax
            default:
                let plain = position
                skipPlain()
                buffer.append(contentsOf: bytes[plain..<position])
            }
        }
        throw syntax
    }

    /// Advances to the next quotation mark, backslash or control character.
    private mutating func skipPlain() { position = ByteScan.firstToEscape(in: bytes, from: position) }

    private mutating func escape(into buffer: inout [UInt8]) throws(JSONError) {
        guard let letter = next else { throw syntax }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(letter)
        case UInt8(ascii: "b"): buffer.append(0x08)
        case UInt8(ascii: "f"): buffer.append(0x0C)
        case UInt8(ascii: "n"): buffer.append(0x0A)
        case UInt8(ascii: "r"): buffer.append(0x0D)
        case UInt8(ascii: "t"): buffer.append(0x09)
        case UInt8(ascii: "u"):
            var code = try codeUnit()
            if (0xD800..<0xDC00).contains(code) {
                guard skip("\\"), skip("u") else { throw syntax }
                let low = try codeUnit()
                guard (0xDC00..<0xE000).contains(low) else { throw syntax }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            if code < 0x80 { return buffer.append(UInt8(truncatingIfNeeded: code)) }
            guard let scalar = Unicode.Scalar(code) else { throw syntax }  // nil for a lone low surrogate
            for byte in UTF8.encode(scalar) ?? .init() { buffer.append(byte) }
        default: throw syntax
        }
    }

    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        guard position + 4 <= bytes.count else { throw syntax }
        var unit: UInt32 = 0
        for offset in position..<position + 4 {
            guard let digit = Hex.value(bytes[offset]) else { throw syntax }
            unit = unit << 4 | UInt32(digit)
        }
        position += 4
        return unit
    }
}
