/// CRC-16/KERMIT, the check on every chunk: polynomial 0x1021 reflected, initial value 0, no final exclusive or.
package enum CRC16 {
    /// Returns the check value of `bytes`. For "123456789" the check value is 0x2189. In a chunk, the check value
    /// begins with its most significant byte.
    package static func kermit(_ bytes: ArraySlice<UInt8>) -> UInt16 {
        table.withUnsafeBufferPointer { table in
            bytes.withUnsafeBufferPointer { bytes in
                var crc: UInt16 = 0
                for byte in bytes { crc = crc >> 8 ^ table[Int((crc ^ UInt16(byte)) & 0xFF)] }
                return crc
            }
        }
    }

    private static let table: [UInt16] = (0..<256).map { index in
        var value = UInt16(index)
        for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x8408 : value >> 1 }
        return value
    }
}
