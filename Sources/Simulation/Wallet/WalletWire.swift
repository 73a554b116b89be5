import Encoding

/// The CRC-16/KERMIT of Tuvali's chunks: polynomial 0x1021 reflected, start 0, no final inversion.
package enum WalletCRC {
    /// Returns the checksum of `bytes`; "123456789" gives 0x2189.
    package static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        bytes.reduce(0) { crc, byte in
            (0..<8).reduce(crc ^ UInt16(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0x8408 : value >> 1 }
        }
    }
}

/// The encrypted bytes split into Tuvali chunks: sequence number from 1, checksum, payload.
package struct WalletChunks: Sendable {
    /// The encrypted bytes.
    package let data: [UInt8]
    /// The payload size in bytes of every chunk except the last.
    package let stride: Int

    /// Splits data for writes of at most `maxDataBytes` (min(ATT MTU, 512) − 3); nil if a write has no room for
    /// payload, if there is no data, or if the sequence number would overflow.
    package init?(_ data: [UInt8], maxDataBytes: Int) {
        guard maxDataBytes > 4, !data.isEmpty, (data.count - 1) / (maxDataBytes - 4) < 0xFFFF else { return nil }
        self.data = data
        stride = maxDataBytes - 4
    }

    /// The number of chunks, at least 1.
    package var count: Int { (data.count + stride - 1) / stride }

    /// Returns chunk `number` (1 … count) with its header; nil for other numbers.
    package subscript(number: Int) -> [UInt8]? {
        guard number >= 1, number <= count else { return nil }
        let start = (number - 1) * stride
        let payload = data[start..<min(start + stride, data.count)]
        var chunk: [UInt8] = []
        chunk.appendBE(UInt16(number))
        chunk.appendBE(WalletCRC.checksum(payload))
        return chunk + payload
    }
}

/// A transfer report as the wallets parse it. The page count is ignored, and all listed chunks are missing.
package enum WalletReport: Equatable, Sendable {
    /// All chunks arrived.
    case success
    /// The chunks with the given numbers are missing.
    case missing([Int])

    /// Parses a report; nil for an unknown type or an empty report.
    package init?(_ bytes: [UInt8]) {
        switch bytes.first {
        case 1: self = .success
        case 0:
            let listed = bytes.dropFirst(3)
            self = .missing(
                stride(from: listed.startIndex, to: listed.endIndex - 1, by: 2).map {
                    Int(listed[$0]) << 8 | Int(listed[$0 + 1])
                })
        default: return nil
        }
    }
}
