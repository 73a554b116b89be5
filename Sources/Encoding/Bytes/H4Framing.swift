/// Splits a byte stream into HCI packets (Core Specification Vol 4 Part A: UART transport layer, "H4").
///
/// A packet consists of a type byte, a header that ends with the length of the payload, and the payload. Only received
/// bytes are stored, so the length in a header never determines how much memory is allocated.
package struct H4Framing: Sendable {
    /// The packet type bytes of Vol 4 Part A section 2.
    package enum PacketType: UInt8, CaseIterable, Sendable {
        case command = 0x01
        case acl = 0x02
        case synchronous = 0x03
        case event = 0x04
        case isochronous = 0x05

        /// The offset of the length field in the packet (type byte included), the size of the field in bytes, and the
        /// mask of its valid bits.
        fileprivate var length: (offset: Int, size: Int, mask: Int) {
            switch self {
            case .command, .synchronous: (3, 1, 0xFF)
            case .event: (2, 1, 0xFF)
            case .acl: (3, 2, 0xFFFF)
            case .isochronous: (3, 2, 0x3FFF)
            }
        }
    }

    /// The reason why the rest of the stream cannot be split. H4 has no marker for the start of a packet, so the owner
    /// must reopen the transport.
    package enum Failure: Error, Hashable, Sendable {
        /// The first byte of a packet is not a packet type. The value is this byte.
        case unknownPacketType(UInt8)
        /// The header of a packet states a length above the limit. The value is the length in bytes.
        case packetTooLong(Int)
    }

    /// The longest accepted packet, in bytes with its type byte.
    package let maximumPacket: Int
    private var buffer: [UInt8] = []
    private var start = 0

    /// Creates a framing for a new stream. The default of `maximumPacket`, 65,540 bytes, is the longest possible ACL
    /// packet.
    package init(maximumPacket: Int = 65_540) {
        self.maximumPacket = maximumPacket
    }

    /// The number of received bytes of an incomplete packet.
    package var pending: Int { buffer.count - start }

    /// Appends bytes of the stream. ``next()`` then returns the complete packets.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next complete packet with its type byte; nil until all bytes of the packet have arrived.
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
