import Encoding
import Testing

@testable import BluetoothHost

/// The small value types, each by itself.
@Suite("Bluetooth host: values")
struct ValueTests {
    @Test(arguments: [
        ("00002902-0000-1000-8000-00805F9B34FB", "0x2902"), ("00000001-0000-1000-8000-00805f9b34fb", "0x0001"),
        ("00000006-5026-444A-9E0E-D6F2450F3A77", "00000006-5026-444a-9e0e-d6f2450f3a77"),
        ("00012902-0000-1000-8000-00805F9B34FB", "00012902-0000-1000-8000-00805f9b34fb"),
    ])
    func uuidText(text: String, description: String) {
        #expect(BluetoothUUID(text)?.description == description)
    }

    @Test(arguments: [
        "", "2902", "000029020000100080000080 5F9B34FB", "00002902-0000-1000-8000-00805F9B34F",
        "00002902-0000-1000-8000-00805F9B34FG", "00002902-0000-1000-8000000805F9B34FB",
        "00002902_0000-1000-8000-00805F9B34FB",
        "0000290２-0000-1000-8000-00805F9B34F",
    ])
    func noUUID(text: String) {
        #expect(BluetoothUUID(text) == nil)
    }

    @Test func uuidBytes() {
        let short = BluetoothUUID(short: 0x2902)
        #expect(short.littleEndian == [0x02, 0x29])
        #expect(BluetoothUUID(littleEndian: [0x02, 0x29]) == short)
        let base = Hex.decode("fb349b5f8000008000100000")! + [0x02, 0x29, 0, 0]
        #expect(BluetoothUUID(littleEndian: base) == short)
        let long = BluetoothUUID("00000006-5026-444A-9E0E-D6F2450F3A77")
        #expect(long.map { Hex.encode($0.littleEndian) } == "773a0f45f2d60e9e4a44265006000000")
        #expect(long?.short == nil)
        for count in [0, 1, 3, 4, 15, 17] {
            #expect(BluetoothUUID(littleEndian: [UInt8](repeating: 0, count: count)) == nil)
        }
    }

    @Test func addressOfTheWrongLength() {
        #expect(DeviceAddress(bytes: [1, 2], isRandom: false).bytes == [1, 2, 0, 0, 0, 0])
        #expect(DeviceAddress(bytes: 1...8, isRandom: false).bytes == [1, 2, 3, 4, 5, 6])
    }

    @Test func handlesHaveTwelveBits() {
        #expect(ConnectionHandle(rawValue: 0x2EFF).rawValue == 0x0EFF)
    }

    /// The same definitions give the same handles. A service that does not fit is omitted as a whole.
    @Test func handlesAreStableAndBounded() {
        let many = (0..<10_000).map { number in
            CharacteristicDefinition(
                id: .init(rawValue: UInt16(number)), uuid: BluetoothUUID(short: 0xAAAA), properties: [.read, .notify])
        }
        let huge = ServiceDefinition(uuid: BluetoothUUID(short: 0xBBBB), characteristics: many)
        let database = AttributeDatabase(deviceName: "", appearance: 0, services: [huge, huge, huge, Bench.service])
        // The third service does not fit. The small service after it does.
        #expect(database.attributes.count == 9 + 2 * 30_001 + 12)
        for (index, attribute) in database.attributes.enumerated() { #expect(Int(attribute.handle) == index + 1) }
        let again = AttributeDatabase(deviceName: "Other", appearance: 7, services: [Bench.service])
        let first = AttributeDatabase(deviceName: "Gate", appearance: 0, services: [Bench.service])
        #expect(again.attributes.map(\.handle) == first.attributes.map(\.handle))
        #expect(again.attributes.map(\.type) == first.attributes.map(\.type))
    }

    @Test func valuesAreCutToTheirLongest() {
        let name = String(repeating: "é", count: 200)
        let database = AttributeDatabase(deviceName: name, appearance: 0, services: [])
        var server = ATTServer(database: database, receiveMTU: 517)
        _ = server.receive([0x02, 0x05, 0x02])
        guard let answer = server.receive([0x0A, 3, 0]).response else {
            Issue.record("no answer")
            return
        }
        #expect(answer.count == 1 + 248)
    }

    @Test(arguments: [(0, 23), (23, 23), (185, 185), (517, 517), (65535, 517)])
    func serverMTUIsBounded(set: Int, used: Int) {
        var bench = Bench(configure: { $0.serverMTU = set })
        bench.give(.start)
        bench.give(.received(Packets.connectionComplete()))
        #expect(bench.ask([0x02, 0xFF, 0xFF]) == [0x03, UInt8(used & 0xFF), UInt8(used >> 8)])
    }

    @Test func commandQueueIsBounded() {
        var queue = CommandQueue(limits: Limits())
        let phone = ConnectionHandle(rawValue: 1)
        for _ in 0..<100 {
            queue.enqueue(.leLongTermKeyRequestNegativeReply(phone))
            queue.enqueue(.disconnect(phone, .userTerminated))
        }
        #expect(queue.count == 32)  // one of them is a disconnection
        queue.enqueue(.disconnect(phone, .lowResources))
        #expect(queue.count == 33)
        queue.forget(phone)
        #expect(queue.count == 0)
    }

    @Test func earlyPacketsAreBounded() {
        var early = EarlyPackets(limits: Limits())
        for number in 0..<20 {
            let packet = Packets.piece([UInt8(number)], handle: 0x40, boundary: 2)
            if let packet = ACLPacket(packet: packet) { early.keep(packet, at: .zero) }
        }
        if let long = ACLPacket(packet: Packets.piece([UInt8](repeating: 0, count: 522), boundary: 2)) {
            early.keep(long, at: .zero)
        }
        #expect(early.take(for: Bench.phone, at: .zero).map { $0.data.first } == (0..<8).map { UInt8($0) })
        #expect(early.take(for: Bench.phone, at: .zero) == [])
    }
}
