import Encoding

/// One HCI command to the controller (Core Specification Vol 4 Part E 5.4.1).
struct HCICommand: Equatable, Sendable {
    /// The consequence if the controller does not know or does not answer the command.
    enum Requirement: Sendable {
        /// The host cannot work without the command. Without an answer, the controller counts as dead.
        case mandatory
        /// The command is only an improvement. "Unknown command" and silence both mean "not supported".
        case optional
    }

    let opcode: HCIOpcode
    let parameters: [UInt8]
    let requirement: Requirement
    /// The connection of the command; nil for a command without a connection. A command that still waits at the end of
    /// its connection is dropped.
    let connection: ConnectionHandle?

    init(
        _ opcode: HCIOpcode, _ parameters: [UInt8] = [], _ requirement: Requirement = .mandatory,
        connection: ConnectionHandle? = nil
    ) {
        self.opcode = opcode
        self.parameters = parameters
        self.requirement = requirement
        self.connection = connection
    }

    /// The H4 packet. The host's commands have at most 64 parameter bytes.
    var packet: [UInt8] {
        var packet: [UInt8] = [H4Framing.PacketType.command.rawValue]
        packet.appendLE(opcode.rawValue)
        packet.append(UInt8(truncatingIfNeeded: parameters.count))
        return packet + parameters
    }
}

/// The commands of an LE peripheral with the parameters of this host. Section numbers refer to Core Specification Vol 4
/// Part E.
extension HCICommand {
    /// Disconnect (7.1.6).
    static func disconnect(_ handle: ConnectionHandle, _ reason: DisconnectReason) -> HCICommand {
        HCICommand(.disconnect, handle.bytes + [reason.rawValue], connection: handle)
    }

    /// Set Event Mask (7.3.1): disconnection (bit 4), encryption change (7), remote version (11), hardware error (15),
    /// data buffer overflow (25), encryption key refresh (47), and the LE meta event (61), which contains all other
    /// events.
    static let setEventMask = HCICommand(.setEventMask, [0x90, 0x88, 0x00, 0x02, 0x00, 0x80, 0x00, 0x20])

    /// LE Set Event Mask (7.8.1): connection complete (bit 0), connection update (2), remote features (3), long term
    /// key request (4), remote connection parameter request (5), data length change (6), enhanced connection complete
    /// (9), PHY update (11). With advertising sets, the mask includes set terminated (17), too.
    ///
    /// The command is optional, because the default mask includes connection complete.
    static func leSetEventMask(withSets: Bool) -> HCICommand {
        HCICommand(.leSetEventMask, [0x7D, 0x0A, withSets ? 0x02 : 0, 0, 0, 0, 0, 0], .optional)
    }

    /// LE Set Random Address (7.8.4).
    static func leSetRandomAddress(_ address: DeviceAddress) -> HCICommand {
        HCICommand(.leSetRandomAddress, address.bytes)
    }

    /// LE Set Advertising Parameters (7.8.5): connectable and scannable undirected advertising (ADV_IND), from the
    /// random address, on all three channels, to all devices. Intervals are in units of 0.625 ms.
    static func leSetAdvertisingParameters(interval: ClosedRange<UInt16>) -> HCICommand {
        var parameters: [UInt8] = []
        parameters.appendLE(interval.lowerBound)
        parameters.appendLE(interval.upperBound)
        parameters += [0x00, 0x01, 0x00]  // ADV_IND, own address random, peer address type unused
        parameters += [0, 0, 0, 0, 0, 0]
        parameters += [0x07, 0x00]  // channels 37, 38, 39; no filter
        return HCICommand(.leSetAdvertisingParameters, parameters)
    }

    /// LE Set Advertising Data (7.8.7): the length, and then always 31 bytes.
    static func leSetAdvertisingData(_ data: [UInt8]) -> HCICommand {
        HCICommand(.leSetAdvertisingData, padded(data))
    }

    /// LE Set Scan Response Data (7.8.8): the length, and then always 31 bytes.
    static func leSetScanResponseData(_ data: [UInt8]) -> HCICommand {
        HCICommand(.leSetScanResponseData, padded(data))
    }

    /// LE Set Advertising Enable (7.8.9).
    static func leSetAdvertisingEnable(_ on: Bool) -> HCICommand {
        HCICommand(.leSetAdvertisingEnable, [on ? 1 : 0])
    }

    /// LE Long Term Key Request Negative Reply (7.8.25): this host never has a key.
    static func leLongTermKeyRequestNegativeReply(_ handle: ConnectionHandle) -> HCICommand {
        HCICommand(.leLongTermKeyRequestNegativeReply, handle.bytes, .optional, connection: handle)
    }

    /// LE Remote Connection Parameter Request Reply (7.8.31): accepts the parameters that the central requested.
    /// `wanted` has interval minimum and maximum, latency and timeout, as received. The controller chooses the
    /// connection event lengths (0).
    static func leRemoteConnectionParameterRequestReply(
        _ handle: ConnectionHandle, wanted: ArraySlice<UInt8>
    ) -> HCICommand {
        let parameters = handle.bytes + wanted + [0, 0, 0, 0]
        return HCICommand(.leRemoteConnectionParameterRequestReply, parameters, .optional, connection: handle)
    }

    /// LE Set Data Length (7.8.33): the longest packets possible, 251 bytes in 2120 µs.
    static func leSetDataLength(_ handle: ConnectionHandle) -> HCICommand {
        HCICommand(.leSetDataLength, handle.bytes + longestPackets, .optional, connection: handle)
    }

    /// LE Write Suggested Default Data Length (7.8.35).
    static let leWriteSuggestedDefaultDataLength =
        HCICommand(.leWriteSuggestedDefaultDataLength, longestPackets, .optional)

    /// LE Set Default PHY (7.8.48): 1M or 2M in both directions.
    static let leSetDefaultPHY = HCICommand(.leSetDefaultPHY, [0x00, 0x03, 0x03], .optional)

    /// LE Set PHY (7.8.49): 2M in both directions. The last two bytes are options of the coded PHY.
    static func leSetPHY(_ handle: ConnectionHandle) -> HCICommand {
        HCICommand(.leSetPHY, handle.bytes + [0x00, 0x02, 0x02, 0x00, 0x00], .optional, connection: handle)
    }

    /// LE Set Advertising Set Random Address (7.8.52).
    static func leSetAdvertisingSetRandomAddress(_ set: UInt8, _ address: DeviceAddress) -> HCICommand {
        HCICommand(.leSetAdvertisingSetRandomAddress, [set] + address.bytes)
    }

    /// LE Set Extended Advertising Parameters (7.8.53): the parameters of ``leSetAdvertisingParameters(interval:)``,
    /// with legacy PDUs.
    static func leSetExtendedAdvertisingParameters(_ set: UInt8, interval: ClosedRange<UInt16>) -> HCICommand {
        var parameters: [UInt8] = [set, 0x13, 0x00]  // connectable, scannable, legacy PDUs
        for bound in [interval.lowerBound, interval.upperBound] {
            parameters += [UInt8(bound & 0xFF), UInt8(bound >> 8), 0]
        }
        parameters += [0x07, 0x01, 0x00]  // all channels, own address random, peer address type unused
        parameters += [0, 0, 0, 0, 0, 0]
        parameters += [0x00, 0x7F]  // no filter, transmit power chosen by the controller
        parameters += [0x01, 0x00, 0x01]  // 1M, no events skipped, 1M
        return HCICommand(.leSetExtendedAdvertisingParameters, parameters + [set & 0x0F, 0x00])
    }

    /// LE Set Extended Advertising Data (7.8.54): the complete data in one piece.
    static func leSetExtendedAdvertisingData(_ set: UInt8, _ data: [UInt8]) -> HCICommand {
        HCICommand(.leSetExtendedAdvertisingData, complete(set, data))
    }

    /// LE Set Extended Scan Response Data (7.8.55): the complete data in one piece.
    static func leSetExtendedScanResponseData(_ set: UInt8, _ data: [UInt8]) -> HCICommand {
        HCICommand(.leSetExtendedScanResponseData, complete(set, data))
    }

    /// LE Set Extended Advertising Enable (7.8.56): switches the given sets on or off, without a limit of time or
    /// events.
    static func leSetExtendedAdvertisingEnable(_ on: Bool, _ sets: [UInt8]) -> HCICommand {
        let head: [UInt8] = [on ? 1 : 0, UInt8(truncatingIfNeeded: sets.count)]
        let parameters = sets.reduce(head) { $0 + [$1, 0, 0, 0] }
        return HCICommand(.leSetExtendedAdvertisingEnable, parameters)
    }

    private static func complete(_ set: UInt8, _ data: [UInt8]) -> [UInt8] {
        let data = Array(data.prefix(Advertisement.maximumBytes))
        return [set, 0x03, 0x01, UInt8(data.count)] + data
    }

    private static let longestPackets: [UInt8] = [0xFB, 0x00, 0x48, 0x08]

    private static func padded(_ data: [UInt8]) -> [UInt8] {
        let data = Array(data.prefix(Advertisement.maximumBytes))
        return [UInt8(data.count)] + data + [UInt8](repeating: 0, count: Advertisement.maximumBytes - data.count)
    }
}
