import Encoding
import Testing

@testable import BluetoothHost

/// Requirements of the Bluetooth SIG's test suites for a peripheral that no other suite here covers
/// (docs/bluetooth-tests.md has the list).
@Suite("Bluetooth host: qualification")
struct QualificationTests {
    /// A client that sends requests without waiting for answers gets all answers, one for each request, in
    /// order.
    @Test func requestsWithoutWaitingAreAnsweredInOrder() {
        var bench = Bench.connected()
        let handles = (0..<12).map {
            [Bench.Handle.deviceName, Bench.Handle.appearance, Bench.Handle.readIndicate][$0 % 3]
        }
        for handle in handles { bench.att([0x0A, handle, 0]) }
        let answers = handles.map { handle -> [UInt8] in
            switch handle {
            case Bench.Handle.deviceName: [0x0B] + Array("Gate".utf8)
            case Bench.Handle.appearance: [0x0B, 0, 0]
            default: [0x0B] + Array(0..<22)
            }
        }
        #expect(bench.values == answers)
    }

    /// Discovers all services as a client does: each request begins after the end handle that the last answer
    /// reported.
    @Test func allServicesAreFound() {
        var bench = Bench.connected()
        var (start, found): (UInt16, [[UInt8]]) = (1, [])
        while let answer = bench.ask([0x10, UInt8(start & 0xFF), UInt8(start >> 8), 0xFF, 0xFF, 0x00, 0x28]),
            answer[0] == 0x11
        {
            let entries = stride(from: 2, to: answer.count, by: Int(answer[1])).map {
                Array(answer[$0..<$0 + Int(answer[1])])
            }
            found += entries
            start = entries.last.map { UInt16($0[2]) | UInt16($0[3]) << 8 } ?? .max
            start += 1
        }
        #expect(found == [[1, 0, 5, 0, 0x00, 0x18], [6, 0, 9, 0, 0x01, 0x18], [10, 0, 21, 0, 0x01, 0x00]])
    }

    /// No service includes another, and a client that asks for included services gets an error.
    @Test func noServiceIncludesAnother() {
        var bench = Bench.connected()
        #expect(bench.ask([0x08, 1, 0, 0xFF, 0xFF, 0x02, 0x28]) == [0x01, 0x08, 1, 0, 0x0A])
    }

    /// Finds a characteristic by its type: the client reads the declarations and compares types of both
    /// sizes.
    @Test func characteristicsAreFoundByTheirType() {
        var bench = Bench.connected()
        bench.att([0x02, 0x05, 0x02])
        var (start, types): (UInt8, [[UInt8]]) = (1, [])
        while let answer = bench.ask([0x08, start, 0, 0xFF, 0xFF, 0x03, 0x28]), answer[0] == 0x09 {
            for place in stride(from: 2, to: answer.count, by: Int(answer[1])) {
                types.append(Array(answer[place + 5..<place + Int(answer[1])]))
                start = answer[place] + 1
            }
        }
        #expect(types.map(\.count) == [2, 2, 2, 16, 16, 16, 2])
        #expect(types.last == [0x37, 0x20])
    }

    /// Every Pairing Request is refused as not supported, regardless of its capabilities, out-of-band data, bonding,
    /// protection, secure connections, key sizes (too small or too large) and keys to distribute.
    @Test func pairingIsRefusedWhateverIsAskedFor() {
        var random = SeededRandom(seed: 4)
        for _ in 0..<200 {
            var bench = Bench.connected()
            let request = [0x01] + (0..<6).map { _ in random.byte() }
            for packet in Packets.acl(6, request) { bench.give(.received(packet)) }
            #expect(bench.heard.map(\.frame) == [L2CAPFrame(channel: 6, payload: [0x05, 0x05])])
        }
    }

    /// Confirm, random, public key, check and key PDUs without a pairing get the same answer and change no state: the
    /// next PDU gets the same answer as the first.
    @Test func pairingOutOfTurnLeadsNowhere() {
        var bench = Bench.connected()
        let sizes: [UInt8: Int] = [
            0x03: 16, 0x04: 16, 0x06: 16, 0x07: 10, 0x08: 16, 0x09: 7, 0x0A: 16, 0x0C: 64, 0x0D: 16, 0x0E: 1,
        ]
        for (code, size) in sizes.sorted(by: { $0.key < $1.key }) {
            bench.forget()
            for packet in Packets.acl(6, [code] + [UInt8](repeating: 0xA5, count: size)) {
                bench.give(.received(packet))
            }
            #expect(bench.heard.map(\.frame) == [L2CAPFrame(channel: 6, payload: [0x05, 0x05])], "code \(code)")
        }
    }

    /// Advertising is connectable, scannable and undirected, on all channels, from a random address.
    @Test func advertisingIsUndirectedAndConnectable() throws {
        var bench = Bench()
        bench.give(.start)
        bench.give(.advertise([Bench.advertisement]))
        let parameters = try #require(
            bench.controller.commands.first { $0.opcode == .leSetAdvertisingParameters }?.parameters)
        #expect(parameters.count == 15)
        #expect(parameters[4] == 0 && parameters[5] == 1)  // ADV_IND, random
        #expect(parameters[13] == 0b111 && parameters[14] == 0)  // all channels, no filter
    }
}
