/// A table of escapes for the bytes of a text. A table is used because a text may consist entirely of bytes
/// that need an escape.
package struct ByteEscapes: Sendable {
    /// The written form of each byte. A form has at most seven bytes, the first one in the lowest byte of the
    /// word. The highest byte of the word is the number of bytes.
    private let entries: [UInt64]

    /// Creates a table of escapes. `escape`: returns the written form of a byte, at most seven bytes; nil for
    /// a byte that is written unchanged.
    package init(_ escape: (UInt8) -> String?) {
        entries = (0...UInt8.max).map { byte in
            let letters = escape(byte).map { Array($0.utf8.prefix(7)) } ?? [byte]
            return letters.reversed().reduce(0) { $0 << 8 | UInt64($1) } | UInt64(letters.count) << 56
        }
    }

    /// The number of bytes that are processed together.
    private static let window = 512

    /// Appends `bytes` to `output`, with escapes where they are needed.
    package func append(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        entries.withUnsafeBufferPointer { entries in
            // The buffer has room for one more entry after the last: each entry is stored with all eight
            // bytes and advances only by its length.
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
