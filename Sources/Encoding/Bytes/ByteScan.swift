/// Searches a text for bytes that need an escape, many bytes at a time. Most texts have no such byte, and photos are
/// long.
package enum ByteScan {
    /// Returns the position of the first quotation mark, backslash or control character at or after `start`; JSON
    /// strings escape these (RFC 8259 section 7). Returns the number of bytes if there is none.
    package static func firstToEscape(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        plain(in: bytes, from: start).end
    }

    /// Returns the position of the first byte to escape, as ``firstToEscape(in:from:)`` does, and whether all preceding
    /// bytes are ASCII.
    package static func plain(in bytes: UnsafeRawBufferPointer, from start: Int) -> (end: Int, isASCII: Bool) {
        var position = start
        var seen: UInt64 = 0
        // Short texts end in this loop.
        let near = min(bytes.count, start + 64)
        while position + 8 <= near {
            let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            if hasToEscape(word) { break }
            seen |= word
            position += 8
        }
        if position + 8 > near {
            while position + block <= bytes.count {
                if !isUsual(bytes, at: position) {
                    let (toEscape, union) = look(bytes, position..<position + block, isToEscape)
                    if toEscape { break }
                    seen |= UInt64(union)
                }
                position += block
            }
        }
        while position < bytes.count, isToEscape(bytes[position]) == 0 {
            seen |= UInt64(bytes[position])
            position += 1
        }
        return (position, seen & highs == 0)
    }

    /// Returns whether a literal may need an escape in canonical N-Quads (RDFC-1.0 section 5). Escapes are needed for
    /// control characters, DEL, quotation mark and backslash, and for U+FFFE and U+FFFF. The last two begin with the
    /// byte 0xEF, as do other characters.
    package static func mayNeedEscape(inNQuads bytes: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        while position + block <= bytes.count {
            if !isUsual(bytes, at: position), look(bytes, position..<position + block, isToEscapeInNQuads).found {
                return true
            }
            position += block
        }
        return look(bytes, position..<bytes.count, isToEscapeInNQuads).found
    }

    /// The number of bytes that are tested before a branch. Tests without branches between them run in parallel.
    private static let block = 128

    /// Returns whether the block at `start` has only bytes from 0x23 to 0x7E and no backslash, like the base64 of a
    /// photo. None of these bytes is ever escaped, and two comparisons for each byte suffice to recognise them. A
    /// block that fails, for example because of a space, is tested exactly.
    @inline(__always)
    private static func isUsual(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Bool {
        look(bytes, start..<start + block) { byte in
            (byte &- 0x23 > 0x7E - 0x23 ? 1 : 0) | (byte == UInt8(ascii: "\\") ? 1 : 0)
        }.found == false
    }

    /// Returns whether one of the bytes passes the test, and the bitwise OR of all bytes.
    @inline(__always)
    private static func look(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ test: (UInt8) -> UInt8
    ) -> (found: Bool, union: UInt8) {
        var (found, union): (UInt8, UInt8) = (0, 0)
        for position in range {
            found |= test(bytes[position])
            union |= bytes[position]
        }
        return (found != 0, union)
    }

    @inline(__always)
    private static func isToEscape(_ byte: UInt8) -> UInt8 {
        (byte < 0x20 ? 1 : 0) | (byte == UInt8(ascii: "\"") ? 1 : 0) | (byte == UInt8(ascii: "\\") ? 1 : 0)
    }

    @inline(__always)
    private static func isToEscapeInNQuads(_ byte: UInt8) -> UInt8 {
        isToEscape(byte) | (byte == 0x7F ? 1 : 0) | (byte == 0xEF ? 1 : 0)
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    @inline(__always)
    private static func hasToEscape(_ word: UInt64) -> Bool {
        let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let escapes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let found = (quotes &- ones) & ~quotes | (escapes &- ones) & ~escapes | (word &- ones &* 0x20) & ~word
        return found & highs != 0
    }
}
