import Encoding
import Testing

@testable import BluetoothHost

/// The other fixed channels, and events that concern a link.
@Suite("Bluetooth host: signalling")
struct SignallingTests {
    @Test func fasterConnectionIsAskedForTwiceAtMost() {
        var bench = Bench.connected()
        #expect(bench.heard.isEmpty)
        bench.att([0x0A, 3, 0])
        let first = L2CAPFrame(channel: 5, payload: [0x12, 1, 8, 0, 12, 0, 12, 0, 0, 0, 0x58, 0x02])
        let second = L2CAPFrame(channel: 5, payload: [0x12, 2, 8, 0, 12, 0, 24, 0, 0, 0, 0x58, 0x02])
        #expect(bench.heard.map(\.frame).last == first)
        bench.att([0x0A, 3, 0])
        func answer(_ bytes: [UInt8]) { for packet in Packets.acl(5, bytes) { bench.give(.received(packet)) } }
        bench.forget()
        answer([0x13, 9, 2, 0, 1, 0])  // the host sent no such request
        #expect(bench.heard.isEmpty)
        answer([0x13, 1, 2, 0, 1, 0])
        #expect(bench.heard.map(\.frame) == [second])
        answer([0x13, 1, 2, 0, 1, 0])
        answer([0x13, 2, 2, 0, 1, 0])
        #expect(bench.heard.count == 1)
    }

    @Test(
        arguments: [[0x13, 1, 2, 0, 0, 0], [0x01, 1, 2, 0, 0, 0], [0x13, 1, 0, 0], [0x13, 1, 2, 0, 7, 7]] as [[UInt8]])
    func noSecondRequest(after answer: [UInt8]) {
        var bench = Bench.connected()
        bench.att([0x0A, 3, 0])
        bench.forget()
        for packet in Packets.acl(5, answer) { bench.give(.received(packet)) }
        #expect(bench.heard.isEmpty)
    }

    @Test func fastConnectionIsLeftAlone() {
        var bench = Bench()
        bench.give(.start)
        bench.give(.received(Packets.connectionComplete(interval: 12)))
        bench.att([0x0A, 3, 0])
        #expect(bench.heard.count == 1)
    }

    @Test func changedParametersAreReported() {
        var bench = Bench.connected()
        let parameters = ConnectionParameters(interval: 12, latency: 0, supervisionTimeout: 600)
        #expect(
            bench.give(.received(Packets.meta(0x03, [0, 0x40, 0, 12, 0, 0, 0, 0x58, 0x02])))
                == [.parametersChanged(Bench.phone, parameters)])
        #expect(bench.give(.received(Packets.meta(0x03, [0x3B, 0x40, 0, 12, 0, 0, 0, 0x58, 0x02]))) == [])
    }

    /// Rejects as not understood every signal that a peripheral without channels of its own cannot serve;
    /// answers are ignored.
    @Test(
        arguments: [
            ([0x12, 3, 8, 0, 6, 0, 6, 0, 0, 0, 10, 0], [0x01, 3, 2, 0, 0, 0]),  // meant for a central
            ([0x14, 4, 10, 0, 0x80, 0, 0x40, 0, 23, 0, 23, 0, 1, 0], [0x01, 4, 2, 0, 0, 0]),  // open a channel
            ([0x17, 5, 10, 0, 0x27, 0, 64, 0, 64, 0, 1, 0, 0x40, 0], [0x01, 5, 2, 0, 0, 0]),  // open enhanced ATT
            ([0x06, 6, 4, 0, 0x40, 0, 0x41, 0], [0x01, 6, 2, 0, 0, 0]),  // close a channel
            ([0x08, 7, 0, 0], [0x01, 7, 2, 0, 0, 0]),  // echo (not on LE)
            ([0x0A, 8, 2, 0, 2, 0], [0x01, 8, 2, 0, 0, 0]),  // information (not on LE)
            ([0x77, 9, 0, 0], [0x01, 9, 2, 0, 0, 0]),  // unknown
            ([0x12, 10, 9, 0, 6], [0x01, 10, 2, 0, 0, 0]),  // length too great
            ([0x0A, 11, 0, 0, 6], [0x01, 11, 2, 0, 0, 0]),  // length too small
            ([0x12, 0, 8, 0, 6, 0, 6, 0, 0, 0, 10, 0], nil),  // identifier 0
            ([0x15, 12, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], nil),  // an answer
            ([0x01, 13, 2, 0, 0, 0], nil),  // a rejection
            ([0x12, 3], nil),
            ([], nil),
        ] as [([UInt8], [UInt8]?)])
    func signalling(request: [UInt8], answer: [UInt8]?) {
        var bench = Bench.connected()
        for packet in Packets.acl(5, request) { bench.give(.received(packet)) }
        #expect(bench.heard.map(\.frame) == (answer.map { [L2CAPFrame(channel: 5, payload: $0)] } ?? []))
    }

    @Test(
        arguments: [
            ([0x01, 0x03, 0, 0x2D, 0x10, 0x0F, 0x0F], true),  // a Pairing Request like an iPhone's
            ([0x0B, 0x01], true), ([0x03] + [UInt8](repeating: 0, count: 16), true), ([0x05, 0x08], false), ([], false),
        ] as [([UInt8], Bool)])
    func pairing(request: [UInt8], isAnswered: Bool) {
        var bench = Bench.connected()
        for packet in Packets.acl(6, request) { bench.give(.received(packet)) }
        #expect(bench.heard.map(\.frame) == (isAnswered ? [L2CAPFrame(channel: 6, payload: [0x05, 0x05])] : []))
    }

    @Test(arguments: [0x0000, 0x0001, 0x0002, 0x0003, 0x0007, 0x003F, 0x0040, 0xFFFF] as [UInt16])
    func otherChannels(channel: UInt16) {
        var bench = Bench.connected()
        for packet in Packets.acl(channel, [0x0A, 3, 0]) { bench.give(.received(packet)) }
        #expect(bench.heard.isEmpty)
    }

    @Test func keyRequestIsRefused() {
        var bench = Bench.connected()
        bench.give(.received(Packets.meta(0x05, [0x40, 0] + [UInt8](repeating: 0, count: 10))))
        #expect(bench.controller.commands.last?.opcode == .leLongTermKeyRequestNegativeReply)
        #expect(bench.controller.commands.last?.parameters == [0x40, 0])
    }

    @Test func parameterRequestOfTheLinkLayerIsGranted() {
        var bench = Bench.connected()
        bench.give(.received(Packets.meta(0x06, [0x40, 0, 12, 0, 24, 0, 0, 0, 0x58, 0x02])))
        #expect(bench.controller.commands.last?.opcode == .leRemoteConnectionParameterRequestReply)
        #expect(bench.controller.commands.last?.parameters == [0x40, 0, 12, 0, 24, 0, 0, 0, 0x58, 0x02, 0, 0, 0, 0])
    }

    @Test func eventsOfNoInterest() {
        var bench = Bench.connected()
        let count = bench.controller.commands.count
        let events: [[UInt8]] = [
            Packets.meta(0x02, [1, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0xC0]),  // advertising report
            Packets.meta(0x04, [0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0]),  // remote features
            Packets.meta(0x07, [0x40, 0, 0xFB, 0, 0x48, 8, 0xFB, 0, 0x48, 8]),  // data length change
            Packets.meta(0x0C, [0, 0x40, 0, 2, 2]),  // PHY update
            Packets.meta(0x14, [0x40, 0, 1]), Packets.meta(0xFE, []),  // channel selection, unknown
            [0x04, 0x0C, 8, 0, 0x40, 0, 9, 0, 0, 0, 0], [0x04, 0x08, 4, 0, 0x40, 0, 1],  // remote version, encryption
            [0x04, 0x1A, 1, 1], [0x04, 0xFF, 3, 1, 2, 3], [0x04, 0x57, 0],  // buffer overflow, vendor's, unknown
        ]
        for event in events { #expect(bench.give(.received(event)) == []) }
        #expect(bench.controller.commands.count == count)
        #expect(bench.ask([0x0A, 3, 0]) != nil)
    }
}
