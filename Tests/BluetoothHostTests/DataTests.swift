import Encoding
import Testing

@testable import BluetoothHost

/// Data packets in both directions: fragments, credits, and the order of links.
@Suite("Bluetooth host: data")
struct DataTests {
    // MARK: Reassembly

    @Test(arguments: [1, 2, 3, 4, 5, 20, 27, 251, 600])
    func piecesOfAnySize(size: Int) {
        var bench = Bench.connected()
        bench.att([0x02, 0x05, 0x02])
        let value = (0..<509).map { UInt8(truncatingIfNeeded: $0) }
        var news: [HostAction] = []
        for packet in Packets.acl(4, [0x52, Bench.Handle.write, 0] + value, size: size) {
            news += bench.give(.received(packet))
        }
        #expect(news == [.written(Bench.phone, Bench.ID.write, value, withResponse: false)])
    }

    @Test(arguments: [0, 2, 3])
    func everyKindOfStart(boundary: Int) {
        var bench = Bench.connected()
        let bytes = L2CAPFrame(channel: 4, payload: [0x0A, 3, 0]).bytes
        bench.give(.received(Packets.piece(bytes, boundary: UInt16(boundary))))
        #expect(bench.values.count == 1)
    }

    @Test func piecesThatDoNotFit() {
        let request = L2CAPFrame(channel: 4, payload: [0x0A, 3, 0]).bytes
        let start = Packets.piece(Array(request[..<5]), boundary: 2)
        let rest = Packets.piece(Array(request[5...]), boundary: 1)
        let cases: [(String, [[UInt8]], Int)] = [
            ("a rest without a start", [rest], 0),
            ("a start twice", [start, start, rest], 1),
            ("a rest twice", [start, rest, rest], 1),
            ("more than the length says", [Packets.piece(request + [0], boundary: 2)], 0),
            ("a rest that is too long", [start, Packets.piece(Array(request[5...]) + [0], boundary: 1), rest], 0),
            ("empty packets between", [start, Packets.piece([], boundary: 1), rest], 1),
            ("an empty start", [Packets.piece([], boundary: 2), rest], 0),
            (
                "a header in two pieces",
                [Packets.piece([3], boundary: 2), Packets.piece(Array(request[1...]), boundary: 1)], 1
            ),
            (
                "longer than any PDU of ours",
                [Packets.piece([6, 2, 4, 0] + [UInt8](repeating: 0, count: 518), boundary: 2)], 0
            ),
            (
                "announced longer, in pieces",
                [Packets.piece([0xFF, 0xFF, 4, 0, 0x0A, 3, 0], boundary: 2), rest, rest], 0
            ),
            ("another connection", [Packets.piece(request, handle: 0x41, boundary: 2)], 0),
        ]
        for (name, packets, answers) in cases {
            var bench = Bench.connected()
            for packet in packets { bench.give(.received(packet)) }
            #expect(bench.values.count == answers, "\(name)")
            // The next PDU is accepted in any case.
            #expect(bench.ask([0x0A, 3, 0]) != nil, "\(name)")
        }
    }

    @Test func twoConnectionsInterleaved() {
        var bench = Bench.connected()
        bench.give(.received(Packets.connectionComplete(0x41)))
        let first = Packets.acl(4, [0x12, Bench.Handle.write, 0] + Array(1...60), handle: 0x40, size: 27)
        let second = Packets.acl(4, [0x12, Bench.Handle.write, 0] + Array(101...160), handle: 0x41, size: 27)
        var news: [HostAction] = []
        for (a, b) in zip(first, second) {
            news += bench.give(.received(a))
            news += bench.give(.received(b))
        }
        let other = ConnectionHandle(rawValue: 0x41)
        #expect(
            news == [
                .written(Bench.phone, Bench.ID.write, Array(1...60), withResponse: true),
                .written(other, Bench.ID.write, Array(101...160), withResponse: true),
            ])
        bench.att([0x02, 100, 0])
        #expect(bench.give(.notify(other, Bench.ID.notify, [UInt8](repeating: 0, count: 50))).count == 1)
        #expect(
            bench.give(.notify(other, Bench.ID.notify, [UInt8](repeating: 0, count: 50)))
                == [.notDelivered(other, Bench.ID.notify, .tooLong)])
    }

    @Test func dataBeforeItsConnection() {
        var bench = Bench()
        bench.give(.start)
        bench.give(.advertise([Bench.advertisement]))
        #expect(bench.att([0x02, 0x05, 0x02]) == [])
        let news = bench.give(.received(Packets.connectionComplete()))
        #expect(news.last == .mtuChanged(Bench.phone, 517))
        #expect(bench.values == [[0x03, 0x05, 0x02]])
    }

    @Test func dataBeforeItsConnectionIsNotKeptForLong() {
        var late = Bench()
        late.give(.start)
        late.give(.advertise([Bench.advertisement]))
        late.att([0x02, 0x05, 0x02])
        late.pass(.milliseconds(101))
        late.give(.received(Packets.connectionComplete()))
        #expect(late.values == [])
        // Data that arrives after the end of a connection is not passed to the next connection with the same
        // handle.
        var bench = Bench.connected()
        bench.give(.received(Packets.disconnectionComplete()))
        bench.att([0x52, Bench.Handle.write, 0, 1])
        bench.give(.advertise([Bench.advertisement]))
        #expect(bench.give(.received(Packets.connectionComplete())).count == 2)
    }

    // MARK: Sending

    @Test func fragmentsOf27Bytes() {
        var controller = FakeController()
        controller.aclLength = 27
        var bench = Bench.connected(controller)
        bench.att([0x02, 0x05, 0x02])
        bench.forget()
        bench.give(.notify(Bench.phone, Bench.ID.notify, Array(0..<100)))
        #expect(bench.dataPackets.map { $0.count - 5 } == [27, 27, 27, 26])
        // The packet boundary flag is 0b00 in the first fragment and 0b01 in the others.
        #expect(bench.dataPackets.map { $0[2] >> 4 } == [0, 1, 1, 1])
        #expect(bench.values == [[0x1B, Bench.Handle.notify, 0] + Array(0..<100)])
    }

    @Test func neverMoreThanTheControllerHolds() {
        var controller = FakeController()
        controller.aclLength = 27
        controller.aclPackets = 2
        controller.completesData = false
        var bench = Bench.connected(controller)
        bench.att([0x02, 0x05, 0x02])  // the answer takes the link's only buffer, the parameter request waits
        #expect(bench.dataPackets.count == 1)
        #expect(bench.give(.notify(Bench.phone, Bench.ID.notify, Array(0..<100))) == [])
        #expect(bench.dataPackets.count == 1)
        // A completed-packets count for another connection changes nothing, and a count that is too high is
        // reduced.
        bench.give(.received([0x04, 0x13, 5, 1, 0x41, 0x00, 5, 0]))
        #expect(bench.dataPackets.count == 1)
        bench.give(.received([0x04, 0x13, 5, 1, 0x40, 0x00, 1, 0]))
        #expect(bench.dataPackets.count == 2)
        // Four fragments are sent, one each time the buffer is returned.
        for sent in 3...5 {
            #expect(bench.give(.received([0x04, 0x13, 5, 1, 0x40, 0x00, 0xFF, 0xFF])) == [])
            #expect(bench.dataPackets.count == sent)
        }
        #expect(bench.give(.received([0x04, 0x13, 5, 1, 0x40, 0x00, 1, 0])).count == 1)
        #expect(bench.dataPackets.count == 6)
    }

    @Test func buffersComeBackWithTheEndOfAConnection() {
        var controller = FakeController()
        controller.aclPackets = 1
        controller.completesData = false
        var bench = Bench.connected(controller)
        bench.att([0x02, 0x05, 0x02])
        bench.att([0x0A, 3, 0])
        #expect(bench.dataPackets.count == 1)
        bench.give(.received(Packets.disconnectionComplete()))
        bench.give(.received(Packets.connectionComplete(0x41)))
        #expect(bench.att([0x02, 0x05, 0x02], handle: 0x41).count == 1)
        #expect(bench.dataPackets.count == 2)
    }

    @Test func twoConnectionsTakeTurns() {
        var controller = FakeController()
        controller.aclPackets = 1
        controller.completesData = false
        var bench = Bench.connected(controller)
        bench.give(.received(Packets.connectionComplete(0x41)))
        for _ in 0..<3 {
            bench.give(.notify(Bench.phone, Bench.ID.notify, [1]))
            bench.give(.notify(ConnectionHandle(rawValue: 0x41), Bench.ID.notify, [2]))
        }
        for handle: UInt8 in [0x40, 0x41, 0x40, 0x41, 0x40] {
            bench.give(.received([0x04, 0x13, 5, 1, handle, 0x00, 1, 0]))
        }
        #expect(bench.heard.map(\.handle) == [0x40, 0x41, 0x40, 0x41, 0x40, 0x41])
    }

    @Test func aPhoneThatSendsTooMuchIsDisconnected() {
        var controller = FakeController()
        controller.completesData = false
        var bench = Bench.connected(controller)
        for _ in 0..<200 { bench.att([0x0A, 3, 0]) }
        #expect(bench.dataPackets.count == 1)
        #expect(bench.controller.commands.last?.opcode == .disconnect)
        #expect(bench.controller.commands.last?.parameters == [0x40, 0x00, 0x14])
        #expect(bench.controller.commands.filter { $0.opcode == .disconnect }.count == 1)
    }
}
