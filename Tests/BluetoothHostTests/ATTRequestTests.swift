import Encoding
import Testing

@testable import BluetoothHost

/// One request and its answer, as hexadecimal text; nil if there is no answer.
struct Exchange: Sendable, CustomTestStringConvertible {
    let name: String
    let request: String
    let answer: String?

    init(_ name: String, _ request: String, _ answer: String?) {
        self.name = name
        self.request = request.filter { $0 != " " }
        self.answer = answer?.filter { $0 != " " }
    }

    var testDescription: String { name }
}

/// Every request of the Core Specification (Vol 3 Part F), in valid and invalid forms, at an MTU of 23.
///
/// The attribute table is that of ``Bench``: 1–5 Generic Access, 6–9 Generic Attribute, 10–21 the test's service.
@Suite("Bluetooth host: ATT requests")
struct ATTRequestTests {
    static let discovery = [
        // Find Information: first 2-byte types, then 16-byte types. One answer has types of one size only.
        Exchange(
            "find information, 16-bit types", "04 0100 ffff", "05 01 0100 0028 0200 0328 0300 002a 0400 0328 0500 012a"),
        Exchange("find information, ends at a 128-bit type", "04 0a00 ffff", "05 01 0a00 0028 0b00 0328"),
        Exchange(
            "find information, 128-bit type", "04 0c00 ffff", "05 02 0c00 773a0f45f2d60e9e4a44265006000000"),
        Exchange("find information, one handle", "04 1200 1200", "05 01 1200 0229"),
        Exchange("find information, last handle", "04 1500 ffff", "05 01 1500 0229"),
        Exchange("find information, beyond the end", "04 1600 ffff", "01 04 1600 0a"),
        Exchange("find information, start 0", "04 0000 ffff", "01 04 0000 01"),
        Exchange("find information, reversed", "04 0500 0400", "01 04 0500 01"),
        Exchange("find information, short", "04 0100 ff", "01 04 0000 04"),
        Exchange("find information, long", "04 0100 ffff 00", "01 04 0000 04"),
        // Find By Type Value.
        Exchange("find service 0x0001", "06 0100 ffff 0028 0100", "07 0a00 1500"),
        Exchange("find service 0x1801", "06 0100 ffff 0028 0118", "07 0600 0900"),
        Exchange("find a value that is no group", "06 0100 ffff 002a 47617465", "07 0300 0300"),
        // Characteristics are groups too (Vol 3 Part G 2.5.3).
        Exchange("find a characteristic by its declaration", "06 0100 ffff 0328 02 0300 002a", "07 0200 0300"),
        Exchange("find one with a descriptor", "06 0100 ffff 0328 20 0800 052a", "07 0700 0900"),
        Exchange(
            "find all client configurations by value", "06 0100 ffff 0229 0000",
            "07 0900 0900 0f00 0f00 1200 1200 1500 1500"),
        Exchange("find an unreadable value", "06 0100 ffff 3720", "01 06 0100 0a"),
        Exchange("find service, other value", "06 0100 ffff 0028 0200", "01 06 0100 0a"),
        Exchange("find service, above it", "06 0b00 ffff 0028 0100", "01 06 0b00 0a"),
        Exchange("find service, start 0", "06 0000 ffff 0028 0100", "01 06 0000 01"),
        Exchange("find service, reversed", "06 0500 0400 0028 0100", "01 06 0500 01"),
        Exchange("find service, short", "06 0100 ffff 00", "01 06 0000 04"),
        // Read By Type.
        Exchange("read by type, characteristics", "08 0100 0500 0328", "09 07 0200 02 0300 002a 0400 02 0500 012a"),
        Exchange(
            "read by type, 128-bit characteristic", "08 0a00 ffff 0328",
            "09 15 0b00 0c 0c00 773a0f45f2d60e9e4a44265006000000"),
        Exchange(
            "read by type, ends at another length", "08 1000 ffff 0328",
            "09 15 1000 20 1100 773a0f45f2d60e9e4a4426500a000000"),
        Exchange("read by type, device name", "08 0100 ffff 002a", "09 06 0300 47617465"),
        Exchange(
            "read by type, the same as 128-bit UUID", "08 0100 ffff fb349b5f80000080 00100000 002a0000",
            "09 06 0300 47617465"),
        Exchange(
            "read by type, value cut to MTU - 4", "08 0100 ffff 773a0f45f2d60e9e4a44265004000000",
            "09 15 0e00 000102030405060708090a0b0c0d0e0f101112"),
        Exchange(
            "read by type, client configurations", "08 0100 ffff 0229", "09 04 0900 0000 0f00 0000 1200 0000 1500 0000"),
        Exchange("read by type, first is not readable", "08 0100 ffff 3720", "01 08 1400 02"),
        Exchange("read by type, none", "08 0100 ffff 0a28", "01 08 0100 0a"),
        Exchange("read by type, start 0", "08 0000 ffff 0328", "01 08 0000 01"),
        Exchange("read by type, reversed", "08 0500 0400 0328", "01 08 0500 01"),
        Exchange("read by type, 4-byte UUID", "08 0100 ffff 03280000", "01 08 0000 04"),
        Exchange("read by type, short", "08 0100 ffff 03", "01 08 0000 04"),
        Exchange("read by type, empty", "08", "01 08 0000 04"),
        // Read By Group Type.
        Exchange("services", "10 0100 ffff 0028", "11 06 0100 0500 0018 0600 0900 0118 0a00 1500 0100"),
        Exchange("services, from the second", "10 0200 ffff 0028", "11 06 0600 0900 0118 0a00 1500 0100"),
        Exchange("services, none left", "10 0b00 ffff 0028", "01 10 0b00 0a"),
        Exchange("secondary services", "10 0100 ffff 0128", "01 10 0100 0a"),
        Exchange("groups of another type", "10 0100 ffff 0328", "01 10 0100 10"),
        Exchange("groups of an unknown 128-bit type", "10 0100 ffff 773a0f45f2d60e9e4a44265004000000", "01 10 0100 10"),
        Exchange("services, start 0", "10 0000 ffff 0028", "01 10 0000 01"),
        Exchange("services, reversed", "10 0300 0200 0028", "01 10 0300 01"),
        Exchange("services, short", "10 0100 ffff", "01 10 0000 04"),
    ]

    static let reading = [
        Exchange("read device name", "0a 0300", "0b 47617465"),
        Exchange("read appearance", "0a 0500", "0b 0000"),
        Exchange("read a service declaration", "0a 0a00", "0b 0100"),
        Exchange("read a long value", "0a 0e00", "0b 000102030405060708090a0b0c0d0e0f101112131415"),
        Exchange("read a client configuration never written", "0a 1200", "0b 0000"),
        Exchange("read what is write-only", "0a 0c00", "01 0a 0c00 02"),
        Exchange("read what is indicate-only", "0a 1100", "01 0a 1100 02"),
        Exchange("read handle 0", "0a 0000", "01 0a 0000 01"),
        Exchange("read beyond the end", "0a 1600", "01 0a 1600 01"),
        Exchange("read the highest handle", "0a ffff", "01 0a ffff 01"),
        Exchange("read, short", "0a 03", "01 0a 0000 04"),
        Exchange("read, long", "0a 0300 00", "01 0a 0000 04"),
        Exchange("read blob", "0c 0e00 1600", "0d 161718191a1b1c1d1e1f202122232425262728292a2b"),
        Exchange("read blob, the last part", "0c 0e00 6200", "0d 6263"),
        Exchange("read blob, at the end", "0c 0e00 6400", "0d"),
        Exchange("read blob, beyond the end", "0c 0e00 6500", "01 0c 0e00 07"),
        Exchange("read blob of what is write-only", "0c 0c00 0000", "01 0c 0c00 02"),
        Exchange("read blob of nothing", "0c 1600 0000", "01 0c 1600 01"),
        Exchange("read blob, short", "0c 0e00 00", "01 0c 0000 04"),
        Exchange("read multiple", "0e 0300 0500", "0f 47617465 0000"),
        Exchange(
            "read multiple, cut at the MTU", "0e 0300 0e00 0500", "0f 47617465 000102030405060708090a0b0c0d0e0f1011"),
        Exchange("read multiple, one not readable", "0e 0300 0c00 0500", "01 0e 0c00 02"),
        Exchange("read multiple, unreadable behind the cut", "0e 0e00 0e00 0c00", "01 0e 0c00 02"),
        Exchange("read multiple, one missing", "0e 0300 1600", "01 0e 1600 01"),
        Exchange("read multiple, only one", "0e 0300", "01 0e 0000 04"),
        Exchange("read multiple, none", "0e", "01 0e 0000 04"),
        Exchange("read multiple, odd", "0e 0300 0500 01", "01 0e 0000 04"),
        Exchange("read multiple variable", "20 0300 0500", "21 0400 47617465 0200 0000"),
        Exchange(
            "read multiple variable, cut at the MTU", "20 0300 0e00",
            "21 0400 47617465 6400 000102030405060708090a0b0c0d"),
        Exchange("read multiple variable, one not readable", "20 0300 1100", "01 20 1100 02"),
        Exchange("read multiple variable, only one", "20 0300", "01 20 0000 04"),
    ]

    static let writing = [
        Exchange("write", "12 0c00 010203", "13"),
        Exchange("write nothing", "12 0c00", "13"),
        Exchange("write without a handle", "12 0c", "01 12 0000 04"),
        Exchange("write handle 0", "12 0000 01", "01 12 0000 01"),
        Exchange("write beyond the end", "12 1600 01", "01 12 1600 01"),
        Exchange("write a declaration", "12 0a00 01", "01 12 0a00 03"),
        Exchange("write what is read-only", "12 0300 01", "01 12 0300 03"),
        Exchange("write what is indicate-only", "12 1100 01", "01 12 1100 03"),
        Exchange("want notifications", "12 1200 0100", "13"),
        Exchange("want indications", "12 1200 0200", "13"),
        Exchange("want nothing", "12 1200 0000", "13"),
        Exchange("want notifications of a notify-only characteristic", "12 1500 0100", "13"),
        Exchange("want Service Changed", "12 0900 0200", "13"),
        Exchange("want both", "12 1200 0300", "01 12 1200 fd"),
        Exchange("want something reserved", "12 1200 0400", "01 12 1200 fd"),
        Exchange("client configuration of 1 byte", "12 1200 01", "01 12 1200 0d"),
        Exchange("client configuration of 3 bytes", "12 1200 010000", "01 12 1200 0d"),
        Exchange("prepare write", "16 0c00 0000 01", "01 16 0000 06"),
        Exchange("prepare write, short", "16", "01 16 0000 06"),
        Exchange("execute write", "18 01", "01 18 0000 06"),
        Exchange("cancel writes", "18 00", "01 18 0000 06"),
        Exchange("write command", "52 0c00 01", nil),
        Exchange("write command to nothing", "52 1600 01", nil),
        Exchange("write command to what is read-only", "52 0300 01", nil),
        Exchange("write command without a handle", "52 0c", nil),
        Exchange("write command, bad client configuration", "52 1200 0300", nil),
        Exchange("signed write command", "d2 0c00 01 000000000000000000000000", nil),
    ]

    static let others = [
        Exchange("MTU, short", "02 05", "01 02 0000 04"),
        Exchange("MTU, long", "02 0502 00", "01 02 0000 04"),
        Exchange("an unknown request", "24 0000", "01 24 0000 06"),
        Exchange("opcode 0", "00", "01 00 0000 06"),
        Exchange("an unknown request with the signature bit", "92 0c00", "01 92 0000 06"),
        Exchange("an unknown command", "40 0000", nil),
        Exchange("an unknown command with the signature bit", "ff", nil),
        Exchange("confirmation of nothing", "1e", nil),
        Exchange("an indication of the phone's own server", "1d 0300 01", "1e"),
        Exchange("a notification of the phone's own server", "1b 0300 01", nil),
        Exchange("a multiple notification", "23 0300 0100 01", nil),
        Exchange("an error response", "01 0a 0300 0a", nil),
        Exchange("an MTU response", "03 0502", nil),
        Exchange("a read response", "0b 00", nil),
        Exchange("a write response", "13", nil),
        Exchange("nothing at all", "", nil),
    ]

    @Test(arguments: discovery + reading + writing + others)
    func answer(_ exchange: Exchange) {
        var bench = Bench.connected()
        let answer = bench.ask(Hex.decode(exchange.request)!)
        #expect(answer.map { Hex.encode($0) } == exchange.answer)
        // There is never more than one answer, and the connection stays open.
        #expect(bench.values.count == (exchange.answer == nil ? 0 : 1))
        #expect(bench.ask([0x0A, 0x03, 0x00]) == [0x0B] + Array("Gate".utf8))
    }

    @Test func everyRequestOpcodeIsInTheTable() {
        let requests: Set<UInt8> = [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20]
        let tested = (Self.discovery + Self.reading + Self.writing + Self.others)
            .compactMap { Hex.decode($0.request)?.first }
        #expect(requests.isSubset(of: tested))
    }

    /// Sends all 256 opcodes without parameters. A request gets one answer; a command or an answer gets none.
    @Test func everyOpcodeByItself() {
        let answers: Set<UInt8> = [
            0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1E, 0x21, 0x23,
        ]
        for opcode in UInt8.min...UInt8.max {
            var bench = Bench.connected()
            let answer = bench.ask([opcode])
            if answers.contains(opcode) || opcode & 0x40 != 0 {
                #expect(answer == nil, "opcode \(opcode)")
            } else if opcode == 0x1D {
                #expect(answer == [0x1E])
            } else {
                #expect(answer?.prefix(4) == [0x01, opcode, 0, 0], "opcode \(opcode)")
            }
        }
    }

    @Test func largeMTUFillsAnswers() {
        var bench = Bench.connected()
        bench.att([0x02, 0x05, 0x02])
        #expect(bench.ask([0x0A, 0x0E, 0x00]) == [0x0B] + Array(0..<100))
        let information = bench.ask([0x04, 0x01, 0x00, 0xFF, 0xFF])
        #expect(information?.count == 2 + 11 * 4)  // Eleven 16-bit types, then the first 128-bit one ends the list.
        #expect(bench.ask([0x08, 10, 0, 0xFF, 0xFF, 0x03, 0x28])?.count == 2 + 3 * 21)
    }

    /// The length field of an entry is one byte, so a long value is cut to 253 bytes, even with a larger MTU (3.4.4.2).
    @Test func entriesStayBelow256Bytes() {
        let long = CharacteristicDefinition(
            id: .init(rawValue: 1), uuid: BluetoothUUID(short: 0xAAAA), properties: .read,
            value: [UInt8](repeating: 7, count: 600))
        var bench = Bench(services: [ServiceDefinition(uuid: BluetoothUUID(short: 0xBBBB), characteristics: [long])])
        bench.give(.start)
        bench.give(.received(Packets.connectionComplete()))
        bench.att([0x02, 0x05, 0x02])
        let answer = bench.ask([0x08, 0x01, 0x00, 0xFF, 0xFF, 0xAA, 0xAA])
        #expect(answer?.count == 2 + 2 + 253)
        #expect(answer?.prefix(4) == [0x09, 255, 12, 0])
        #expect(bench.ask([0x0A, 12, 0])?.count == 1 + 512)
        #expect(bench.ask([0x0C, 12, 0, 0x00, 0x02]) == [0x0D])
        #expect(bench.ask([0x0C, 12, 0, 0x01, 0x02]) == [0x01, 0x0C, 12, 0, 0x07])
    }
}
