/// Writes CBOR in its core deterministic encoding (RFC 8949 section 4.2.1): shortest heads, definite lengths, keys in
/// the bytewise order of their encodings, and the shortest exact floats.
extension CBOR.Content {
    /// The deterministic encoding of the value. The received encoding of inner items is ignored.
    package var deterministicBytes: [UInt8] {
        var output: [UInt8] = []
        append(to: &output)
        return output
    }

    private func append(to output: inout [UInt8]) {
        switch preferred {
        case .unsigned(let number): output.appendCBORHead(0, number)
        case .negative(let number): output.appendCBORHead(1, number)
        case .bytes(let bytes): output.appendCBOR(bytes: bytes)
        case .text(let text): output.appendCBOR(text: text)
        case .array(let elements):
            output.appendCBORHead(4, UInt64(elements.count))
            for element in elements { element.value.append(to: &output) }
        case .map(let pairs):
            output.appendCBORHead(5, UInt64(pairs.count))
            let encoded = pairs.map { (key: $0.key.value.deterministicBytes, value: $0.value.value) }
            for pair in encoded.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                output += pair.key
                pair.value.append(to: &output)
            }
        case .tag(let number, let content):
            output.appendCBORHead(6, number)
            content.value.append(to: &output)
        case .simple(let number): output.appendCBORHead(7, UInt64(number))
        case .float(let number): CBORFloat.append(number, to: &output)
        }
    }
}

extension CBOR.Content {
    /// The preferred form of the value. For a bignum (tag 2 or 3) that fits into 64 bits, the preferred form is the
    /// equal integer. A larger bignum has no leading zeros (RFC 8949 section 3.4.3).
    var preferred: CBOR.Content {
        guard case .tag(let number, let content) = self, number == 2 || number == 3, let bytes = content.bytes else {
            return self
        }
        let digits = bytes.drop { $0 == 0 }
        guard digits.count <= 8 else { return .tag(number, CBOR(.bytes(digits), encoded: content.encoded)) }
        let magnitude = digits.reduce(0) { $0 << 8 | UInt64($1) }
        return number == 2 ? .unsigned(magnitude) : .negative(magnitude)
    }
}

extension Array where Element == UInt8 {
    /// Appends the first byte of an item and its argument in as few bytes as possible (RFC 8949 section 3).
    package mutating func appendCBORHead(_ major: UInt8, _ argument: UInt64) {
        let type = major << 5
        switch argument {
        case 0..<24: append(type | UInt8(truncatingIfNeeded: argument))
        case 24...0xFF:
            append(type | 24)
            append(UInt8(truncatingIfNeeded: argument))
        case 0x100...0xFFFF:
            append(type | 25)
            appendBE(UInt16(truncatingIfNeeded: argument))
        case 0x1_0000...0xFFFF_FFFF:
            append(type | 26)
            appendBE(UInt32(truncatingIfNeeded: argument))
        default:
            append(type | 27)
            appendBE(argument)
        }
    }

    /// Appends a byte string.
    package mutating func appendCBOR(bytes: some Collection<UInt8>) {
        appendCBORHead(2, UInt64(bytes.count))
        append(contentsOf: bytes)
    }

    /// Appends a text string.
    package mutating func appendCBOR(text: Text) {
        appendCBORHead(3, UInt64(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}
