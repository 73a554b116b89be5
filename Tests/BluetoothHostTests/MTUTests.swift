import Encoding
import Testing

@testable import BluetoothHost

/// Exchange MTU, the procedure that causes most interoperability problems.
@Suite("Bluetooth host: MTU")
struct MTUTests {
    @Test(arguments: [
        (0, 23), (1, 23), (22, 23), (23, 23), (64, 64), (100, 100), (185, 185), (247, 247), (512, 512), (515, 515),
        (517, 517),
        (518, 517), (527, 517), (65535, 517),
    ])
    func exchange(client: Int, effective: Int) {
        var bench = Bench.connected()
        let request = [0x02, UInt8(client & 0xFF), UInt8(client >> 8)]
        #expect(bench.att(request) == [.mtuChanged(Bench.phone, effective)])
        #expect(bench.values == [[0x03, 0x05, 0x02]])
        let longest = [UInt8](repeating: 1, count: min(effective - 3, 512))
        #expect(
            bench.give(.notify(Bench.phone, Bench.ID.indicate, longest))
                == [.delivered(Bench.phone, Bench.ID.indicate, confirmed: false)])
        #expect(bench.values.last?.count == longest.count + 3)
        #expect(
            bench.give(.notify(Bench.phone, Bench.ID.indicate, longest + [1]))
                == [.notDelivered(Bench.phone, Bench.ID.indicate, .tooLong)])
    }

    /// The Android wallet requests 512, 185 and 100 in turn and gives up after a single error.
    @Test func answeredTheSameEachTime() {
        var bench = Bench.connected()
        for (client, effective) in [(512, 512), (185, 185), (100, 100), (517, 517), (517, 517)] {
            let request = [0x02, UInt8(client & 0xFF), UInt8(client >> 8)]
            #expect(bench.ask(request) == [0x03, 0x05, 0x02])
            #expect(bench.told.last == .mtuChanged(Bench.phone, effective))
        }
    }

    @Test func beginsAnewWithEachConnection() {
        var bench = Bench.connected()
        bench.att([0x02, 0x05, 0x02])
        bench.give(.received(Packets.disconnectionComplete()))
        bench.give(.advertise([Bench.advertisement]))
        bench.give(.received(Packets.connectionComplete()))
        #expect(
            bench.give(.notify(Bench.phone, Bench.ID.notify, [UInt8](repeating: 0, count: 21)))
                == [.notDelivered(Bench.phone, Bench.ID.notify, .tooLong)])
    }

    @Test func longestWrites() {
        var bench = Bench.connected()
        bench.att([0x02, 0x05, 0x02])
        let value = [UInt8](repeating: 9, count: 512)
        #expect(
            bench.att([0x52, Bench.Handle.write, 0] + value)
                == [.written(Bench.phone, Bench.ID.write, value, withResponse: false)])
        // 513 and 514 bytes fit the MTU, but no attribute is that long.
        #expect(bench.att([0x52, Bench.Handle.write, 0] + value + [9]) == [])
        #expect(bench.ask([0x12, Bench.Handle.write, 0] + value + [9]) == [0x01, 0x12, Bench.Handle.write, 0, 0x0D])
    }

    /// The host never sends a request of its own.
    @Test func noRequestOfOurOwn() {
        var bench = Bench.connected()
        bench.att([0x02, 0x05, 0x02])
        bench.pass(.seconds(60))
        #expect(bench.values.count == 1)
    }
}
