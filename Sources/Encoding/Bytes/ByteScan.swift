/// Looks for the letters of a text that need care, many at a time: nearly all texts have none, and photos are long.
package enum ByteScan {
    /// The position of the first quotation mark, backslash or control character at or after `start`: what a JSON string
    /// writes with an escape (RFC 8259 section 7). The number of bytes where there is none.
    package static func firstToEscape(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        // Short texts are decided here.
        let near = min(bytes.count, start + 64)
        while position + 8 <= near {
            if hasToEscape(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)) { break }
            position += 8
        }
        if position + 8 > near {
            while position + block <= bytes.count, !contains(bytes, position..<position + block, isToEscape) {
                position += block
            }
        }
        while position < bytes.count, isToEscape(bytes[position]) == 0 { position += 1 }
        return position
    }

    /// Whether a literal of these bytes may need an escape in canonical N-Quads (RDFC-1.0 section 5): control characters, DEL,
    /// quotation mark and backslash; and the first byte of U+FFFE and U+FFFF among others.
    package static func mayNeedEscape(inNQuads bytes: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        while position + block <= bytes.count {
            if contains(bytes, position..<position + block, isToEscapeInNQuads) { return true }
            position += block
        }
        return contains(bytes, position..<bytes.count, isToEscapeInNQuads)
    }

    /// Whether no byte has its highest bit set.
    package static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        while position + block <= bytes.count {
            if contains(bytes, position..<position + block, { $0 & 0x80 }) { return false }
            position += block
        }
        return !contains(bytes, position..<bytes.count, { $0 & 0x80 })
    }

    /// How many bytes are looked at before anything is decided: without branches between them they go side by side.
    private static let block = 128

    @inline(__always)
    private static func contains(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ test: (UInt8) -> UInt8
    ) -> Bool {
        var found: UInt8 = 0
        for position in range { found |= test(bytes[position]) }
        return found != 0
    }

    @inline(__always)
    private static func isToEscape(_ byte: UInt8) -> UInt8 {
        (byte < 0x20 ? 1 : 0) | (byte == UInt8(ascii: "\"") ? 1 : 0) | (byte == UInt8(ascii: "\\") ? 1 : 0)
    }

    @inline(__always)
    private static func isToEscapeInNQuads(_ byte: UInt8) -> UInt8 {
        isToEscape(byte) | (byte == 0x7F ? 1 : 0) | (byte == 0xEF ? 1 : 0)
    }

    @inline(__always)
    private static func hasToEscape(_ word: UInt64) -> Bool {
        let (ones, highs) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let escapes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let found = (quotes &- ones) & ~quotes | (escapes &- ones) & ~escapes | (word &- ones &* 0x20) & ~word
        return found & highs != 0
    }
}
