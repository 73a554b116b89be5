extension Array where Element == UInt8 {
    /// Appends 2 bytes, least significant first.
    package mutating func appendLE(_ value: UInt16) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 8))
    }

    /// Appends 2 bytes, most significant first.
    package mutating func appendBE(_ value: UInt16) { appendLE(value.byteSwapped) }

    /// Appends 4 bytes, least significant first.
    package mutating func appendLE(_ value: UInt32) {
        for shift in stride(from: 0, to: 32, by: 8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    /// Appends 4 bytes, most significant first.
    package mutating func appendBE(_ value: UInt32) { appendLE(value.byteSwapped) }

    /// Appends 8 bytes, least significant first.
    package mutating func appendLE(_ value: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    /// Appends 8 bytes, most significant first.
    package mutating func appendBE(_ value: UInt64) { appendLE(value.byteSwapped) }
}
