/// A forward cursor over received bytes.
///
/// A read beyond the received bytes throws ``ByteReader/Truncated``. The caller names the byte order at each read,
/// because Bluetooth is little-endian (Core Specification Vol 3 Part A 2.1) and Tuvali, CBOR and multicodec are
/// big-endian.
package struct ByteReader: Sendable {
    /// The input ended before the end of the value. `offset` is the position of the first missing byte.
    package struct Truncated: Error, Equatable, Sendable {
        /// The number of bytes from the start of the input.
        package let offset: Int
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    /// Creates a reader at the first byte of `bytes`.
    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Creates a reader at the first byte of `bytes`.
    package init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    /// The number of unread bytes.
    package var remaining: Int { bytes.endIndex - position }

    /// The number of bytes read so far.
    package var offset: Int { position - bytes.startIndex }

    /// All unread bytes. The property does not consume the bytes.
    package var rest: ArraySlice<UInt8> { bytes[position...] }

    /// Reads the next byte.
    package mutating func uint8() throws(Truncated) -> UInt8 {
        guard position < bytes.endIndex else { throw Truncated(offset: offset) }
        defer { position += 1 }
        return bytes[position]
    }

    /// Reads the next 2 bytes, least significant first.
    package mutating func uint16LE() throws(Truncated) -> UInt16 {
        let slice = try take(2)
        return UInt16(slice[slice.startIndex]) | UInt16(slice[slice.startIndex + 1]) << 8
    }

    /// Reads the next 2 bytes, most significant first.
    package mutating func uint16BE() throws(Truncated) -> UInt16 { try uint16LE().byteSwapped }

    /// Reads the next 4 bytes, most significant first.
    package mutating func uint32BE() throws(Truncated) -> UInt32 {
        try take(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Reads the next 8 bytes, least significant first.
    package mutating func uint64LE() throws(Truncated) -> UInt64 { try uint64BE().byteSwapped }

    /// Reads the next 8 bytes, most significant first.
    package mutating func uint64BE() throws(Truncated) -> UInt64 {
        try take(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns the next `count` bytes as a slice of the input, without copying.
    package mutating func take(_ count: Int) throws(Truncated) -> ArraySlice<UInt8> {
        guard count >= 0, count <= remaining else { throw Truncated(offset: offset) }
        defer { position += count }
        return bytes[position..<position + count]
    }
}
