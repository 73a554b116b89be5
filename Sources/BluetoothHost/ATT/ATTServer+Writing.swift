import Encoding

/// Requests and commands that write (Core Specification Vol 3 Part F 3.4.5).
extension ATTServer {
    /// Answers Write Request (3.4.5.1). The response is sent first, so that the phone's next write does not wait for
    /// the effects of this write.
    mutating func writeRequest(_ parameters: ByteReader) throws(ATTFailure) -> Answer {
        let (handle, value) = try Self.parse(parameters, Self.handleAndValue)
        let news = try write(value, to: handle, withResponse: true)
        return Answer(response: [ATTOpcode.writeResponse.rawValue], news: news)
    }

    /// Handles Write Command (3.4.5.3). A command gets no answer, not even a refusal.
    mutating func writeCommand(_ parameters: ByteReader) -> Answer {
        guard let (handle, value) = try? Self.parse(parameters, Self.handleAndValue),
            let news = try? write(value, to: handle, withResponse: false)
        else { return .none }
        return Answer(news: news)
    }

    private mutating func write(
        _ value: ArraySlice<UInt8>, to handle: UInt16, withResponse: Bool
    ) throws(ATTFailure) -> News? {
        guard let attribute = database[handle] else { throw ATTFailure(.invalidHandle, handle) }
        switch attribute.content {
        case .declaration:
            throw ATTFailure(.writeNotPermitted, handle)
        case .value(_, let properties, let id):
            guard let id, !properties.isDisjoint(with: [.write, .writeWithoutResponse]) else {
                throw ATTFailure(.writeNotPermitted, handle)
            }
            guard value.count <= AttributeDatabase.maximumValueLength else {
                throw ATTFailure(.invalidAttributeValueLength, handle)
            }
            return .written(id, [UInt8](value), withResponse: withResponse)
        case .clientConfiguration(_, let id):
            return try writeConfiguration(value, to: handle, id)
        }
    }

    /// Handles a write of a client configuration (Vol 3 Part G 3.3.3.3). Notifications are granted for indicate-only
    /// characteristics, too: deployed verifiers send notifications on these characteristics, and a refusal would stop
    /// wallets that request notifications.
    private mutating func writeConfiguration(
        _ value: ArraySlice<UInt8>, to handle: UInt16, _ id: CharacteristicID?
    ) throws(ATTFailure) -> News? {
        var reader = ByteReader(value)
        guard value.count == 2, let bits = try? reader.uint16LE() else {
            throw ATTFailure(.invalidAttributeValueLength, handle)
        }
        guard let configuration = ClientConfiguration(rawValue: bits) else {
            throw ATTFailure(.improperlyConfigured, handle)
        }
        configure(handle, configuration)
        return id.map { .configured($0, configuration) }
    }

    private static func handleAndValue(
        _ reader: inout ByteReader
    ) throws(ByteReader.Truncated) -> (handle: UInt16, value: ArraySlice<UInt8>) {
        (try reader.uint16LE(), try reader.take(reader.remaining))
    }
}
