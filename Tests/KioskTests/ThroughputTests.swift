import Encoding
import Simulation
import TestKit
import Testing

@testable import BluetoothHost
@testable import Kiosk
@testable import Tuvali

/// The cost of a chunk on its way from the controller's packets to its place in the message, in memory and
/// time.
@Suite struct ThroughputTests {
    /// A session that waits for chunks from a real host, and a controller's packets with all chunks.
    struct Transfer {
        var host: Host
        var session: VerifierSession
        let packets: [[UInt8]]
        let chunks: Int
        let bytes: Int
        private let now = Instant.zero
        private var actions: [HostAction] = []

        /// Makes packets of at most `packetLength` bytes of data, as the radio's packets are.
        init(bytes: Int, packetLength: Int) throws {
            let transfer = try Self.recorded(bytes: bytes)
            (host, session, chunks, self.bytes) = (transfer.host, transfer.session, transfer.chunks.count, bytes)
            packets = transfer.chunks.flatMap { Self.packets(of: $0, packetLength) }
        }

        private static func recorded(bytes: Int) throws -> (host: Host, session: VerifierSession, chunks: [[UInt8]]) {
            var configuration = HostConfiguration()
            configuration.connectionParameters = []
            var host = Host(configuration: configuration, services: [ServiceDefinition(.b)])
            var inbox = host.handle(.start, at: .zero)
            while let action = inbox.popLast() {
                guard case .send(let packet) = action, packet.count > 3 else { continue }
                inbox += host.handle(.received(Self.answer(packet)), at: .zero)
            }
            let connected: [UInt8] = [4, 0x3E, 19, 1, 0, 0x40, 0, 1, 1, 1, 2, 3, 4, 5, 6, 12, 0, 0, 0, 0x58, 2, 0]
            _ = host.handle(.received(connected), at: .zero)
            _ = host.handle(.received([2, 0x40, 0x20, 7, 0, 3, 0, 4, 0, 0x02, 0x05, 0x02]), at: .zero)
            var random = SplitMix64(seed: 5)
            var session = VerifierSession(key: try VerifierKey(privateBytes: random.bytes(32)), at: .zero)
            _ = session.handle(.connected(attMTU: 23), at: .zero)
            _ = session.handle(.mtuChanged(517), at: .zero)
            var identify = random.bytes(44)
            identify[43] &= 0x7F
            _ = session.handle(.write(.identify, identify), at: .zero)
            // The size is one byte more than the chunks contain, so that the measurement ends before the
            // message is decrypted.
            let chunks = (0..<bytes / 505).compactMap { _ in random.bytes(505) }
            var size: [UInt8] = []
            size.appendBE(UInt32(bytes / 505 * 505 + 1))
            _ = session.handle(.write(.responseSize, size), at: .zero)
            let handle = host.database.value(of: Characteristic.submitResponse.id(in: .b))?.handle ?? 0
            let numbered = chunks.enumerated().map { index, payload in
                var chunk: [UInt8] = []
                chunk.appendBE(UInt16(index + 1))
                chunk.appendBE(CRC16.kermit(payload[...]))
                return chunk + payload
            }
            return (host, session, numbered.map { [UInt8(handle & 0xFF), UInt8(handle >> 8)] + $0 })
        }

        /// Returns a controller's answer to a command: success, with buffers and no optional features.
        private static func answer(_ command: [UInt8]) -> [UInt8] {
            var results: [UInt8] = [0]
            if command[1...2].elementsEqual([0x02, 0x20]) { results = [0, 0xFB, 0, 8] }
            return [4, 0x0E, UInt8(3 + results.count), 1, command[1], command[2]] + results
        }

        private static func packets(of chunk: [UInt8], _ packetLength: Int) -> [[UInt8]] {
            var pdu: [UInt8] = []
            pdu.appendLE(UInt16(chunk.count + 1))
            pdu.appendLE(4 as UInt16)
            pdu.append(0x52)
            pdu += chunk
            return stride(from: 0, to: pdu.count, by: packetLength).map { start in
                let piece = pdu[start..<min(start + packetLength, pdu.count)]
                return [2, 0x40, start == 0 ? 0x20 : 0x10, UInt8(piece.count & 0xFF), UInt8(piece.count >> 8)] + piece
            }
        }

        /// Passes all packets through the host and the session; returns the number of chunks that were
        /// reported.
        mutating func run() -> Int {
            var written = 0
            for packet in packets {
                actions.removeAll(keepingCapacity: true)
                host.handle(.received(packet), at: now, into: &actions)
                for action in actions {
                    guard case .written(_, let id, let value, _) = action else { continue }
                    written += 1
                    guard let characteristic = Characteristic(id) else { continue }
                    _ = session.handle(.write(characteristic, value), at: now)
                }
            }
            return written
        }
    }

    @Test(arguments: [27, 251, 1021]) func aChunkCostsOneAllocation(packetLength: Int) throws {
        var transfer = try Transfer(bytes: 1_000_000, packetLength: packetLength)
        let (blocks, bytes, written) = Allocations.made(ofAtLeast: 256) { transfer.run() }
        // The message's memory is allocated once, and there are a few buffers for fragments.
        #expect(blocks <= written + 20, "\(Double(blocks) / Double(written)) a chunk")
        #expect(bytes <= written * 700 + 4_000_000, "\(bytes / written) bytes a chunk")
        #expect(written == transfer.chunks && transfer.session.receivedBytes == transfer.chunks * 505)
        print(
            "chunks in packets of \(packetLength): \(Double(blocks) / Double(written)) allocations each, \(bytes / written) bytes"
        )
    }
    /// Compares the minimum of several runs with the time of the CRC, which every byte needs anyway. Copying
    /// all earlier bytes with each chunk would take some hundred times as long.
    @Test func aChunkCostsLittleMoreThanItsCRC() throws {
        let clock = ContinuousClock()
        let transfer = try Transfer(bytes: 1_000_000, packetLength: 251)
        let payloads = transfer.packets.map { $0[...] }
        let times = (0..<5).map { _ in
            var fresh = transfer
            return (
                host: clock.measure { _ = fresh.run() },
                crc: clock.measure { for payload in payloads { _ = CRC16.kermit(payload) } }
            )
        }
        let host = times.map(\.host).min() ?? .zero
        let crc = times.map(\.crc).min() ?? .zero
        let rate = 1_000_000 / Double(host.components.attoseconds) * 1e12
        print("HCI packets to message: \(rate) MB/s, \(host / crc) times the CRC alone")
        #expect(host < crc * 40)
    }
}
