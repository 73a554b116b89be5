import Encoding

/// The attribute server as one connection sees it: the shared attributes, and the connection's own MTU and
/// client configurations (Core Specification Vol 3 Part F 3.4).
///
/// Every request gets exactly one answer, and a command gets no answer, whatever they contain. The server
/// starts no procedure except notifications and indications, because the Android wallet loses its session
/// when it receives another procedure.
struct ATTServer: Sendable {
    /// The result of one PDU from the phone. The response is sent first, so that the phone's next request
    /// does not wait for the work that this PDU causes.
    struct Answer: Equatable, Sendable {
        /// The PDU to send back.
        var response: [UInt8]?
        /// The news to report to the application.
        var news: News?

        /// The result without a response and without news.
        static let none = Answer()
    }

    /// What a phone has done.
    enum News: Equatable, Sendable {
        /// The phone exchanged MTUs. The value is the MTU in bytes after the exchange, even if it is the same
        /// as before.
        case mtuExchanged(Int)
        case written(CharacteristicID, [UInt8], withResponse: Bool)
        case configured(CharacteristicID, ClientConfiguration)
        case confirmed
    }

    /// The MTU of an LE link before any exchange, and the smallest one allowed (Vol 3 Part G 5.2.1).
    static let defaultMTU = 23

    let database: AttributeDatabase
    /// The longest PDU that this host takes: the number in every Exchange MTU Response.
    let receiveMTU: Int
    /// The longest PDU that may be sent to the phone.
    private(set) var mtu = defaultMTU
    /// What the phone wrote into the client configurations, by handle. Empty at the start of each link: no
    /// bond exists that would preserve it (Vol 3 Part G 3.3.3.3).
    private(set) var configurations: [UInt16: ClientConfiguration] = [:]

    init(database: AttributeDatabase, receiveMTU: Int) {
        self.database = database
        self.receiveMTU = min(max(receiveMTU, Self.defaultMTU), AttributeDatabase.maximumValueLength + 5)
    }

    /// Returns the client configuration that the phone wrote for the characteristic whose value has the
    /// handle `handle`.
    func configuration(forValue handle: UInt16) -> ClientConfiguration {
        handle == .max ? .none : configurations[handle + 1] ?? .none
    }

    /// Takes one PDU.
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
            // Queued writes are optional (Vol 3 Part F table 4.1); a server without queued writes refuses
            // both requests with this error (3.4.1.1). Every value a wallet writes fits into one PDU of the
            // offered MTU.
            throw ATTFailure(.requestNotSupported)
        case .handleValueConfirmation:
            return parameters.remaining == 0 ? Answer(news: .confirmed) : .none
        case .handleValueIndication:
            // The phone's own server sends this to a client that does not exist here. Confirm it: otherwise
            // the phone's server would be blocked for 30 s.
            return Answer(response: [ATTOpcode.handleValueConfirmation.rawValue])
        case .signedWriteCommand:
            return .none  // Needs a key from pairing, so no signature can be valid (Vol 3 Part F 3.3.1).
        case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
            .readByTypeResponse, .readResponse, .readBlobResponse, .readMultipleResponse, .readByGroupTypeResponse,
            .writeResponse, .prepareWriteResponse, .executeWriteResponse, .handleValueNotification,
            .readMultipleVariableResponse, .multipleHandleValueNotification:
            return .none  // Answers to requests that this host never sends.
        }
    }

    /// Answers Exchange MTU (3.4.2). The response has the same MTU each time, because wallets ask up to three
    /// times and give up permanently after one error.
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

    /// Reads all of a request's parameters; too few or too many bytes are an Invalid PDU (3.4.1.1).
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

    /// Returns the attributes of a requested range. Handle 0 and a reversed range are errors (3.4.3.1).
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
