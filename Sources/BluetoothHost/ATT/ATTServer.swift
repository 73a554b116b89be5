import Encoding

/// The attribute server of one connection: the shared attributes, and the MTU and client configurations of the
/// connection (Core Specification Vol 3 Part F 3.4).
///
/// Every request gets exactly one answer, and no command gets an answer, whatever their content. The server starts no
/// procedures except notifications and indications, because any other procedure makes the Android wallet lose its
/// session.
struct ATTServer: Sendable {
    /// The result of one PDU from the phone. The response is sent first, so that the phone's next request does not wait
    /// for the effects of this PDU.
    struct Answer: Equatable, Sendable {
        /// The PDU to send back; nil if the phone's PDU gets no answer.
        var response: [UInt8]?
        /// The event to report to the application; nil if there is none.
        var news: News?

        /// The result without a response and without an event.
        static let none = Answer()
    }

    /// An event that the phone caused.
    enum News: Equatable, Sendable {
        /// The phone exchanged MTUs. The value is the resulting MTU in bytes, even if it is unchanged.
        case mtuExchanged(Int)
        case written(CharacteristicID, [UInt8], withResponse: Bool)
        case configured(CharacteristicID, ClientConfiguration)
        case confirmed
    }

    /// The MTU of an LE link before any exchange, which is also the minimum (Vol 3 Part G 5.2.1).
    static let defaultMTU = 23

    let database: AttributeDatabase
    /// The longest PDU that this host accepts: the number in every Exchange MTU Response.
    let receiveMTU: Int
    /// The longest PDU that may be sent to the phone.
    private(set) var mtu = defaultMTU
    /// The client configurations that the phone wrote, by handle. They are empty at the start of each link, because no
    /// bond preserves them (Vol 3 Part G 3.3.3.3).
    private(set) var configurations: [UInt16: ClientConfiguration] = [:]

    init(database: AttributeDatabase, receiveMTU: Int) {
        self.database = database
        self.receiveMTU = min(max(receiveMTU, Self.defaultMTU), AttributeDatabase.maximumValueLength + 5)
    }

    /// Returns the client configuration that the phone wrote for the characteristic with the value handle `handle`.
    func configuration(forValue handle: UInt16) -> ClientConfiguration {
        handle == .max ? .none : configurations[handle + 1] ?? .none
    }

    /// Handles one PDU.
    mutating func receive(_ pdu: ArraySlice<UInt8>) -> Answer {
        guard let code = pdu.first else { return .none }
        let parameters = pdu.dropFirst()
        guard let opcode = ATTOpcode(rawValue: code) else {
            if ATTOpcode.isCommand(code) { return .none }
            return Answer(response: Self.refusal(of: code, ATTFailure(.requestNotSupported)))
        }
        do {
            return try answer(opcode, ByteReader(parameters))
        } catch {
            return Answer(response: Self.refusal(of: code, error))
        }
    }

    /// Answers one PDU of a known kind. Throws for requests only.
    private mutating func answer(_ opcode: ATTOpcode, _ parameters: ByteReader) throws(ATTFailure) -> Answer {
        switch opcode {
        case .exchangeMTURequest: return try exchangeMTU(parameters)
        case .findInformationRequest: return Answer(response: try findInformation(parameters))
        case .findByTypeValueRequest: return Answer(response: try findByTypeValue(parameters))
        case .readByTypeRequest: return Answer(response: try readByType(parameters))
        case .readByGroupTypeRequest: return Answer(response: try readByGroupType(parameters))
        case .readRequest: return Answer(response: try read(parameters))
        case .readBlobRequest: return Answer(response: try readBlob(parameters))
        case .readMultipleRequest: return Answer(response: try readMultiple(parameters))
        case .readMultipleVariableRequest: return Answer(response: try readMultipleVariable(parameters))
        case .writeRequest: return try writeRequest(parameters)
        case .writeCommand: return writeCommand(parameters)
        case .prepareWriteRequest, .executeWriteRequest:
            // Queued writes are optional (Vol 3 Part F table 4.1). A server without queued writes refuses both requests
            // with this error (3.4.1.1). Every value of a wallet fits into one PDU of the offered MTU.
            throw ATTFailure(.requestNotSupported)
        case .handleValueConfirmation:
            return parameters.remaining == 0 ? Answer(news: .confirmed) : .none
        case .handleValueIndication:
            // The phone's server sends this PDU to a client that does not exist here. Without a confirmation, the
            // phone's server would be blocked for 30 s.
            return Answer(response: [ATTOpcode.handleValueConfirmation.rawValue])
        case .signedWriteCommand:
            return .none  // A signature needs a key from pairing, so none can be valid (Vol 3 Part F 3.3.1).
        case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
            .readByTypeResponse, .readResponse, .readBlobResponse, .readMultipleResponse, .readByGroupTypeResponse,
            .writeResponse, .prepareWriteResponse, .executeWriteResponse, .handleValueNotification,
            .readMultipleVariableResponse, .multipleHandleValueNotification:
            return .none  // Answers to requests that this host never sends.
        }
    }

    /// Answers Exchange MTU (3.4.2). Every response has the same MTU: wallets ask up to three times, and give up for
    /// ever after one error.
    private mutating func exchangeMTU(_ parameters: ByteReader) throws(ATTFailure) -> Answer {
        let client = try Self.parse(parameters) { (reader) throws(ByteReader.Truncated) in Int(try reader.uint16LE()) }
        mtu = max(min(client, receiveMTU), Self.defaultMTU)
        var response = [ATTOpcode.exchangeMTUResponse.rawValue]
        response.appendLE(UInt16(truncatingIfNeeded: receiveMTU))
        return Answer(response: response, news: .mtuExchanged(mtu))
    }

    mutating func configure(_ handle: UInt16, _ configuration: ClientConfiguration) {
        configurations[handle] = configuration
    }

    // MARK: Helpers of the request handlers

    /// Reads all parameters of a request. Too few or too many bytes are an Invalid PDU (3.4.1.1).
    static func parse<Value>(
        _ reader: ByteReader, _ body: (inout ByteReader) throws(ByteReader.Truncated) -> Value
    ) throws(ATTFailure) -> Value {
        var reader = reader
        do {
            let value = try body(&reader)
            if reader.remaining == 0 { return value }
        } catch {}
        throw ATTFailure(.invalidPDU)
    }

    /// Reads the handle range at the beginning of discovery requests (3.4.3.1).
    static func range(_ reader: inout ByteReader) throws(ByteReader.Truncated) -> (start: UInt16, end: UInt16) {
        (try reader.uint16LE(), try reader.uint16LE())
    }

    /// Returns the attributes of a requested range. Throws for handle 0 and for a reversed range (3.4.3.1).
    func attributes(_ range: (start: UInt16, end: UInt16)) throws(ATTFailure) -> ArraySlice<Attribute> {
        guard range.start > 0, range.start <= range.end else { throw ATTFailure(.invalidHandle, range.start) }
        return database[range.start, range.end]
    }

    /// Returns the whole current value of an attribute.
    func value(of attribute: Attribute) throws(ATTFailure) -> [UInt8] {
        guard attribute.isReadable else { throw ATTFailure(.readNotPermitted, attribute.handle) }
        switch attribute.content {
        case .declaration(let bytes), .value(let bytes, _, _): return bytes
        case .clientConfiguration:
            var bytes: [UInt8] = []
            bytes.appendLE((configurations[attribute.handle] ?? .none).rawValue)
            return bytes
        }
    }

    private static func refusal(of opcode: UInt8, _ failure: ATTFailure) -> [UInt8] {
        var response = [ATTOpcode.errorResponse.rawValue, opcode]
        response.appendLE(failure.handle)
        response.append(failure.error.rawValue)
        return response
    }
}
