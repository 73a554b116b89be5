import Encoding
import Simulation

/// Mutations of the packets that a controller delivers to its host.
///
/// Some break frames; others keep all lengths correct and so reach the upper layers: L2CAP, ATT, Tuvali.
enum PacketMutation: CaseIterable {
    case truncate, extend, flipBit, overwrite, drop, duplicate, swap, moveFar, delayed
    case unknownEvent, unknownChannel, unknownOpcode, wrongHandle, wrongLength
    case value, strayWrite, strayEvent, garbage

    typealias Packets = [(after: Duration, packet: [UInt8])]

    /// Mutates the packets at some place.
    static func apply(to packets: inout Packets, _ random: inout SplitMix64) {
        guard !packets.isEmpty, let kind = allCases.randomElement(using: &random) else { return }
        // The first packet is the connection. It is usually spared, because otherwise the host would ignore
        // the rest.
        let spares = packets.count > 1 && !random.happens(0.05)
        let index = Int.random(in: (spares ? 1 : 0)..<packets.count, using: &random)
        let other = Int.random(in: (spares ? 1 : 0)..<packets.count, using: &random)
        switch kind {
        case .drop: packets.remove(at: index)
        case .duplicate: packets.insert(packets[index], at: index)
        case .swap where index + 1 < packets.count: exchange(&packets, index, index + 1)
        case .moveFar: exchange(&packets, index, other)
        case .delayed:
            let delay = Duration.milliseconds(Int.random(in: 1...40_000, using: &random))
            for later in index..<packets.count { packets[later].after += delay }
        case .strayWrite, .strayEvent, .garbage:
            packets.insert((packets[index].after, stray(kind, &random)), at: index)
        default: packets[index].packet = spoiled(packets[index].packet, kind, &random)
        }
    }

    /// Mutates a single packet: returns none, two copies, or a changed one.
    static func apply(to packet: [UInt8], _ random: inout SplitMix64) -> [[UInt8]] {
        switch allCases.randomElement(using: &random) ?? .drop {
        case .drop, .delayed, .moveFar: []
        case .duplicate, .swap: [packet, packet]
        case .strayWrite: [stray(.strayWrite, &random), packet]
        case .strayEvent: [stray(.strayEvent, &random), packet]
        case .garbage: [stray(.garbage, &random), packet]
        case let kind: [spoiled(packet, kind, &random)]
        }
    }

    /// Exchanges two packets, but not their times.
    private static func exchange(_ packets: inout Packets, _ first: Int, _ second: Int) {
        (packets[first].packet, packets[second].packet) = (packets[second].packet, packets[first].packet)
    }

    private static func spoiled(_ packet: [UInt8], _ kind: PacketMutation, _ random: inout SplitMix64) -> [UInt8] {
        var packet = packet
        guard !packet.isEmpty else { return random.bytes(3) }
        let place = Int.random(in: 0..<packet.count, using: &random)
        let byte = UInt8.random(in: 0...255, using: &random)
        // H4 ACL: type, handle (2), length (2); L2CAP: length (2), channel (2); ATT: opcode, handle (2), value.
        let isATT = packet.count > 9 && packet[0] == 2
        switch kind {
        case .truncate: packet.removeLast(packet.count - place)
        case .extend: packet += random.bytes(Int.random(in: 1...300, using: &random))
        case .overwrite:
            for index in place..<min(packet.count, place + 4) {
                packet[index] = UInt8.random(in: 0...255, using: &random)
            }
        case .unknownEvent where packet.count > 3 && packet[0] == 4:
            packet[packet[1] == 0x3E ? 3 : 1] = byte
        case .unknownChannel where isATT: packet[7] = byte
        case .unknownOpcode where isATT: packet[9] = byte
        case .wrongHandle where isATT && packet.count > 11:
            packet[10] = byte % 48
            packet[11] = random.happens(0.1) ? byte : 0
        case .wrongHandle where packet.count > 2: packet[1] = byte
        case .wrongLength where isATT: packet[Bool.random(using: &random) ? 5 : 3] = byte
        case .wrongLength where packet.count > 2: packet[2] = byte
        case .value where isATT && packet.count > 12:
            let count = Int.random(in: 1...4, using: &random)
            for _ in 0..<count {
                packet[Int.random(in: 12..<packet.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
        default: packet[place] ^= 1 << (byte & 7)
        }
        return packet
    }

    private static func stray(_ kind: PacketMutation, _ random: inout SplitMix64) -> [UInt8] {
        let low: UInt8 = random.happens(0.9) ? 0x40 : UInt8.random(in: 0...255, using: &random)
        switch kind {
        case .strayWrite:
            // A well-formed write of random bytes to one of Tuvali's characteristics, a request, or a signal.
            let handles: [UInt8] = [11, 12, 14, 15, 17, 18, 20, 22, 24, 26, 27, 29, 30, 32, 33, 3, 5, 8, 9]
            let opcodes: [UInt8] = [0x52, 0x52, 0x12, 0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x10, 0x16, 0x18, 0x1E, 0xD2]
            let handle = handles.randomElement(using: &random) ?? 0
            let length = [0, 1, 2, 4, 44, 60, 509].randomElement(using: &random) ?? 0
            let first: [UInt8] = random.happens(0.5) ? [0, 0, UInt8.random(in: 0...2, using: &random)] : []
            let opcode = opcodes.randomElement(using: &random) ?? 0
            let pdu = [opcode, handle, 0] + (first + random.bytes(length)).prefix(length)
            let channel: UInt8 = random.happens(0.9) ? 4 : [5, 6].randomElement(using: &random) ?? 5
            return acl(low, channel, pdu)
        case .strayEvent:
            let events: [[UInt8]] = [
                [4, 0x05, 4, 0, low, 0, 0x08], [4, 0x10, 1, 0x42], [4, 0x13, 5, 1, low, 0, 0xFF, 0xFF],
                [4, 0x0E, 4, 1, 0x0A, 0x20, 0x0C], [4, 0x0F, 4, 0, 1, 0x06, 0x04], [4, 0x0F, 4, 0x01, 0, 0, 0],
                [4, 0x0E, 3, 1, 0, 0], [4, 0x1A, 1, 1], [4, 0x3E, 10, 3, 0, low, 0, 6, 0, 0, 0, 100, 0],
                [4, 0x3E, 11, 6, low, 0, 6, 0, 12, 0, 0, 0, 100, 0], [4, 0x3E, 13, 5, low, 0] + random.bytes(10),
                [4, 0x3E, 19, 1, 0, low, 0, 1, 1] + random.bytes(6) + [24, 0, 0, 0, 72, 0, 0],
                [4, 0x3E, 19, 1, 0x3C, low, 0, 1, 1] + random.bytes(6) + [24, 0, 0, 0, 72, 0, 0],
            ]
            return events.randomElement(using: &random) ?? []
        default: return random.bytes(Int.random(in: 0...80, using: &random))
        }
    }

    private static func acl(_ handle: UInt8, _ channel: UInt8, _ pdu: [UInt8]) -> [UInt8] {
        let length = UInt16(pdu.count)
        return [2, handle, 0x20] + little(length + 4) + little(length) + [channel, 0] + pdu
    }

    private static func little(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
}
