import Crypto
import Encoding

@testable import Simulation

/// A small peripheral host with a Tuvali verifier, for tests of the simulated radio. It works on bytes only, and
/// supports just enough of HCI, L2CAP, ATT and Tuvali to serve one wallet after another.
struct ScriptedHost {
    enum Output: Equatable {
        case toController([UInt8])
        case invitation(String)
        case received([UInt8])
    }

    enum Scheduled: Sendable {
        case report
        case verdict
        case drop
    }

    var accepts = true
    var suggestsDataLength = true
    var asksForParameters = true
    var serverMTU = 517
    var hasService = true
    /// Whether the host decrypts payloads. If false, it only answers writes and sends reports, for recorded
    /// or invented bytes.
    var verifies = true
    private(set) var problems: [String] = []
    private(set) var events: [[UInt8]] = []
    private(set) var reports: [[UInt8]] = []
    private(set) var mtu = 23
    private(set) var payloads: [[UInt8]] = []
    private(set) var writes: [(WalletCharacteristic?, [UInt8], withResponse: Bool)] = []
    private(set) var configured: [UInt16: [UInt8]] = [:]
    /// Every CCCD ever written, by handle.
    private(set) var subscriptions: Set<UInt16> = []
    var deadline: Instant? { agenda.deadline }

    private var commands: [[UInt8]] = []
    private var outputs: [Output] = []
    private var agenda = EventQueue<Scheduled>()
    private var now = Instant.zero
    private var handle: UInt16?
    private var inbound: [UInt8] = []
    private var credits = 0
    private var aclLength = 27
    private var queue: [[UInt8]] = []
    private var random: SplitMix64
    private var key: Curve25519.KeyAgreement.PrivateKey
    private var session = Session()
    private let attributes = Self.makeAttributes()

    struct Session {
        var identify: [UInt8]?
        var size = 0
        var chunks: [Int: [UInt8]] = [:]
        var isDone = false
    }

    init(seed: UInt64 = 7) throws {
        random = SplitMix64(seed: seed)
        key = try Self.newKey(&random)
    }

    static func newKey(_ random: inout SplitMix64) throws -> Curve25519.KeyAgreement.PrivateKey {
        try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: random.bytes(32))
    }

    mutating func start(at now: Instant) -> [Output] {
        self.now = now
        command(0x0C03, [])
        command(0x0C01, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F])
        command(0x2001, [0xFF, 0x0F, 0, 0, 0, 0, 0, 0])
        command(0x2002, [])
        if suggestsDataLength { command(0x2024, [251, 0, 0x48, 0x08]) }
        advertise()
        return take()
    }

    mutating func timer(at now: Instant) -> [Output] {
        self.now = now
        while let item = agenda.take(dueBy: now) {
            switch item {
            case .report: report()
            case .verdict:
                notify(27, [accepts ? 0 : 1])
                agenda.add(.drop, at: now.advanced(by: .seconds(5)))
            case .drop: if let handle { command(0x0406, [UInt8].littleEndian(handle) + [0x13]) }
            }
        }
        return take()
    }

    mutating func receive(_ packet: [UInt8], at now: Instant) -> [Output] {
        self.now = now
        if packet[0] == 4 { event(packet) } else { acl(packet) }
        return take()
    }

    private mutating func take() -> [Output] {
        defer { outputs = [] }
        return outputs
    }

    private mutating func command(_ opcode: UInt16, _ parameters: [UInt8]) {
        commands.append([1] + [UInt8].littleEndian(opcode) + [UInt8(parameters.count)] + parameters)
        if commands.count == 1 { outputs.append(.toController(commands[0])) }
    }

    private mutating func advertise() {
        let publicKey = Array(key.publicKey.rawRepresentation)
        let name = Array("GATE1".utf8)
        let head = name + [0x5F] + publicKey[..<5]
        let data = [0x02, 0x01, 0x06, 0x03, 0x03, 0x01, 0x00, UInt8(3 + head.count), 0x16, 0x01, 0x00] + head
        let response = [0x1E, 0x16, 0x02, 0x00] + publicKey[5...]
        command(0x2005, random.bytes(5) + [0x55])
        command(0x2006, [0x20, 0, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0])
        for (opcode, value) in [(UInt16(0x2008), data), (0x2009, response)] {
            command(opcode, [UInt8(value.count)] + value + [UInt8](repeating: 0, count: 31 - value.count))
        }
        command(0x200A, [1])
        outputs.append(.invitation("OPENID4VP://connect?name=GATE1&key=" + Hex.encode(publicKey)))
    }

    private mutating func event(_ packet: [UInt8]) {
        events.append(packet)
        switch packet[1] {
        case 0x0E, 0x0F:
            let (opcode, status) = packet[1] == 0x0E ? (packet[4...5], packet[6]) : (packet[5...6], packet[3])
            if status != 0 { problems.append("command \(Hex.encode(opcode)) status \(status)") }
            if Array(opcode) == [0x02, 0x20] { (aclLength, credits) = (Int(packet[7]), Int(packet[9])) }
            commands.removeFirst()
            if let next = commands.first { outputs.append(.toController(next)) }
        case 0x13:
            credits += Int(packet[6])
            flush()
        case 0x3E where packet[3] == 0x01 || packet[3] == 0x0A:
            handle = UInt16(packet[5]) | UInt16(packet[6]) << 8
            (mtu, session, inbound) = (23, Session(), [])
            if suggestsDataLength { command(0x2022, Array(packet[5...6]) + [251, 0, 0x48, 0x08]) }
        case 0x05:
            (handle, queue) = (nil, [])
            agenda.clear()
            configured = [:]
            credits = 8
            if let next = try? Self.newKey(&random) { key = next }
            advertise()
        default: break
        }
    }

    private mutating func acl(_ packet: [UInt8]) {
        let isStart = packet[2] & 0x30 == 0x20
        inbound = isStart ? Array(packet[5...]) : inbound + packet[5...]
        guard inbound.count >= 4, inbound.count == 4 + Int(inbound[0]) + Int(inbound[1]) << 8 else { return }
        let (channel, pdu) = (inbound[2], Array(inbound[4...]))
        inbound = []
        switch channel {
        case 4 where !pdu.isEmpty: attribute(pdu)
        case 5 where pdu.first == 0x13: break
        case 6: send([0x05, 0x05], channel: 6)
        default: break
        }
    }

    private mutating func send(_ payload: [UInt8], channel: UInt16) {
        guard let handle else { return }
        var rest = ([UInt8].littleEndian(UInt16(payload.count), channel) + payload)[...]
        var flags: UInt16 = 0
        while !rest.isEmpty {
            let piece = rest.prefix(aclLength)
            rest = rest.dropFirst(piece.count)
            queue.append([2] + [UInt8].littleEndian(handle | flags, UInt16(piece.count)) + piece)
            flags = 0x1000
        }
        flush()
    }

    private mutating func flush() {
        while credits > 0, !queue.isEmpty {
            credits -= 1
            outputs.append(.toController(queue.removeFirst()))
        }
    }

    private mutating func notify(_ handle: UInt16, _ value: [UInt8]) {
        let opcode: UInt8 = configured[handle + 1] == [2, 0] ? 0x1D : 0x1B
        send([opcode] + [UInt8].littleEndian(handle) + value, channel: 4)
    }

    private mutating func attribute(_ pdu: [UInt8]) {
        let field = { (at: Int) in pdu.count > at + 1 ? UInt16(pdu[at]) | UInt16(pdu[at + 1]) << 8 : 0 }
        switch pdu[0] {
        case 0x02:
            mtu = min(serverMTU, Int(field(1)))
            send([0x03] + [UInt8].littleEndian(UInt16(serverMTU)), channel: 4)
            if asksForParameters {
                send([0x12, 0x01, 8, 0] + [UInt8].littleEndian(12, 12, 0, 600), channel: 5)
            }
        case 0x04, 0x08, 0x10: list(pdu[0], from: field(1), to: field(3), type: field(5))
        case 0x12, 0x52:
            let (handle, value) = (field(1), Array(pdu.dropFirst(3)))
            if pdu[0] == 0x12 { send([0x13], channel: 4) }
            if attributes.contains(where: { $0.handle == handle && $0.type == 0x2902 }) {
                configured[handle] = value
                subscriptions.insert(handle)
            } else {
                written(Self.characteristic(handle), value, withResponse: pdu[0] == 0x12)
            }
        case 0x1E: break
        default: send([0x01, pdu[0], 0, 0, 0x06], channel: 4)
        }
    }

    /// Answers Find Information, Read By Type and Read By Group Type from the attribute table.
    private mutating func list(_ opcode: UInt8, from: UInt16, to: UInt16, type: UInt16) {
        let found = attributes.filter {
            $0.handle >= from && $0.handle <= to && (hasService || $0.handle < 8) && (opcode == 0x04 || $0.type == type)
        }
        guard let first = found.first else {
            return send([0x01, opcode] + [UInt8].littleEndian(from) + [0x0A], channel: 4)
        }
        var body: [UInt8] = []
        var length = 0
        for attribute in found {
            let entry: [UInt8] =
                switch opcode {
                case 0x04: [UInt8].littleEndian(attribute.handle, attribute.type)
                case 0x10: [UInt8].littleEndian(attribute.handle, attribute.end) + attribute.value
                default: [UInt8].littleEndian(attribute.handle) + attribute.value
                }
            if length == 0 { length = entry.count }
            guard entry.count == length, body.count + length + 2 <= mtu, attribute.type < 0x2800 || opcode != 0 else {
                break
            }
            // A Find Information entry; all types here are 16-bit types.
            body += entry
        }
        _ = first
        send([opcode + 1, opcode == 0x04 ? 1 : UInt8(length)] + body, channel: 4)
    }

    private mutating func written(_ characteristic: WalletCharacteristic?, _ value: [UInt8], withResponse: Bool) {
        writes.append((characteristic, value, withResponse))
        switch characteristic {
        case .identify: session.identify = value
        case .responseSize:
            session.size = value.reduce(0) { $0 << 8 | Int($1) }
            session.chunks = [:]
        case .submitResponse:
            guard value.count > 4 else { return }
            let payload = Array(value.dropFirst(4))
            let crc = UInt16(value[2]) << 8 | UInt16(value[3])
            if crc == WalletCRC.checksum(payload) { session.chunks[Int(value[0]) << 8 | Int(value[1])] = payload }
        case .transferReportRequest: agenda.add(.report, at: now.advanced(by: .milliseconds(100)))
        default: break
        }
    }

    private mutating func report() {
        let stride = min(mtu, 512) - 7
        let total = (session.size + stride - 1) / stride
        let missing = (1...max(1, total)).filter { session.chunks[$0] == nil }
        guard missing.isEmpty else {
            var bytes: [UInt8] = [0, 0, 1]
            for number in missing.prefix((stride + 1) / 2) { bytes.appendBE(UInt16(number)) }
            reports.append(bytes)
            return notify(24, bytes)
        }
        reports.append([1, 0, 0])
        notify(24, [1, 0, 0])
        guard !session.isDone else { return }
        session.isDone = true
        let encrypted = (1...total).flatMap { session.chunks[$0] ?? [] }
        let payload = verifies ? open(encrypted) : encrypted
        guard let payload else { return problems.append("payload does not open") }
        payloads.append(payload)
        outputs.append(.received(payload))
        agenda.add(.verdict, at: now.advanced(by: .milliseconds(300)))
    }

    private func open(_ encrypted: [UInt8]) -> [UInt8]? {
        guard let identify = session.identify, identify.count == 44, encrypted.count > 16,
            let peer = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: identify[12...]),
            let secret = try? key.sharedSecretFromKeyAgreement(with: peer)
        else { return nil }
        let symmetric = secret.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: Array("SHA-256".utf8), sharedInfo: Array("SKVerifier".utf8), outputByteCount: 32)
        guard
            let box = try? AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: identify[..<12]), ciphertext: encrypted.dropLast(16),
                tag: encrypted.suffix(16)),
            let compressed = try? AES.GCM.open(box, using: symmetric)
        else { return nil }
        return try? Gzip.inflate(Array(compressed), limit: 8 << 20)
    }

    struct Attribute {
        var handle: UInt16
        var type: UInt16
        var value: [UInt8]
        var end: UInt16
    }

    static let service: [(WalletCharacteristic, UInt8)] = [
        (.identify, 0x0C), (.requestSize, 0x22), (.request, 0x22), (.responseSize, 0x0C), (.submitResponse, 0x0C),
        (.transferReportRequest, 0x0C), (.transferReportResponse, 0x20), (.verificationStatus, 0x20),
        (.disconnect, 0x20),
    ]

    static func characteristic(_ handle: UInt16) -> WalletCharacteristic? {
        var next: UInt16 = 9
        for (characteristic, properties) in service {
            if handle == next + 1 { return characteristic }
            next += properties == 0x0C ? 2 : 3
        }
        return nil
    }

    static func makeAttributes() -> [Attribute] {
        var all = [
            Attribute(handle: 1, type: 0x2800, value: [0x00, 0x18], end: 3),
            Attribute(handle: 2, type: 0x2803, value: [0x02, 3, 0, 0x00, 0x2A], end: 2),
            Attribute(handle: 3, type: 0x2A00, value: [], end: 3),
            Attribute(handle: 4, type: 0x2800, value: [0x01, 0x18], end: 7),
            Attribute(handle: 5, type: 0x2803, value: [0x20, 6, 0, 0x05, 0x2A], end: 5),
            Attribute(handle: 6, type: 0x2A05, value: [], end: 6),
            Attribute(handle: 7, type: 0x2902, value: [0, 0], end: 7),
            Attribute(handle: 8, type: 0x2800, value: [0x01, 0x00], end: 0xFFFF),
        ]
        var handle: UInt16 = 9
        for (characteristic, properties) in service {
            let uuid = Hex.decode(characteristic.rawValue.split(separator: "-").joined()) ?? []
            let value = [properties] + [UInt8].littleEndian(handle + 1) + uuid.reversed()
            all.append(Attribute(handle: handle, type: 0x2803, value: value, end: handle))
            all.append(Attribute(handle: handle + 1, type: 0xFFFF, value: [], end: handle + 1))
            if properties != 0x0C {
                all.append(Attribute(handle: handle + 2, type: 0x2902, value: [0, 0], end: handle + 2))
                handle += 1
            }
            handle += 2
        }
        return all
    }
}
