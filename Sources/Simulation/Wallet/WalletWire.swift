import Encoding

/// CRC-16/KERMIT as Tuvali puts it into chunks: polynomial 0x1021 reflected, start 0, no final inversion.
package enum WalletCRC {
    /// The checksum of `bytes`; "123456789" gives 0x2189.
    package static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        bytes.reduce(0) { crc, byte in
            (0..<8).reduce(crc ^ UInt16(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0x8408 : value >> 1 }
        }
    }
}

/// The encrypted bytes cut into Tuvali chunks: sequence number from 1, checksum, payload.
package struct WalletChunks: Sendable {
    /// The bytes that are sent.
    package let data: [UInt8]
    /// Payload bytes of every chunk but the last.
    package let stride: Int

    /// Cuts for writes of at most `maxDataBytes` (min(ATT MTU, 512) − 3). Nil when that leaves no payload or when the
    /// sequence number would not do.
    package init?(_ data: [UInt8], maxDataBytes: Int) {
        guard maxDataBytes > 4, !data.isEmpty, (data.count - 1) / (maxDataBytes - 4) < 0xFFFF else { return nil }
        self.data = data
        stride = maxDataBytes - 4
    }

    /// Number of chunks, at least 1.
    package var count: Int { (data.count + stride - 1) / stride }

    /// The bytes of chunk `number` (1 … count) with its header; nil for other numbers.
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

/// A transfer report as the wallets read it: the page count is ignored, what is listed is missing.
package enum WalletReport: Equatable, Sendable {
    /// Everything arrived.
    case success
    /// These chunks are missing.
    case missing([Int])

    /// Nil for a type that no wallet knows or a report without its first byte.
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
