import Encoding

/// Answers the requests that read by handle (Core Specification Vol 3 Part F 3.4.4.3 to 3.4.4.8, 3.4.4.11).
extension ATTServer {
    /// Answers Read (3.4.4.3): as much of the value as fits.
    func read(_ parameters: ByteReader) throws(ATTFailure) -> [UInt8] {
        let handle = try Self.parse(parameters) { (reader) throws(ByteReader.Truncated) in try reader.uint16LE() }
        return [ATTOpcode.readResponse.rawValue] + (try value(at: handle)).prefix(mtu - 1)
    }

    /// Answers Read Blob (3.4.4.5): the value from an offset, or nothing at the end. Throws for an offset beyond the
    /// end.
    func readBlob(_ parameters: ByteReader) throws(ATTFailure) -> [UInt8] {
        let (handle, offset) = try Self.parse(parameters) { (reader) throws(ByteReader.Truncated) in
            (try reader.uint16LE(), Int(try reader.uint16LE()))
        }
        let value = try value(at: handle)
        guard offset <= value.count else { throw ATTFailure(.invalidOffset, handle) }
        return [ATTOpcode.readBlobResponse.rawValue] + value.dropFirst(offset).prefix(mtu - 1)
    }

    /// Answers Read Multiple (3.4.4.7): consecutive values without lengths.
    func readMultiple(_ parameters: ByteReader) throws(ATTFailure) -> [UInt8] {
        var response = [ATTOpcode.readMultipleResponse.rawValue]
        for handle in try handles(parameters) {
            // Check every value: a value that may not be read is an error even if the response has no room for the
            // value.
            let value = try value(at: handle)
            response += value.prefix(max(mtu - response.count, 0))
        }
        return response
    }

    /// Answers Read Multiple Variable Length (3.4.4.11): consecutive values, each preceded by its length. The last
    /// value may be truncated.
    func readMultipleVariable(_ parameters: ByteReader) throws(ATTFailure) -> [UInt8] {
        var response = [ATTOpcode.readMultipleVariableResponse.rawValue]
        for handle in try handles(parameters) {
            let value = try value(at: handle)
            guard response.count + 2 <= mtu else { continue }
            response.appendLE(UInt16(truncatingIfNeeded: value.count))
            response += value.prefix(mtu - response.count)
        }
        return response
    }

    /// Reads the handles of a request; fewer than two are an Invalid PDU.
    private func handles(_ parameters: ByteReader) throws(ATTFailure) -> [UInt16] {
        let handles = try Self.parse(parameters) { (reader) throws(ByteReader.Truncated) in
            var handles: [UInt16] = []
            while reader.remaining > 0 { handles.append(try reader.uint16LE()) }
            return handles
        }
        guard handles.count >= 2 else { throw ATTFailure(.invalidPDU) }
        return handles
    }

    private func value(at handle: UInt16) throws(ATTFailure) -> [UInt8] {
        guard let attribute = database[handle] else { throw ATTFailure(.invalidHandle, handle) }
        return try value(of: attribute)
    }
}
