@testable import BluetoothHost

/// A model of an attribute server, written independently and as simply as possible from the Core Specification (Vol 3
/// Part F 3.4, Part G 3) and the definitions of the services. If the host's answers differ, either the host or the
/// model has a fault.
struct ATTModel {
    /// The event that a PDU causes for the application.
    enum News: Equatable {
        case mtu(Int)
        case written(CharacteristicID, [UInt8], withResponse: Bool)
        case configured(CharacteristicID, UInt16)
    }

    /// One attribute.
    struct Row {
        enum Writing: Equatable { case never, value(CharacteristicID), configuration(CharacteristicID?) }

        let handle: Int
        /// The type as it is sent: 2 or 16 bytes.
        let type: [UInt8]
        let value: [UInt8]
        let isReadable: Bool
        let writing: Writing
        /// The last handle of the group for a declaration of a service or characteristic; otherwise the attribute's own
        /// handle.
        var end: Int
    }

    private(set) var rows: [Row] = []
    private(set) var mtu = 23
    private let serverMTU: Int
    private var configurations: [Int: UInt16] = [:]
    private var pushable: [CharacteristicID: Int] = [:]
    private var waiting: [(handle: Int, value: [UInt8])] = []
    private var unconfirmed: (handle: Int, value: [UInt8])?
    private var hasGivenUpIndications = false

    init(deviceName: String = "Gate", services: [ServiceDefinition] = [Bench.service], serverMTU: Int = 517) {
        self.serverMTU = serverMTU
        let access: [(UInt16, UInt8, [UInt8])] = [(0x2A00, 0x02, Array(deviceName.utf8)), (0x2A01, 0x02, [0, 0])]
        add([0x00, 0x18], access.map { (nil, Self.bytes($0), $1, $2) })
        add([0x01, 0x18], [(nil, [0x05, 0x2A], 0x20, [])])
        for service in services {
            add(
                service.uuid.littleEndian,
                service.characteristics.map { ($0.id, $0.uuid.littleEndian, $0.properties.rawValue, $0.value) })
        }
    }

    private mutating func add(_ type: [UInt8], _ members: [(CharacteristicID?, [UInt8], UInt8, [UInt8])]) {
        let service = rows.count
        row([0x00, 0x28], type)
        for (id, type, properties, value) in members {
            let definition = rows.count
            defer { rows[definition].end = rows.count }
            row([0x03, 0x28], [properties] + Self.bytes(UInt16(rows.count + 2)) + type)
            let isWritable = properties & 0x0C != 0
            row(type, value, reads: properties & 0x02 != 0, id.map { isWritable ? .value($0) : .never } ?? .never)
            guard properties & 0x30 != 0 else { continue }
            if let id { pushable[id] = rows.count }
            row([0x02, 0x29], [], .configuration(id))
        }
        rows[service].end = rows.count
    }

    private mutating func row(_ type: [UInt8], _ value: [UInt8], reads: Bool = true, _ writing: Row.Writing = .never) {
        let handle = rows.count + 1
        rows.append(Row(handle: handle, type: type, value: value, isReadable: reads, writing: writing, end: handle))
    }

    // MARK: - Processing of PDUs

    /// Returns the answer, if any, then the values that are pushed, and the event for the application.
    mutating func take(_ pdu: [UInt8]) -> (sent: [[UInt8]], news: [News]) {
        var news: [News] = []
        let answer = pdu.first.flatMap { respond(to: $0, Array(pdu.dropFirst()), &news) }
        return ((answer.map { [$0] } ?? []) + flush(), news)
    }

    private mutating func respond(to opcode: UInt8, _ body: [UInt8], _ news: inout [News]) -> [UInt8]? {
        switch opcode {
        case 0x02:
            guard body.count == 2 else { return refuse(opcode, 0, 0x04) }
            mtu = max(23, min(Self.word(body, 0), serverMTU))
            news.append(.mtu(mtu))
            return [0x03] + Self.bytes(UInt16(serverMTU))
        case 0x04: return body.count == 4 ? findInformation(body) : refuse(opcode, 0, 0x04)
        case 0x06: return body.count >= 6 ? findByTypeValue(body) : refuse(opcode, 0, 0x04)
        case 0x08, 0x10: return [6, 20].contains(body.count) ? readByType(opcode, body) : refuse(opcode, 0, 0x04)
        case 0x0A, 0x0C: return body.count == (opcode == 0x0A ? 2 : 4) ? read(opcode, body) : refuse(opcode, 0, 0x04)
        case 0x0E, 0x20:
            return body.count >= 4 && body.count % 2 == 0 ? readMultiple(opcode, body) : refuse(opcode, 0, 0x04)
        case 0x12:
            guard body.count >= 2 else { return refuse(opcode, 0, 0x04) }
            let code = write(body, withResponse: true, &news)
            return code == 0 ? [0x13] : refuse(opcode, Self.word(body, 0), code)
        case 0x52:
            if body.count >= 2 { _ = write(body, withResponse: false, &news) }
            return nil
        case 0x1D: return [0x1E]
        case 0x1E:
            if body.isEmpty { unconfirmed = nil }
            return nil
        // Ignored: answers, a signed write (its signature cannot be checked), and any other command.
        case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x21, 0x23: return nil
        case _ where opcode & 0x40 != 0: return nil
        default: return refuse(opcode, 0, 0x06)
        }
    }

    private func refuse(_ opcode: UInt8, _ handle: Int, _ code: UInt8) -> [UInt8] {
        [0x01, opcode] + Self.bytes(UInt16(handle)) + [code]
    }

    /// Returns the rows of the range that the first four bytes of a request state, or nil if the range is
    /// invalid.
    private func range(_ body: [UInt8]) -> [Row]? {
        let (start, end) = (Self.word(body, 0), Self.word(body, 2))
        return start == 0 || start > end ? nil : rows.filter { (start...end).contains($0.handle) }
    }

    private func findInformation(_ body: [UInt8]) -> [UInt8] {
        guard let found = range(body) else { return refuse(0x04, Self.word(body, 0), 0x01) }
        guard let size = found.first?.type.count else { return refuse(0x04, Self.word(body, 0), 0x0A) }
        let entries = found.prefix { $0.type.count == size }.prefix((mtu - 2) / (2 + size))
        return [0x05, size == 2 ? 1 : 2] + entries.flatMap { Self.bytes(UInt16($0.handle)) + $0.type }
    }

    private func findByTypeValue(_ body: [UInt8]) -> [UInt8] {
        guard let found = range(body) else { return refuse(0x06, Self.word(body, 0), 0x01) }
        let matching = found.filter {
            $0.type == Array(body[4..<6]) && $0.isReadable && value($0) == Array(body[6...])
        }
        if matching.isEmpty { return refuse(0x06, Self.word(body, 0), 0x0A) }
        return [0x07]
            + matching.prefix((mtu - 1) / 4).flatMap { Self.bytes(UInt16($0.handle)) + Self.bytes(UInt16($0.end)) }
    }

    /// Answers Read By Type and Read By Group Type; for a service the end handle precedes the value.
    private func readByType(_ opcode: UInt8, _ body: [UInt8]) -> [UInt8] {
        guard let found = range(body) else { return refuse(opcode, Self.word(body, 0), 0x01) }
        let (type, isGroup) = (Self.long(Array(body[4...])), opcode == 0x10)
        if isGroup, type != Self.long([0x00, 0x28]), type != Self.long([0x01, 0x28]) {
            return refuse(opcode, Self.word(body, 0), 0x10)
        }
        let matching = found.filter { Self.long($0.type) == type }
        guard let first = matching.first else { return refuse(opcode, Self.word(body, 0), 0x0A) }
        guard first.isReadable else { return refuse(opcode, first.handle, 0x02) }
        let head = isGroup ? 4 : 2
        let size = min(value(first).count, mtu - 2 - head, 255 - head)
        var answer = [opcode + 1, UInt8(head + size)]
        for row in matching {
            guard row.isReadable, min(value(row).count, mtu - 2 - head, 255 - head) == size,
                answer.count + head + size <= mtu
            else { break }
            answer += Self.bytes(UInt16(row.handle)) + (isGroup ? Self.bytes(UInt16(row.end)) : [])
            answer += value(row).prefix(size)
        }
        return answer
    }

    private func read(_ opcode: UInt8, _ body: [UInt8]) -> [UInt8] {
        let handle = Self.word(body, 0)
        guard let row = row(handle) else { return refuse(opcode, handle, 0x01) }
        guard row.isReadable else { return refuse(opcode, handle, 0x02) }
        let offset = opcode == 0x0C ? Self.word(body, 2) : 0
        guard offset <= value(row).count else { return refuse(opcode, handle, 0x07) }
        return [opcode + 1] + value(row)[offset...].prefix(mtu - 1)
    }

    private func readMultiple(_ opcode: UInt8, _ body: [UInt8]) -> [UInt8] {
        var answer = [opcode + 1]
        for place in stride(from: 0, to: body.count, by: 2) {
            let handle = Self.word(body, place)
            guard let row = row(handle) else { return refuse(opcode, handle, 0x01) }
            guard row.isReadable else { return refuse(opcode, handle, 0x02) }
            // A length field that does not fit completely is omitted.
            if opcode == 0x20, answer.count + 2 > mtu { continue }
            answer += (opcode == 0x20 ? Self.bytes(UInt16(value(row).count)) : []) + value(row)
            answer = Array(answer.prefix(mtu))
        }
        return answer
    }

    /// Returns 0, or the error code.
    private mutating func write(_ body: [UInt8], withResponse: Bool, _ news: inout [News]) -> UInt8 {
        let (handle, value) = (Self.word(body, 0), Array(body[2...]))
        guard let row = row(handle) else { return 0x01 }
        switch row.writing {
        case .never: return 0x03
        case .value(let id):
            if value.count > 512 { return 0x0D }
            news.append(.written(id, value, withResponse: withResponse))
        case .configuration(let id):
            if value.count != 2 { return 0x0D }
            if Self.word(value, 0) > 2 { return 0xFD }
            configurations[handle] = UInt16(Self.word(value, 0))
            if let id { news.append(.configured(id, UInt16(Self.word(value, 0)))) }
        }
        return 0
    }

    // MARK: - Values that the application pushes

    /// Returns the PDUs that are sent at once.
    mutating func push(_ id: CharacteristicID, _ value: [UInt8]) -> [[UInt8]] {
        guard let handle = pushable[id], value.count <= min(mtu - 3, 512) else { return [] }
        waiting.append((handle, value))
        return flush()
    }

    /// Ends the time for a confirmation: the value is sent once more, and no further value is indicated.
    mutating func expire() -> [[UInt8]] {
        guard let value = unconfirmed.take() else { return [] }
        hasGivenUpIndications = true
        waiting.insert(value, at: 0)
        return flush()
    }

    private mutating func flush() -> [[UInt8]] {
        var sent: [[UInt8]] = []
        while unconfirmed == nil, !waiting.isEmpty {
            let (handle, value) = waiting.removeFirst()
            let indicates = configurations[handle + 1] == 2 && !hasGivenUpIndications
            sent.append([indicates ? 0x1D : 0x1B] + Self.bytes(UInt16(handle)) + value.prefix(mtu - 3))
            if indicates { unconfirmed = (handle, value) }
        }
        return sent
    }

    // MARK: - Helpers

    private func row(_ handle: Int) -> Row? { rows.first { $0.handle == handle } }

    private func value(_ row: Row) -> [UInt8] {
        if case .configuration = row.writing { Self.bytes(configurations[row.handle] ?? 0) } else { row.value }
    }

    private static func bytes(_ word: UInt16) -> [UInt8] { [UInt8(word & 0xFF), UInt8(word >> 8)] }

    private static func word(_ bytes: [UInt8], _ place: Int) -> Int { Int(bytes[place]) + Int(bytes[place + 1]) * 256 }

    /// The 128-bit form of a type (Vol 3 Part B 2.5.1).
    private static func long(_ type: [UInt8]) -> [UInt8] {
        type.count == 16
            ? type : [0xFB, 0x34, 0x9B, 0x5F, 0x80, 0, 0, 0x80, 0, 0x10, 0, 0] + type + [0, 0]
    }
}
