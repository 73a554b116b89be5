import Clocks
import Encoding
import Kiosk
import Simulation
import Tuvali

/// Measures the processor time for a message, from the controller's packets to the assembled message in memory. The
/// measurement runs the whole kiosk without threads, with a stopped clock. It compares this time with the time of the
/// CRC alone, which every byte needs in any case.
enum TransferBench {
    /// The result of the fastest of several runs.
    struct Result: Sendable {
        /// The size of the message in bytes.
        let bytes: Int
        /// The time from the first packet of the first chunk to the last packet of the last chunk.
        let time: Duration
        /// The time for only the CRC of the same chunks.
        let check: Duration

        /// The throughput in millions of bytes per second.
        var megabytesPerSecond: Double { Double(bytes) / max(1, Double(time.nanoseconds)) * 1000 }
        /// The time of the kiosk divided by the time of the CRC.
        var ratio: Double { time / max(.nanoseconds(1), check) }
    }

    /// The reason why a measurement has no result.
    struct Failure: Error, Sendable {
        /// The reason, in words.
        let reason: String
    }

    /// The payload of a chunk at the largest MTU (`payload`), and the largest data packet that is sent over the air in
    /// one piece (`packetLength`), in bytes.
    private static let (payload, packetLength) = (505, 251)
    /// The handles of the characteristic values that a phone writes, as in the kiosk's attribute table.
    private static let (identify, size, chunk, request): (UInt8, UInt8, UInt8, UInt8) = (12, 20, 22, 24)

    /// Lets a kiosk receive a message of about `bytes` bytes, `runs` times, and returns the fastest run.
    static func run(bytes: Int = 1_000_000, runs: Int = 9) throws(Failure) -> Result {
        var random = SplitMix64(seed: 5)
        let chunks = (0..<bytes / payload).map { number in
            let payload = random.bytes(payload)
            var chunk: [UInt8] = []
            chunk.appendBE(UInt16(truncatingIfNeeded: number + 1))
            chunk.appendBE(CRC16.kermit(payload[...]))
            return chunk + payload
        }
        let packets = chunks.flatMap { Self.packets([0x52, chunk, 0] + $0) }
        let waiting = try ready(for: chunks.count * payload, &random)
        var (time, check) = (Duration.seconds(3600), Duration.seconds(3600))
        for _ in 0..<max(1, runs) {
            var kiosk = waiting
            time = min(
                time,
                measure { for packet in packets { _ = kiosk.handle(.received(packet), at: .zero) } })
            var sum: UInt16 = 0
            check = min(check, measure { for chunk in chunks { sum ^= CRC16.kermit(chunk[...]) } })
            // All chunks have arrived, so the kiosk now tries to decrypt the message. The message is random, so
            // decryption fails and ends the visit.
            let actions = Self.packets([0x52, request, 0, 1]).flatMap { kiosk.handle(.received($0), at: .zero) }
            let isComplete = actions.contains { if case .recordOutcome = $0 { true } else { false } }
            guard isComplete, kiosk.counters.spoiledChunks == 0 else {
                throw Failure(reason: "the message did not arrive (\(sum))")
            }
        }
        return Result(bytes: chunks.count * payload, time: time, check: check)
    }

    private static func measure(_ work: () -> Void) -> Duration {
        let began = Clock.system.now()
        work()
        return began.duration(to: Clock.system.now())
    }

    /// Returns a kiosk that is connected to a phone which has announced a message of `bytes` bytes.
    private static func ready(for bytes: Int, _ random: inout SplitMix64) throws(Failure) -> Kiosk {
        guard let name = try? Identifier("Bench") else { throw Failure(reason: "no name") }
        var kiosk = Kiosk(settings: KioskSettings(name: name, softwareVersion: "bench"), at: .zero)
        var announced: [UInt8] = []
        announced.appendBE(UInt32(truncatingIfNeeded: bytes))
        var key = random.bytes(44)
        key[43] &= 0x7F
        let connected: [UInt8] = [4, 0x3E, 19, 1, 0, 0x40, 0, 1, 1, 1, 2, 3, 4, 5, 6, 12, 0, 0, 0, 0x58, 2, 0]
        let phone =
            [connected] + Self.packets([0x02, 0x05, 0x02]) + Self.packets([0x52, identify, 0] + key)
            + Self.packets([0x52, size, 0] + announced)
        for event in [.start] + phone.map({ KioskEvent.received($0) }) {
            var inbox = [event]
            while !inbox.isEmpty {
                for action in kiosk.handle(inbox.removeFirst(), at: .zero) {
                    switch action {
                    case .openTransport: inbox.append(.transportOpened)
                    case .send(let packet): inbox += answer(packet).map { .received($0) }
                    case .recordIntent(let id): inbox.append(.intentDurable(id))
                    case .drawSessionMaterial:
                        if let material = SessionMaterial(random.bytes(SessionMaterial.byteCount)) {
                            inbox.append(.sessionMaterial(material))
                        }
                    default: break
                    }
                }
            }
        }
        return kiosk
    }

    /// Returns the packets with which a minimal controller answers: eight ACL buffers of 251 bytes for LE Read Buffer
    /// Size, success for every other command, and one completed packet for each data packet.
    private static func answer(_ packet: [UInt8]) -> [[UInt8]] {
        if packet[0] == 2 { return [[4, 0x13, 5, 1, packet[1], packet[2] & 0x0F, 1, 0]] }
        let result: [UInt8] = packet[1...2] == [0x02, 0x20] ? [0, 0xFB, 0, 8] : [0]
        return [[4, 0x0E, UInt8(3 + result.count), 1, packet[1], packet[2]] + result]
    }

    /// Returns the data packets in which the controller passes a PDU of the attribute channel to the host.
    private static func packets(_ pdu: [UInt8]) -> [[UInt8]] {
        var frame: [UInt8] = []
        frame.appendLE(UInt16(truncatingIfNeeded: pdu.count))
        frame += [4, 0] + pdu
        return stride(from: 0, to: frame.count, by: packetLength).map { start in
            let piece = frame[start..<min(start + packetLength, frame.count)]
            return [2, 0x40, start == 0 ? 0x20 : 0x10, UInt8(piece.count), 0] + piece
        }
    }
}
