/// Reads CBOR (RFC 8949) strictly: the input must be well-formed, with valid text, no equal keys in a map, and nothing
/// after the item.
///
/// Definite and indefinite lengths and encodings longer than needed are accepted, because COSE and mdoc allow them.
/// Time and memory grow with the bytes that are present, never with a stated length.
///
/// One decoder may read several inputs, because a message has further items in byte strings (tag 24). The item limit
/// applies to all inputs together, so that a small message cannot expand step by step to a large message.
package struct CBORDecoder: Sendable {
    /// Limits on the input.
    package struct Limits: Sendable {
        /// The maximum nesting depth of arrays, maps and tags. A map in a map key always exceeds the limit: no format
        /// uses such keys, and comparing them would take more than linear time.
        package var depth = 64
        /// The maximum number of data items over all inputs of one decoder. Every key, value, element, tag and chunk
        /// counts.
        package var items = 65_536
        /// The maximum size of one input in bytes.
        package var bytes = 8 * 1024 * 1024

        /// Creates the documented default values.
        package init() {}
    }

    private let limits: Limits
    private var items = 0

    /// Creates a decoder that has not read any input.
    package init(limits: Limits = .init()) {
        self.limits = limits
    }

    /// Reads the single item of which `bytes` consists.
    package mutating func decode(_ bytes: ArraySlice<UInt8>) throws(CBORError) -> CBOR {
        guard bytes.count <= limits.bytes else { throw CBORError(.tooLarge, at: 0) }
        var reading = Reading(ByteReader(bytes), limits: limits, items: items)
        defer { items = reading.items }
        let item = try reading.item(depth: 0)
        guard reading.input.remaining == 0 else { throw CBORError(.malformed, at: reading.input.offset) }
        return item
    }

    /// Reads the single item of which `bytes` consists.
    package mutating func decode(_ bytes: [UInt8]) throws(CBORError) -> CBOR { try decode(bytes[...]) }
}

extension CBOR {
    /// Reads the single item of which `bytes` consists.
    package static func decode(_ bytes: [UInt8], limits: CBORDecoder.Limits = .init()) throws(CBORError) -> CBOR {
        var decoder = CBORDecoder(limits: limits)
        return try decoder.decode(bytes)
    }
}

/// The state of reading one input.
private struct Reading {
    var input: ByteReader
    let limits: CBORDecoder.Limits
    var items: Int
    private var insideKey = false

    init(_ input: ByteReader, limits: CBORDecoder.Limits, items: Int) {
        self.input = input
        self.limits = limits
        self.items = items
    }

    /// The head of an item: its first byte and the argument.
    private struct Head {
        let major: UInt8
        let information: UInt8
        /// The argument; nil for an indefinite length and for the break.
        let argument: UInt64?
    }

    private static let breakByte: UInt8 = 0xFF
    private static let indefinite: UInt8 = 31

    /// Reads the next item. `depth`: the number of enclosing items.
    mutating func item(depth: Int) throws(CBORError) -> CBOR {
        let start = input.rest
        let head = try self.head()
        if head.major == 5 && insideKey || (4...6).contains(head.major) && depth >= limits.depth {
            throw CBORError(.tooDeep, at: input.offset)
        }
        let value = try self.value(head, depth: depth)
        return CBOR(value, encoded: start.prefix(start.count - input.remaining))
    }

    private mutating func value(_ head: Head, depth: Int) throws(CBORError) -> CBOR.Content {
        switch head.major {
        case 0: return .unsigned(try definite(head))
        case 1: return .negative(try definite(head))
        case 2: return .bytes(try byteString(head))
        case 3: return .text(try textString(head))
        case 4: return .array(try array(head, depth: depth))
        case 5: return .map(try map(head, depth: depth))
        case 6: return .tag(try definite(head), try item(depth: depth + 1))
        default: return try simpleOrFloat(head)
        }
    }

    private mutating func head() throws(CBORError) -> Head {
        items += 1
        guard items <= limits.items else { throw CBORError(.tooLarge, at: input.offset) }
        let (first, argument): (UInt8, UInt64?)
        do throws(ByteReader.Truncated) {
            first = try input.uint8()
            argument =
                switch first & 31 {
                case 24: UInt64(try input.uint8())
                case 25: UInt64(try input.uint16BE())
                case 26: UInt64(try input.uint32BE())
                case 27: try input.uint64BE()
                case let small where small < 24: UInt64(small)
                default: nil
                }
        } catch { throw malformed }
        // The values 28 to 30 of the additional information are reserved.
        guard argument != nil || first & 31 == Self.indefinite else { throw malformed }
        return Head(major: first >> 5, information: first & 31, argument: argument)
    }

    private var malformed: CBORError { CBORError(.malformed, at: input.offset) }

    /// Returns the argument of a head. Throws if the head has no argument.
    private func definite(_ head: Head) throws(CBORError) -> UInt64 {
        guard let argument = head.argument else { throw malformed }
        return argument
    }

    /// Returns the number of announced elements, each of at least `bytes` bytes. Throws if the remaining input is too
    /// short.
    private func count(_ announced: UInt64, bytes: Int) throws(CBORError) -> Int {
        guard let count = Int(exactly: announced), count <= input.remaining / bytes else { throw malformed }
        return count
    }

    private mutating func take(_ length: UInt64) throws(CBORError) -> ArraySlice<UInt8> {
        do throws(ByteReader.Truncated) {
            return try input.take(Int(clamping: length))
        } catch { throw malformed }
    }

    /// Consumes the next byte if it is a break byte. Returns whether it was a break byte.
    private mutating func endsHere() throws(CBORError) -> Bool {
        guard let next = input.rest.first else { throw malformed }
        guard next == Self.breakByte else { return false }
        _ = try take(1)
        return true
    }

    private mutating func byteString(_ head: Head) throws(CBORError) -> ArraySlice<UInt8> {
        if let length = head.argument { return try take(length) }
        var content: [UInt8] = []
        while try !endsHere() { content += try take(try definite(try chunkHead(of: head.major))) }
        return content[...]
    }

    /// Reads a text. Each chunk must be valid UTF-8: chunks may not divide a character (RFC 8949 section 3.2.3).
    private mutating func textString(_ head: Head) throws(CBORError) -> Text {
        if let length = head.argument { return try text(length) }
        var content = ""
        while try !endsHere() { content += try text(try definite(try chunkHead(of: head.major))).string }
        return Text(content)
    }

    private mutating func text(_ length: UInt64) throws(CBORError) -> Text {
        guard let text = Text(utf8: try take(length)) else { throw malformed }
        return text
    }

    /// Reads the head of a chunk. A chunk is a string of definite length and of the same major type as the whole
    /// string.
    private mutating func chunkHead(of major: UInt8) throws(CBORError) -> Head {
        let head = try self.head()
        guard head.major == major, head.argument != nil else { throw malformed }
        return head
    }

    private mutating func array(_ head: Head, depth: Int) throws(CBORError) -> [CBOR] {
        var elements: [CBOR] = []
        if let announced = head.argument {
            for _ in 0..<(try count(announced, bytes: 1)) { elements.append(try item(depth: depth + 1)) }
        } else {
            while try !endsHere() { elements.append(try item(depth: depth + 1)) }
        }
        return elements
    }

    private mutating func map(_ head: Head, depth: Int) throws(CBORError) -> [CBOR.Pair] {
        var pairs: [CBOR.Pair] = []
        var keys = CBORKeySet()
        if let announced = head.argument {
            for _ in 0..<(try count(announced, bytes: 2)) { pairs.append(try pair(&keys, depth: depth + 1)) }
        } else {
            while try !endsHere() { pairs.append(try pair(&keys, depth: depth + 1)) }
        }
        return pairs
    }

    private mutating func pair(_ keys: inout CBORKeySet, depth: Int) throws(CBORError) -> CBOR.Pair {
        let offset = input.offset
        insideKey = true
        let key = try item(depth: depth)
        insideKey = false
        guard keys.insert(key) else { throw CBORError(.duplicateKey, at: offset) }
        return CBOR.Pair(key, try item(depth: depth))
    }

    private mutating func simpleOrFloat(_ head: Head) throws(CBORError) -> CBOR.Content {
        let argument = try definite(head)  // a break is not an item
        switch head.information {
        case 24:
            // The two-byte form of a value below 32 is not well-formed (RFC 8949 section 3.3).
            guard argument >= 32 else { throw malformed }
            return .simple(UInt8(truncatingIfNeeded: argument))
        case 25: return .float(CBORFloat.value(half: UInt16(truncatingIfNeeded: argument)))
        case 26: return .float(Double(Float(bitPattern: UInt32(truncatingIfNeeded: argument))))
        case 27: return .float(Double(bitPattern: argument))
        default: return .simple(head.information)
        }
    }
}
