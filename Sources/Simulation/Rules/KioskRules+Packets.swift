// What a driver sees of links and of what wallets are told.
extension KioskRules {
    static func handle(_ low: UInt8, _ high: UInt8) -> UInt16 { UInt16(low) | UInt16(high & 0x0F) << 8 }

    /// The handle of the link that a packet of the controller says has come about (LE Connection Complete in its three
    /// forms), or belongs to an advertising set (LE Advertising Set Terminated).
    static func begun(in packet: [UInt8]) -> UInt16? {
        guard packet.count > 7, packet[0...1] == [4, 0x3E] else { return nil }
        switch packet[3] {
        case 0x01, 0x0A, 0x29: return handle(packet[5], packet[6])
        case 0x12: return handle(packet[6], packet[7])
        default: return nil
        }
    }

    /// The value handles of the verification status: Generic Access takes 1 to 5, Generic Attribute 6 to 9, and in
    /// Tuvali's service each writable characteristic takes two handles, each indicated one three. With two generations
    /// the second service stands 24 handles behind the first.
    private static let statusHandles: [[UInt8]] = [[29, 0], [53, 0]]

    /// The verification status that a packet tells a wallet: 0 accepted, 1 rejected; nil for any other packet.
    package static func status(in packet: [UInt8]) -> UInt8? {
        // H4 ACL: type, handle (2), length (2); L2CAP: length (2), channel (2); ATT: opcode, handle (2), value.
        guard packet.count > 12, packet[0] == 2, packet[7...8] == [4, 0], packet[9] == 0x1B || packet[9] == 0x1D,
            statusHandles.contains(Array(packet[10...11]))
        else { return nil }
        return packet[12]
    }
}
