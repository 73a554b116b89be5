import Encoding

/// Answers the requests by which a phone discovers services and attributes (Core Specification Vol 3 Part F 3.4.3,
/// 3.4.4.1, 3.4.4.9).
extension ATTServer {
    /// Answers Find Information (3.4.3.1): handles and types. One response has types of one size only, and ends where
    /// the size changes.
    func findInformation(_ parameters: ByteReader) throws(ATTFailure) -> [UInt8] {
        let range = try Self.parse(parameters) { (reader) throws(ByteReader.Truncated) in try Self.range(&reader) }
        let found = try attributes(range)
        guard let first = found.first else { throw ATTFailure(.attributeNotFound, range.start) }
        let format: UInt8 = first.type.short == nil ? 0x02 : 0x01
        var response = [ATTOpcode.findInformationResponse.rawValue, format]
        let size = 2 + first.type.littleEndian.count
        for attribute in found {
            let type = attribute.type.littleEndian
            guard 2 + type.count == size, response.count + size <= mtu else { break }
            response.appendLE(attribute.handle)
            response += type
        }
        return response
    }

    /// Answers Find By Type Value (3.4.3.3): the handle ranges of the attributes with a 16-bit type and exactly the
    /// given value.
    func findByTypeValue(_ parameters: ByteReader) throws(ATTFailure) -> [UInt8] {
        let (range, type, wanted) = try Self.parse(parameters) { (reader) throws(ByteReader.Truncated) in
            let range = try Self.range(&reader)
            let type = BluetoothUUID(short: try reader.uint16LE())
            return (range, type, try reader.take(reader.remaining))
        }
        var response = [ATTOpcode.findByTypeValueResponse.rawValue]
        for attribute in try attributes(range) where attribute.type == type && response.count + 4 <= mtu {
            guard let value = try? value(of: attribute), value.elementsEqual(wanted) else { continue }
            response.appendLE(attribute.handle)
            response.appendLE(attribute.groupEnd)
        }
        guard response.count > 1 else { throw ATTFailure(.attributeNotFound, range.start) }
        return response
    }

    /// Answers Read By Type (3.4.4.1): the values of all attributes of a type.
    func readByType(_ parameters: ByteReader) throws(ATTFailure) -> [UInt8] {
        let (range, type) = try rangeAndType(parameters)
        let found = try attributes(range).filter { $0.type == type }
        // The length of an entry is one byte, so a value has at most 255 - 2 bytes, even with a larger MTU.
        return try list(.readByTypeResponse, found, from: range.start, limit: min(mtu - 4, 253)) { attribute in
            var entry: [UInt8] = []
            entry.appendLE(attribute.handle)
            return entry
        }
    }

    /// Answers Read By Group Type (3.4.4.9): services with their last handles. Only service declarations are groups
    /// (Vol 3 Part G 2.5.3).
    func readByGroupType(_ parameters: ByteReader) throws(ATTFailure) -> [UInt8] {
        let (range, type) = try rangeAndType(parameters)
        let attributes = try attributes(range)
        guard type == .primaryService || type == .secondaryService else {
            throw ATTFailure(.unsupportedGroupType, range.start)
        }
        let found = attributes.filter { $0.type == type }
        return try list(.readByGroupTypeResponse, found, from: range.start, limit: min(mtu - 6, 251)) { attribute in
            var entry: [UInt8] = []
            entry.appendLE(attribute.handle)
            entry.appendLE(attribute.groupEnd)
            return entry
        }
    }

    private func rangeAndType(
        _ parameters: ByteReader
    ) throws(ATTFailure) -> (range: (start: UInt16, end: UInt16), type: BluetoothUUID) {
        let (range, bytes) = try Self.parse(parameters) { (reader) throws(ByteReader.Truncated) in
            (try Self.range(&reader), try reader.take(reader.remaining))
        }
        guard let type = BluetoothUUID(littleEndian: bytes) else { throw ATTFailure(.invalidPDU) }
        return (range, type)
    }

    /// Builds a list of entries of one size. An entry has its head and as much of its value as fits. The list ends
    /// before the first value that has another size or may not be read. If the very first value may not be read, throws
    /// the error for that value.
    private func list(
        _ opcode: ATTOpcode, _ attributes: [Attribute], from start: UInt16, limit: Int, head: (Attribute) -> [UInt8]
    ) throws(ATTFailure) -> [UInt8] {
        guard let first = attributes.first else { throw ATTFailure(.attributeNotFound, start) }
        let entry = head(first) + (try value(of: first)).prefix(limit)
        var response = [opcode.rawValue, UInt8(truncatingIfNeeded: entry.count)] + entry
        for attribute in attributes.dropFirst() {
            guard let value = try? value(of: attribute) else { break }
            let next = head(attribute) + value.prefix(limit)
            guard next.count == entry.count, response.count + next.count <= mtu else { break }
            response += next
        }
        return response
    }
}
