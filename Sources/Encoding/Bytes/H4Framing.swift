/// Cuts a byte stream into HCI packets (Core Specification Vol 4 Part A: UART transport layer, "H4").
///
/// Each packet is a type byte, a header that ends in the length of the rest, and that rest. Bytes are kept only as they
/// arrive, so a length that a peer merely announces allocates nothing.
package struct H4Framing: Sendable {
    /// The packet type bytes of Vol 4 Part A section 2.
    package enum PacketType: UInt8, CaseIterable, Sendable {
        case command = 0x01
        case acl = 0x02
        case synchronous = 0x03
        case event = 0x04
        case isochronous = 0x05

        /// Where the length field lies in the packet (type byte included), how many bytes it has and which bits count.
        fileprivate var length: (offset: Int, size: Int, mask: Int) {
            switch self {
            case .command, .synchronous: (3, 1, 0xFF)
            case .event: (2, 1, 0xFF)
            case .acl: (3, 2, 0xFFFF)
            case .isochronous: (3, 2, 0x3FFF)
            }
        }
    }

    /// Why the stream cannot be cut any further: H4 has no mark to find the next packet by, so the line must be reopened.
    package enum Failure: Error, Hashable, Sendable {
        /// A byte that is no packet type stood where a packet should start.
        case unknownPacketType(UInt8)
        /// A packet announces more bytes than the limit.
        case packetTooLong(Int)
    }

    /// The longest packet taken, in bytes with its type byte.
    package let maximumPacket: Int
    private var buffer: [UInt8] = []
    private var start = 0

    /// A framing for a fresh stream. `maximumPacket`: 65,540 bytes, the longest ACL packet there can be, unless told.
    package init(maximumPacket: Int = 65_540) {
        self.maximumPacket = maximumPacket
    }

    /// Bytes that wait for the rest of their packet.
    package var pending: Int { buffer.count - start }

    /// Takes bytes from the stream; complete packets are then had from ``next()``.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next complete packet with its type byte, or nil until more bytes have come.
    package mutating func next() throws(Failure) -> [UInt8]? {
        guard start < buffer.count else { return nil }
        guard let type = PacketType(rawValue: buffer[start]) else { throw .unknownPacketType(buffer[start]) }
        let (offset, size, mask) = type.length
        let header = offset + size
        guard buffer.count - start >= header else { return nil }
        var length = Int(buffer[start + offset])
        if size == 2 { length |= Int(buffer[start + offset + 1]) << 8 }
        let total = header + length & mask
        guard total <= maximumPacket else { throw .packetTooLong(total) }
        guard buffer.count - start >= total else { return nil }
        defer { start += total }
        return Array(buffer[start..<start + total])
    }
}
