/// How single bytes of a text are written where some of them need an escape: by a table, as a text may consist of
/// nothing else.
package struct ByteEscapes: Sendable {
    /// For each byte what it is written as, seven bytes at most beginning with the lowest, and in the highest how many.
    private let entries: [UInt64]

    /// A table of these escapes, of seven bytes at most; nil for a byte that is written as it is.
    package init(_ escape: (UInt8) -> String?) {
        entries = (0...UInt8.max).map { byte in
            let letters = escape(byte).map { Array($0.utf8.prefix(7)) } ?? [byte]
            return letters.reversed().reduce(0) { $0 << 8 | UInt64($1) } | UInt64(letters.count) << 56
        }
    }

    /// Bytes that are looked at together.
    private static let window = 512

    /// Appends the bytes with their escapes.
    package func append(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        entries.withUnsafeBufferPointer { entries in
            // One more entry fits after the last: each is stored whole and counts with its length.
            withUnsafeTemporaryAllocation(byteCount: 7 * Self.window + 8, alignment: 8) { buffer in
                var position = 0
                while position < bytes.count {
                    let end = min(bytes.count, position + Self.window)
                    var count = 0
                    while position < end {
                        let entry = entries[Int(bytes[position])].littleEndian
                        buffer.storeBytes(of: entry, toByteOffset: count, as: UInt64.self)
                        count += Int(UInt64(littleEndian: entry) >> 56)
                        position += 1
                    }
                    output.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
            }
        }
    }
}
