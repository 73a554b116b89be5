/// Compares byte strings eight bytes at a time. Names, IRIs and lines of N-Quads often share long prefixes.
package enum ByteOrder {
    /// Returns the offset of the first different byte; nil if the byte strings are equal or one is a prefix of the
    /// other.
    @inline(__always)
    package static func firstDifference(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int? {
        let common = min(left.count, right.count)
        if left.baseAddress == right.baseAddress { return nil }
        var offset = 0
        while offset + 8 <= common {
            let a = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let b = right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if a != b { return offset + (a.littleEndian ^ b.littleEndian).trailingZeroBitCount / 8 }
            offset += 8
        }
        while offset < common {
            if left[offset] != right[offset] { return offset }
            offset += 1
        }
        return nil
    }

    /// Returns whether `left` precedes `right` in byte order, which for UTF-8 is code point order.
    package static func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard let place = firstDifference(left, right) else { return left.count < right.count }
        return left[place] < right[place]
    }

    /// Returns whether `left` precedes `right` in byte order.
    package static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { right in precedes(left, right) } }
    }

    /// Returns whether the slices contain the same bytes.
    package static func areEqual(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { right in areEqual(left, right) } }
    }

    /// Returns whether the buffers contain the same bytes.
    package static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        left.count == right.count && firstDifference(left, right) == nil
    }
}
