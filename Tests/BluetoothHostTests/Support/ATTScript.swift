import Encoding

@testable import BluetoothHost

/// The events on a link's attribute channel, step by step, for a host and for a model of it.
struct ATTScript {
    /// One step.
    enum Step {
        case pdu([UInt8])
        case push(CharacteristicID, [UInt8])
        /// A pause that is longer than the time limit for a confirmation.
        case silence

        var text: String {
            switch self {
            case .pdu(let pdu): "PDU " + Hex.encode(pdu)
            case .push(let id, let value): "\(value.count) bytes for \(id.rawValue)"
            case .silence: "silence"
            }
        }
    }

    private static let connected = Bench.connected()
    private static let modelled = ATTModel()

    private var bench = connected
    private var model = modelled

    /// Carries out a step. Returns a description of the difference between host and model; nil if there is none.
    mutating func play(_ step: Step) -> String? {
        bench.forget()
        var expected: (sent: [[UInt8]], news: [ATTModel.News]) = ([], [])
        switch step {
        case .pdu(let pdu):
            bench.att(pdu)
            // This host ignores a longer PDU, because it exceeds the MTU that the host offers.
            if pdu.count <= LinkModel.longest { expected = model.take(pdu) }
        case .push(let id, let value):
            bench.give(.notify(Bench.phone, id, value))
            expected.sent = model.push(id, value)
        case .silence:
            bench.pass(.seconds(6))
            expected.sent = model.expire()
        }
        let news = bench.news[Bench.phone.rawValue] ?? []
        if bench.values == expected.sent, news == expected.news { return nil }
        let (sent, wanted) = (bench.values.map(Hex.encode), expected.sent.map(Hex.encode))
        return "\(step.text): sent \(sent), the model \(wanted); told \(news), the model \(expected.news)"
    }

    // MARK: - From bytes

    /// Returns the steps of an input: a length byte, then as many bytes of a PDU. After 0xFC, the PDU's length has two
    /// bytes, and the PDU is filled with zeros. 0xFE pushes a value; 0xFF is silence.
    static func steps(_ bytes: [UInt8]) -> [Step] {
        var (steps, reader): ([Step], _) = ([], ByteReader(bytes))
        while let first = try? reader.uint8() {
            switch first {
            case 0xFF: steps.append(.silence)
            case 0xFE:
                guard let id = try? reader.uint8(), let count = try? reader.uint8() else { return steps }
                steps.append(
                    .push(CharacteristicID(rawValue: UInt16(id)), [UInt8](repeating: id, count: Int(count) * 3)))
            case 0xFC:
                guard let length = try? reader.uint16BE(), let head = try? reader.take(min(3, reader.remaining)) else {
                    return steps
                }
                steps.append(.pdu(head + [UInt8](repeating: 0, count: min(Int(length), 600))))
            default:
                steps.append(.pdu([UInt8]((try? reader.take(min(Int(first), reader.remaining))) ?? [])))
            }
        }
        return steps
    }

    /// Encodes PDUs of at most 251 bytes as steps of an input; longer ones are left out.
    static func bytes(_ pdus: [[UInt8]]) -> [UInt8] {
        pdus.filter { $0.count < 0xFC }.flatMap { [UInt8($0.count)] + $0 }
    }

    // MARK: - Random steps

    /// Returns a PDU that a phone may send, valid or not: most are well-formed and refer to existing
    /// attributes.
    static func pdu(_ random: inout SeededRandom, handles: Int = 23) -> [UInt8] {
        func word(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF)] }
        func handle() -> [UInt8] {
            word(
                random.below(20) == 0
                    ? [0, 0xFFFF, 0x100, random.below(65536)][random.below(4)] : random.below(handles))
        }
        func range() -> [UInt8] {
            switch random.below(4) {
            case 0: word(1) + word(0xFFFF)
            case 1: handle() + word(0xFFFF)
            default: handle() + handle()
            }
        }
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in random.byte() } }
        func type() -> [UInt8] {
            let base: [UInt8] = [0xFB, 0x34, 0x9B, 0x5F, 0x80, 0, 0, 0x80, 0, 0x10, 0, 0]
            let short: [UInt8] = [
                [0x00, 0x28], [0x01, 0x28], [0x03, 0x28], [0x00, 0x2A], [0x01, 0x2A], [0x05, 0x2A], [0x02, 0x29],
                [0x37, 0x20],
                [0x02, 0x28], [0x01, 0x00],
            ][random.below(10)]
            switch random.below(8) {
            case 0: return base + short + [0, 0]
            case 1:
                return [
                    0x77, 0x3A, 0x0F, 0x45, 0xF2, 0xD6, 0x0E, 0x9E, 0x4A, 0x44, 0x26, 0x50,
                    [6, 4, 10, 7][random.below(4)], 0, 0, 0,
                ]
            case 2: return bytes([1, 2, 3, 4, 16, 17][random.below(6)])
            default: return short
            }
        }
        func value() -> [UInt8] {
            switch random.below(6) {
            case 0: word(random.below(5))
            case 4: [[0x02, 3, 0, 0x00, 0x2A], [0x20, 8, 0, 0x05, 0x2A], [0x10, 20, 0, 0x37, 0x20]][random.below(3)]
            case 1: Array("Gate".utf8)
            case 2: [[0x00, 0x18], [0x01, 0x18], [0x01, 0x00]][random.below(3)]
            case 3: bytes([0, 1, 2, 3, 18, 20, 60, 200, 509, 512, 513, 514][random.below(12)])
            default: bytes(random.below(24))
            }
        }
        var pdu: [UInt8]
        switch random.below(15) {
        case 0:
            pdu = [0x02] + word([0, 22, 23, 24, 27, 50, 64, 67, 100, 185, 255, 512, 517, 527, 65535][random.below(15)])
        case 1: pdu = [0x04] + range()
        case 2: pdu = [0x06] + range() + type().prefix(2) + value()
        case 3: pdu = [0x08] + range() + type()
        case 4: pdu = [0x10] + range() + type()
        case 5: pdu = [0x0A] + handle()
        case 6: pdu = [0x0C] + handle() + word([0, 1, 22, 50, 99, 100, 101, 512][random.below(8)])
        case 7, 8: pdu = [[0x0E, 0x20][random.below(2)]] + (0..<1 + random.below(5)).flatMap { _ in handle() }
        case 9, 10: pdu = [0x12] + handle() + value()
        case 11: pdu = [0x52] + handle() + value()
        case 12:
            pdu =
                random.below(2) == 0
                ? [0x16] + handle() + word(random.below(30)) + value() : [0x18, UInt8(random.below(3))]
        case 13: pdu = [0x1E]
        default: pdu = [random.byte()] + bytes(random.below(12))
        }
        if random.below(12) == 0 { pdu.removeLast(random.below(pdu.count)) }
        if random.below(16) == 0 { pdu += bytes(1 + random.below(3)) }
        return pdu
    }
}
