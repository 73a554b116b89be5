import Encoding
import Simulation
import Testing

@testable import Kiosk

/// The packets that a controller delivered to the kiosk during one whole visit, with times, so that they can
/// be replayed.
struct RecordedVisit: Sendable {
    /// The bytes of the session's keys and address: the session material without the visit's id.
    let keys: [UInt8]
    /// The record that the wallet shared.
    let record: [UInt8]
    /// The packets from the beginning of the connection to its end, with the time since the beginning.
    /// Answers to commands and completed-packets events are left out: the code that replays them gives those
    /// as needed.
    let packets: [(after: Duration, packet: [UInt8])]
    /// The answers to commands, by opcode.
    let answers: [UInt16: [UInt8]]

    /// Records an accepted visit of the given phone.
    init(_ phone: PhoneTraits, record: [UInt8]) throws {
        let gate = try TestGate(visits: [.test(phone, record: record)])
        try #require(gate.run() && gate.phoneOutcomes == [0: .accepted])
        var (keys, began) = ([UInt8](), Instant?.none)
        var packets: [(Duration, [UInt8])] = []
        var answers: [UInt16: [UInt8]] = [:]
        for turn in gate.trace {
            switch turn.event {
            case .sessionMaterial(let material) where began == nil:
                keys = material.privateKey + material.identityResolvingKey + material.addressRandom
            case .received(let packet):
                if packet.starts(with: [4, 0x0E]), packet.count > 6 {
                    answers[UInt16(packet[4]) | UInt16(packet[5]) << 8] = packet
                } else if packet.starts(with: [4, 0x0F]), packet.count > 6 {
                    answers[UInt16(packet[5]) | UInt16(packet[6]) << 8] = packet
                } else if !packet.starts(with: [4, 0x13]) {
                    if packet.starts(with: [4, 0x3E]), began == nil { began = turn.at }
                    if let began { packets.append((began.duration(to: turn.at), packet)) }
                }
            default: break
            }
        }
        try #require(packets.last?.1.starts(with: [4, 0x05]) == true)
        (self.keys, self.record, self.packets, self.answers) = (keys, record, packets, answers)
    }

    /// Returns session material with these keys for a visit with an id of its own.
    func material(_ random: inout SplitMix64) -> SessionMaterial? { SessionMaterial(keys + random.bytes(16)) }
}
