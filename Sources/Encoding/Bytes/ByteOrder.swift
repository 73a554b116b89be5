/// Comparison of byte strings, eight bytes at a time: names, IRIs and lines of N-Quads share long beginnings.
package enum ByteOrder {
    /// Whether `left` comes before `right` in byte order, which for UTF-8 is code point order.
    package static func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        let common = min(left.count, right.count)
        var offset = 0
        while offset + 8 <= common {
            let a = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let b = right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if a != b { return a.bigEndian < b.bigEndian }
            offset += 8
        }
        while offset < common {
            if left[offset] != right[offset] { return left[offset] < right[offset] }
            offset += 1
        }
        return left.count < right.count
    }

    /// Whether `left` comes before `right` in byte order.
    package static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { right in precedes(left, right) } }
    }

    /// Whether the two hold the same bytes.
    package static func areEqual(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { right in areEqual(left, right) } }
    }

    /// Whether the two hold the same bytes.
    package static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        if left.baseAddress == right.baseAddress { return true }
        var offset = 0
        while offset + 8 <= left.count {
            let a = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard a == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
            offset += 8
        }
        while offset < left.count {
            guard left[offset] == right[offset] else { return false }
            offset += 1
        }
        return true
    }
}
