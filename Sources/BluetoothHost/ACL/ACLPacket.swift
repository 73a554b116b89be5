import Encoding

/// An ACL data packet between host and controller (Core Specification Vol 4 Part E 5.4.2).
struct ACLPacket: Equatable, Sendable {
    let handle: ConnectionHandle
    /// Whether the packet continues the PDU of the previous packet (packet boundary flag 0b01). Any other flag begins a
    /// new PDU: 0b00 and 0b10 are the ordinary values, and old versions used 0b11.
    let isContinuation: Bool
    let data: ArraySlice<UInt8>

    /// Decodes a whole H4 packet; nil if the packet is truncated. Bytes beyond the length field are ignored.
    init?(packet: [UInt8]) {
        var reader = ByteReader(packet)
        guard let acl = try? ACLPacket(&reader) else { return nil }
        self = acl
    }

    private init(_ reader: inout ByteReader) throws(ByteReader.Truncated) {
        _ = try reader.uint8()
        let header = try reader.uint16LE()
        handle = ConnectionHandle(rawValue: header)
        isContinuation = header >> 12 & 0b11 == 0b01
        data = try reader.take(Int(try reader.uint16LE()))
    }

    /// Encodes an H4 packet for the controller. On LE, the first fragment always has flag 0b00 (not automatically
    /// flushable).
    static func encode(_ data: ArraySlice<UInt8>, isContinuation: Bool, on handle: ConnectionHandle) -> [UInt8] {
        var packet: [UInt8] = [H4Framing.PacketType.acl.rawValue]
        packet.reserveCapacity(5 + data.count)
        packet.appendLE(handle.rawValue | (isContinuation ? 0x1000 : 0))
        packet.appendLE(UInt16(truncatingIfNeeded: data.count))
        packet.append(contentsOf: data)
        return packet
    }
}
