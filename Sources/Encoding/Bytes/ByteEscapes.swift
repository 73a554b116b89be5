/// A table of escapes for the bytes of a text. A table is fast even for a text in which every byte needs an escape.
package struct ByteEscapes: Sendable {
    /// The written form of each byte, at most seven bytes, with the first byte in the lowest byte of the word. The
    /// highest byte of the word is the length of the form.
    private let entries: [UInt64]

    /// Creates a table of escapes. `escape` returns the written form of a byte, at most seven bytes; nil for a byte
    /// without an escape.
    package init(_ escape: (UInt8) -> String?) {
        entries = (0...UInt8.max).map { byte in
            let letters = escape(byte).map { Array($0.utf8.prefix(7)) } ?? [byte]
            return letters.reversed().reduce(0) { $0 << 8 | UInt64($1) } | UInt64(letters.count) << 56
        }
    }

    /// The number of bytes that are processed together.
    private static let window = 512

    /// Appends `bytes` to `output`, each byte in its written form.
    package func append(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        entries.withUnsafeBufferPointer { entries in
            // The buffer has room for an additional entry: all eight bytes of each entry are stored, but the position
            // advances only by the length of the entry.
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
