import Encoding

/// An event from the controller that a peripheral needs (Core Specification Vol 4 Part E 7.7).
enum HCIEvent: Equatable, Sendable {
    /// Command Complete (7.7.14): an answer with results. The event also grants `credits` command credits.
    case commandComplete(HCIOpcode, credits: UInt8, returnParameters: ArraySlice<UInt8>)
    /// Command Status (7.7.15): an answer before the result. The event also grants `credits` command credits.
    case commandStatus(HCIOpcode, credits: UInt8, HCIStatus)
    /// Disconnection Complete (7.7.5): a connection has ended for the reason `reason`.
    case disconnectionComplete(ConnectionHandle, HCIStatus, reason: HCIStatus)
    /// Hardware Error (7.7.16): the controller reports an internal error with the maker's code.
    case hardwareError(UInt8)
    /// Number Of Completed Packets (7.7.19): the data packets, by connection, that were sent or flushed since the
    /// previous event of this kind.
    case numberOfCompletedPackets([CompletedPackets])
    /// LE Connection Complete and LE Enhanced Connection Complete (7.7.65.1 and 7.7.65.10): a connection was made, or
    /// failed with the given status.
    case connectionComplete(HCIStatus, Connection)
    /// LE Connection Update Complete (7.7.65.3): the connection parameters have changed, or the change failed with the
    /// given status.
    case connectionUpdateComplete(ConnectionHandle, HCIStatus, ConnectionParameters)
    /// LE Long Term Key Request (7.7.65.5): the central wants to encrypt, and expects this host to have a key.
    case longTermKeyRequest(ConnectionHandle)
    /// LE Remote Connection Parameter Request (7.7.65.6): the central wants other connection parameters. `wanted`: the
    /// 8 bytes of the parameters as received.
    case remoteConnectionParameterRequest(ConnectionHandle, wanted: ArraySlice<UInt8>)
    /// LE Advertising Set Terminated (7.7.65.18): the advertising set `set` has ended. If the status is success, the
    /// given connection ended the set; otherwise the status is the reason.
    case advertisingSetTerminated(HCIStatus, set: UInt8, ConnectionHandle)
    /// A well-formed event that this host does not use (data length change, PHY update, remote features, vendor events
    /// …).
    case other(code: UInt8)

    /// Decodes a whole H4 packet; nil if the packet is truncated or contradicts its length.
    init?(packet: [UInt8]) {
        var reader = ByteReader(packet)
        guard let event = try? HCIEvent(&reader) else { return nil }
        self = event
    }

    private init(_ reader: inout ByteReader) throws(ByteReader.Truncated) {
        _ = try reader.uint8()
        let code = try reader.uint8()
        let length = try reader.uint8()
        var body = ByteReader(try reader.take(Int(length)))
        switch code {
        case 0x05:
            let status = HCIStatus(rawValue: try body.uint8())
            let handle = try ConnectionHandle(&body)
            self = .disconnectionComplete(handle, status, reason: HCIStatus(rawValue: try body.uint8()))
        case 0x0E:
            let credits = try body.uint8()
            let opcode = HCIOpcode(rawValue: try body.uint16LE())
            self = .commandComplete(opcode, credits: credits, returnParameters: body.rest)
        case 0x0F:
            let status = HCIStatus(rawValue: try body.uint8())
            let credits = try body.uint8()
            self = .commandStatus(HCIOpcode(rawValue: try body.uint16LE()), credits: credits, status)
        case 0x10:
            self = .hardwareError(try body.uint8())
        case 0x13:
            var counts: [CompletedPackets] = []
            for _ in 0..<(try body.uint8()) {
                let handle = try ConnectionHandle(&body)
                counts.append(CompletedPackets(handle: handle, count: Int(try body.uint16LE())))
            }
            self = .numberOfCompletedPackets(counts)
        case 0x3E:
            self = try HCIEvent(meta: &body)
        default:
            self = .other(code: code)
        }
    }

    /// Reads the LE meta event (7.7.65).
    private init(meta body: inout ByteReader) throws(ByteReader.Truncated) {
        switch try body.uint8() {
        case 0x01:
            self = try HCIEvent(connection: &body, enhanced: false)
        case 0x0A, 0x29:  // Version 2 (7.7.65.10) only appends fields for periodic advertising.
            self = try HCIEvent(connection: &body, enhanced: true)
        case 0x03:
            let status = HCIStatus(rawValue: try body.uint8())
            let handle = try ConnectionHandle(&body)
            self = .connectionUpdateComplete(handle, status, try ConnectionParameters(&body))
        case 0x05:
            self = .longTermKeyRequest(try ConnectionHandle(&body))
        case 0x06:
            let handle = try ConnectionHandle(&body)
            self = .remoteConnectionParameterRequest(handle, wanted: try body.take(8))
        case 0x12:
            let status = HCIStatus(rawValue: try body.uint8())
            let set = try body.uint8()
            self = .advertisingSetTerminated(status, set: set, try ConnectionHandle(&body))
        default:
            self = .other(code: 0x3E)
        }
    }

    private init(connection body: inout ByteReader, enhanced: Bool) throws(ByteReader.Truncated) {
        let status = HCIStatus(rawValue: try body.uint8())
        let handle = try ConnectionHandle(&body)
        let role: Connection.Role = try body.uint8() == 0 ? .central : .peripheral
        // Types 2 and 3 (Enhanced only) are resolved identities of public and random kind.
        let isRandom = try body.uint8() & 1 == 1
        let peer = DeviceAddress(bytes: try body.take(6), isRandom: isRandom)
        // Skip the resolvable private addresses of both sides: on this host the controller does not resolve addresses.
        if enhanced { _ = try body.take(12) }
        let parameters = try ConnectionParameters(&body)
        self = .connectionComplete(status, Connection(handle: handle, role: role, peer: peer, parameters: parameters))
    }
}

/// One entry of Number Of Completed Packets.
struct CompletedPackets: Equatable, Sendable {
    let handle: ConnectionHandle
    let count: Int
}
