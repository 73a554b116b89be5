import Encoding

/// One command of the LE signalling channel (Core Specification Vol 3 Part A 4).
struct LESignal: Equatable, Sendable {
    static let commandReject: UInt8 = 0x01
    static let parameterUpdateRequest: UInt8 = 0x12
    static let parameterUpdateResponse: UInt8 = 0x13

    let code: UInt8
    let identifier: UInt8
    let data: ArraySlice<UInt8>

    init(code: UInt8, identifier: UInt8, data: [UInt8]) {
        self.code = code
        self.identifier = identifier
        self.data = data[...]
    }

    /// Reads the command in a PDU of the signalling channel. On LE a PDU has exactly one command (Vol 3 Part A 4). The
    /// data ends with the PDU. Returns nil if the header is incomplete, or if the identifier is 0, which is invalid and
    /// could not be answered.
    init?(_ payload: ArraySlice<UInt8>) {
        var reader = ByteReader(payload)
        guard let code = try? reader.uint8(), let identifier = try? reader.uint8(), identifier != 0,
            (try? reader.uint16LE()) != nil
        else { return nil }
        self.code = code
        self.identifier = identifier
        data = reader.rest
    }

    /// Command Reject, reason "command not understood" (Vol 3 Part A 4.1).
    static func reject(_ identifier: UInt8) -> LESignal {
        LESignal(code: commandReject, identifier: identifier, data: [0x00, 0x00])
    }

    /// Whether the command is an answer (codes of Vol 3 Part A table 4.2). An answer without a request is ignored,
    /// because otherwise two hosts could reject each other's rejections for ever.
    var isAnswer: Bool {
        switch code {
        case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x18, 0x1A: true
        default: false
        }
    }

    var frame: L2CAPFrame {
        var payload = [code, identifier]
        payload.appendLE(UInt16(truncatingIfNeeded: data.count))
        return L2CAPFrame(channel: L2CAPChannel.signaling, payload: payload + data)
    }
}
