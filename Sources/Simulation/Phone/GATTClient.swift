import Encoding

/// The phone's ATT client on one connection. It sends one request at a time, discovers services step by step, receives
/// values and confirms indications (Core Specification Vol 3 Part F 3.3 and Part G 4). It answers requests of the
/// server like a phone.
struct GATTClient: Sendable {
    enum Request: Equatable, Sendable {
        case exchangeMTU(Int)
        case discover
        case write(handle: UInt16, value: [UInt8], tag: WalletCharacteristic?)
    }

    enum Output: Equatable, Sendable {
        /// Send the given ATT PDU to the server.
        case send([UInt8])
        /// The new MTU in bytes; nil if the exchange was refused.
        case mtu(Int?)
        /// Discovery of the server's characteristics ended.
        case discovered
        /// The server answered a write request to the given characteristic.
        case answered(WalletCharacteristic?, succeeded: Bool)
        /// A notification or indication of the characteristic with the value handle `handle` arrived.
        case value(handle: UInt16, [UInt8])
        /// The server broke a rule of ATT, given as text.
        case violation(String)
    }

    private enum Step: Equatable, Sendable {
        case mtu(asked: Int)
        case services
        case characteristics(service: Int)
        case descriptors(characteristic: Int)
        case write(WalletCharacteristic?)
    }

    /// The time within which a server must answer (3.3.3).
    static let transactionTime = Duration.seconds(30)
    private static let attributesAtMost = 512

    private(set) var table = GATTTable()
    private(set) var mtu = 23
    private(set) var deadline: Instant?
    private var queue: [Request] = []
    private var step: Step?
    private var isAbandoned = false
    private var outputs: [Output] = []

    /// Queues a request. Starts it if no request is outstanding.
    mutating func request(_ request: Request, at now: Instant) -> [Output] {
        queue.append(request)
        startNext(now)
        return take()
    }

    /// Handles one ATT PDU from the server.
    mutating func receive(_ pdu: [UInt8], at now: Instant) -> [Output] {
        var reader = ByteReader(pdu)
        do throws(ByteReader.Truncated) {
            try dispatch(try reader.uint8(), &reader, now)
        } catch {
            outputs.append(.violation("truncated ATT PDU"))
        }
        return take()
    }

    /// Stops waiting for answers. Values are still received.
    mutating func abandon() {
        queue = []
        (step, deadline, isAbandoned) = (nil, nil, true)
    }

    private mutating func take() -> [Output] {
        defer { outputs = [] }
        return outputs
    }

    private mutating func startNext(_ now: Instant) {
        guard step == nil, !queue.isEmpty else { return }
        switch queue.removeFirst() {
        case .exchangeMTU(let asked): ask([0x02] + [UInt8].littleEndian(UInt16(asked)), .mtu(asked: asked), now)
        case .discover:
            table = GATTTable()
            readServices(from: 1, now)
        case .write(let handle, let value, let tag):
            ask([0x12] + [UInt8].littleEndian(handle) + value.prefix(mtu - 3), .write(tag), now)
        }
    }

    private mutating func ask(_ pdu: [UInt8], _ next: Step, _ now: Instant) {
        step = next
        deadline = now.advanced(by: Self.transactionTime)
        outputs.append(.send(pdu))
    }

    private mutating func finish(_ output: Output, _ now: Instant) {
        (step, deadline) = (nil, nil)
        outputs.append(output)
        startNext(now)
    }

    private mutating func dispatch(_ opcode: UInt8, _ reader: inout ByteReader, _ now: Instant) throws(ByteReader
        .Truncated)
    {
        switch (opcode, step) {
        case (0x1B, _): outputs.append(.value(handle: try reader.uint16LE(), Array(reader.rest)))
        case (0x1D, _):
            outputs.append(.send([0x1E]))
            outputs.append(.value(handle: try reader.uint16LE(), Array(reader.rest)))
        case (0x02, _):
            // As a server, the phone answers the exchange but keeps its own MTU. The wallet does not learn of the
            // exchange.
            outputs.append(.send([0x03] + [UInt8].littleEndian(517)))
        case (0x03, .mtu(let asked)):
            mtu = max(23, min(asked, Int(try reader.uint16LE())))
            finish(.mtu(mtu), now)
        case (0x01, let step?):
            _ = try reader.take(3)
            refused(step, try reader.uint8(), now)
        case (0x11, .services): try services(&reader, now)
        case (0x09, .characteristics(let index)): try characteristics(index, &reader, now)
        case (0x05, .descriptors(let index)): try descriptors(index, &reader, now)
        case (0x13, .write(let tag)): finish(.answered(tag, succeeded: true), now)
        case (let opcode, _) where opcode & 0x41 == 0 && opcode != 0x1E:
            // Requests to the phone's server (even opcodes without the command bit) are not supported.
            outputs.append(.send([0x01, opcode, 0, 0, 0x06]))
        default:
            // After ``abandon()``, the answer to an earlier request may still arrive.
            if !isAbandoned { outputs.append(.violation("unexpected ATT opcode 0x" + Hex.encode([opcode]))) }
        }
    }

    private mutating func refused(_ step: Step, _ code: UInt8, _ now: Instant) {
        switch step {
        case .mtu: finish(.mtu(nil), now)
        case .write(let tag): finish(.answered(tag, succeeded: false), now)
        // Attribute Not Found, or any other error, ends a discovery step.
        case .services: readCharacteristics(service: 0, from: nil, now)
        case .characteristics(let index): readCharacteristics(service: index + 1, from: nil, now)
        case .descriptors(let index): readDescriptors(characteristic: index + 1, from: nil, now)
        }
    }

    private mutating func readServices(from start: UInt16, _ now: Instant) {
        ask([0x10] + [UInt8].littleEndian(start, 0xFFFF, 0x2800), .services, now)
    }

    private mutating func services(_ reader: inout ByteReader, _ now: Instant) throws(ByteReader.Truncated) {
        let length = Int(try reader.uint8())
        guard length >= 6, reader.remaining.isMultiple(of: length) else { return malformed(.services, now) }
        while reader.remaining > 0 {
            let (start, end) = (try reader.uint16LE(), try reader.uint16LE())
            let uuid = GATTTable.text(try reader.take(length - 4)) ?? ""
            table.services.append(.init(uuid: uuid, start: start, end: end))
        }
        guard let end = table.services.last?.end, end < 0xFFFF, table.services.count < Self.attributesAtMost else {
            return readCharacteristics(service: 0, from: nil, now)
        }
        readServices(from: end + 1, now)
    }

    private mutating func readCharacteristics(service index: Int, from start: UInt16?, _ now: Instant) {
        guard index < table.services.count else { return readDescriptors(characteristic: 0, from: nil, now) }
        let service = table.services[index]
        let first = start ?? service.start
        guard first <= service.end else { return readCharacteristics(service: index + 1, from: nil, now) }
        ask([0x08] + [UInt8].littleEndian(first, service.end, 0x2803), .characteristics(service: index), now)
    }

    private mutating func characteristics(
        _ index: Int, _ reader: inout ByteReader, _ now: Instant
    ) throws(ByteReader.Truncated) {
        let length = Int(try reader.uint8())
        guard length == 7 || length == 21, reader.remaining.isMultiple(of: length), index < table.services.count else {
            return malformed(.characteristics(service: index), now)
        }
        let service = table.services[index]
        while reader.remaining > 0 {
            let declaration = try reader.uint16LE()
            let properties = try reader.uint8()
            let value = try reader.uint16LE()
            let uuid = GATTTable.text(try reader.take(length - 5)) ?? ""
            if let last = table.characteristics.indices.last, table.characteristics[last].service == service.uuid,
                declaration > 0
            {
                table.characteristics[last].end = declaration - 1
            }
            table.characteristics.append(
                .init(
                    uuid: uuid, service: service.uuid, properties: properties, declaration: declaration, value: value,
                    end: service.end))
        }
        guard let last = table.characteristics.last, last.value < 0xFFFF,
            table.characteristics.count < Self.attributesAtMost
        else { return readCharacteristics(service: index + 1, from: nil, now) }
        readCharacteristics(service: index, from: last.value + 1, now)
    }

    private mutating func readDescriptors(characteristic index: Int, from start: UInt16?, _ now: Instant) {
        guard index < table.characteristics.count else { return finish(.discovered, now) }
        let characteristic = table.characteristics[index]
        let first = UInt32(start.map(UInt32.init) ?? UInt32(characteristic.value) + 1)
        guard first <= UInt32(characteristic.end), let first = UInt16(exactly: first) else {
            return readDescriptors(characteristic: index + 1, from: nil, now)
        }
        ask([0x04] + [UInt8].littleEndian(first, characteristic.end), .descriptors(characteristic: index), now)
    }

    private mutating func descriptors(
        _ index: Int, _ reader: inout ByteReader, _ now: Instant
    ) throws(ByteReader.Truncated) {
        let size = try reader.uint8() == 1 ? 2 : 16
        guard reader.remaining > 0, reader.remaining.isMultiple(of: size + 2), index < table.characteristics.count
        else {
            return malformed(.descriptors(characteristic: index), now)
        }
        var last: UInt16 = 0xFFFF
        while reader.remaining > 0 {
            last = try reader.uint16LE()
            if Array(try reader.take(size)) == [0x02, 0x29] { table.characteristics[index].configuration = last }
        }
        guard last < table.characteristics[index].end else {
            return readDescriptors(characteristic: index + 1, from: nil, now)
        }
        readDescriptors(characteristic: index, from: last + 1, now)
    }

    private mutating func malformed(_ step: Step, _ now: Instant) {
        outputs.append(.violation("malformed answer to a discovery request"))
        refused(step, 0x0A, now)
    }
}
