import Encoding

/// The fixed channels of an LE link (Core Specification Vol 3 Part A 2.1).
enum L2CAPChannel {
    static let attribute: UInt16 = 0x0004
    static let signaling: UInt16 = 0x0005
    static let securityManager: UInt16 = 0x0006
}

/// An L2CAP PDU in basic mode (Core Specification Vol 3 Part A 3.1).
struct L2CAPFrame: Equatable, Sendable {
    let channel: UInt16
    let payload: ArraySlice<UInt8>

    init(channel: UInt16, payload: [UInt8]) {
        self.channel = channel
        self.payload = payload[...]
    }

    /// Reads the bytes of a PDU with a correct length field; nil if the header is incomplete.
    init?(complete bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 4 else { return nil }
        channel = UInt16(bytes[bytes.startIndex + 2]) | UInt16(bytes[bytes.startIndex + 3]) << 8
        payload = bytes.dropFirst(4)
    }

    /// The PDU's bytes, header first.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + payload.count)
        bytes.appendLE(UInt16(truncatingIfNeeded: payload.count))
        bytes.appendLE(channel)
        bytes.append(contentsOf: payload)
        return bytes
    }
}
