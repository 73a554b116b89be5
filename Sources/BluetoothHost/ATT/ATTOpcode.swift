/// The kinds of ATT PDU (Core Specification Vol 3 Part F table 3.37).
enum ATTOpcode: UInt8, Sendable {
    case errorResponse = 0x01
    case exchangeMTURequest = 0x02
    case exchangeMTUResponse = 0x03
    case findInformationRequest = 0x04
    case findInformationResponse = 0x05
    case findByTypeValueRequest = 0x06
    case findByTypeValueResponse = 0x07
    case readByTypeRequest = 0x08
    case readByTypeResponse = 0x09
    case readRequest = 0x0A
    case readResponse = 0x0B
    case readBlobRequest = 0x0C
    case readBlobResponse = 0x0D
    case readMultipleRequest = 0x0E
    case readMultipleResponse = 0x0F
    case readByGroupTypeRequest = 0x10
    case readByGroupTypeResponse = 0x11
    case writeRequest = 0x12
    case writeResponse = 0x13
    case prepareWriteRequest = 0x16
    case prepareWriteResponse = 0x17
    case executeWriteRequest = 0x18
    case executeWriteResponse = 0x19
    case handleValueNotification = 0x1B
    case handleValueIndication = 0x1D
    case handleValueConfirmation = 0x1E
    case readMultipleVariableRequest = 0x20
    case readMultipleVariableResponse = 0x21
    case multipleHandleValueNotification = 0x23
    case writeCommand = 0x52
    case signedWriteCommand = 0xD2

    /// Returns whether an opcode belongs to a command. Bit 6 marks commands, which are never answered (Vol 3 Part F
    /// 3.3.1).
    static func isCommand(_ opcode: UInt8) -> Bool { opcode & 0x40 != 0 }
}

/// The reason for refusing a request (Core Specification Vol 3 Part F table 3.4; from 0xE0: Supplement Part B 1.2).
enum ATTError: UInt8, Sendable {
    case invalidHandle = 0x01
    case readNotPermitted = 0x02
    case writeNotPermitted = 0x03
    case invalidPDU = 0x04
    case requestNotSupported = 0x06
    case invalidOffset = 0x07
    case attributeNotFound = 0x0A
    case invalidAttributeValueLength = 0x0D
    case unsupportedGroupType = 0x10
    case improperlyConfigured = 0xFD
}

/// A refusal with the handle of the attribute, or 0 if no attribute is concerned (Vol 3 Part F 3.4.1.1).
struct ATTFailure: Error, Equatable, Sendable {
    let error: ATTError
    let handle: UInt16

    init(_ error: ATTError, _ handle: UInt16 = 0) {
        self.error = error
        self.handle = handle
    }
}
