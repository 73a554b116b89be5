// Reads links and wallet status from the packets of a driver.
extension KioskRules {
    static func handle(_ low: UInt8, _ high: UInt8) -> UInt16 { UInt16(low) | UInt16(high & 0x0F) << 8 }

    /// Returns the handle in a controller's packet: that of a new link (three forms of LE Connection Complete), or that
    /// of the link that ended an advertising set (LE Advertising Set Terminated). Returns nil for other packets.
    static func begun(in packet: [UInt8]) -> UInt16? {
        guard packet.count > 7, packet[0...1] == [4, 0x3E] else { return nil }
        switch packet[3] {
        case 0x01, 0x0A, 0x29: return handle(packet[5], packet[6])
        case 0x12: return handle(packet[6], packet[7])
        default: return nil
        }
    }

    /// The value handles of the characteristic for the verification status, in each generation. Generic Access has the
    /// handles 1 to 5, Generic Attribute 6 to 9. In Tuvali's service each writable characteristic has two handles and
    /// each indicated characteristic three. With two generations, the second service follows 24 handles after the
    /// first.
    private static let statusHandles: [[UInt8]] = [[29, 0], [53, 0]]

    /// Returns the verification status in a packet to a wallet: 0 accepted, 1 rejected; nil for any other packet.
    package static func status(in packet: [UInt8]) -> UInt8? {
        // The fields of the packet (bytes): H4 ACL type, handle (2), length (2); L2CAP length (2), channel (2); ATT
        // opcode, handle (2), value.
        guard packet.count > 12, packet[0] == 2, packet[7...8] == [4, 0], packet[9] == 0x1B || packet[9] == 0x1D,
            statusHandles.contains(Array(packet[10...11]))
        else { return nil }
        return packet[12]
    }
}
