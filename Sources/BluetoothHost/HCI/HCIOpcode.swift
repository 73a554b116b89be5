import Encoding

/// The number of an HCI command: 6 bits of group and 10 bits of command (Core Specification Vol 4 Part E 5.4.1).
package struct HCIOpcode: RawRepresentable, Hashable, Sendable {
    /// The opcode: its group in the upper 6 bits, its number in the lower 10.
    package let rawValue: UInt16

    /// Creates the opcode with the given number.
    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    private init(_ group: UInt16, _ number: UInt16) {
        rawValue = group << 10 | number
    }

    // Link Control, Vol 4 Part E 7.1
    static let disconnect = HCIOpcode(0x01, 0x006)

    // Controller & Baseband, Vol 4 Part E 7.3
    static let setEventMask = HCIOpcode(0x03, 0x001)
    static let reset = HCIOpcode(0x03, 0x003)

    // Informational Parameters, Vol 4 Part E 7.4
    static let readLocalVersion = HCIOpcode(0x04, 0x001)
    static let readLocalSupportedCommands = HCIOpcode(0x04, 0x002)
    static let readLocalSupportedFeatures = HCIOpcode(0x04, 0x003)
    static let readBufferSize = HCIOpcode(0x04, 0x005)
    static let readAddress = HCIOpcode(0x04, 0x009)

    // LE Controller, Vol 4 Part E 7.8
    static let leSetEventMask = HCIOpcode(0x08, 0x001)
    static let leReadBufferSize = HCIOpcode(0x08, 0x002)
    static let leReadLocalSupportedFeatures = HCIOpcode(0x08, 0x003)
    static let leSetRandomAddress = HCIOpcode(0x08, 0x005)
    static let leSetAdvertisingParameters = HCIOpcode(0x08, 0x006)
    static let leSetAdvertisingData = HCIOpcode(0x08, 0x008)
    static let leSetScanResponseData = HCIOpcode(0x08, 0x009)
    static let leSetAdvertisingEnable = HCIOpcode(0x08, 0x00A)
    static let leLongTermKeyRequestNegativeReply = HCIOpcode(0x08, 0x01B)
    static let leReadSupportedStates = HCIOpcode(0x08, 0x01C)
    static let leRemoteConnectionParameterRequestReply = HCIOpcode(0x08, 0x020)
    static let leSetDataLength = HCIOpcode(0x08, 0x022)
    static let leWriteSuggestedDefaultDataLength = HCIOpcode(0x08, 0x024)
    static let leSetDefaultPHY = HCIOpcode(0x08, 0x031)
    static let leSetPHY = HCIOpcode(0x08, 0x032)
    static let leSetAdvertisingSetRandomAddress = HCIOpcode(0x08, 0x035)
    static let leSetExtendedAdvertisingParameters = HCIOpcode(0x08, 0x036)
    static let leSetExtendedAdvertisingData = HCIOpcode(0x08, 0x037)
    static let leSetExtendedScanResponseData = HCIOpcode(0x08, 0x038)
    static let leSetExtendedAdvertisingEnable = HCIOpcode(0x08, 0x039)
    static let leReadNumberOfSupportedAdvertisingSets = HCIOpcode(0x08, 0x03B)

    /// The commands by which advertising sets are used (7.8.52 to 7.8.58).
    static let advertisingSets: [HCIOpcode] = [
        .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
        .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leReadNumberOfSupportedAdvertisingSets,
    ]

    /// The bit of Read Local Supported Commands that announces the command (Vol 4 Part E 6.27); nil for a command that
    /// is sent without an announcement.
    var announcement: (octet: Int, bit: Int)? {
        switch self {
        case .leSetDataLength: (33, 6)
        case .leWriteSuggestedDefaultDataLength: (34, 0)
        case .leSetDefaultPHY: (35, 5)
        case .leSetPHY: (35, 6)
        case .leSetAdvertisingSetRandomAddress: (36, 1)
        case .leSetExtendedAdvertisingParameters: (36, 2)
        case .leSetExtendedAdvertisingData: (36, 3)
        case .leSetExtendedScanResponseData: (36, 4)
        case .leSetExtendedAdvertisingEnable: (36, 5)
        case .leReadNumberOfSupportedAdvertisingSets: (36, 7)
        default: nil
        }
    }
}

extension HCIOpcode: CustomStringConvertible {
    /// The number of the command and, if this host uses the command, its name in the Core Specification.
    package var description: String {
        let name =
            switch self {
            case .disconnect: "Disconnect"
            case .setEventMask: "Set Event Mask"
            case .reset: "Reset"
            case .readLocalVersion: "Read Local Version Information"
            case .readLocalSupportedCommands: "Read Local Supported Commands"
            case .readLocalSupportedFeatures: "Read Local Supported Features"
            case .readBufferSize: "Read Buffer Size"
            case .readAddress: "Read BD_ADDR"
            case .leSetEventMask: "LE Set Event Mask"
            case .leReadBufferSize: "LE Read Buffer Size"
            case .leReadLocalSupportedFeatures: "LE Read Local Supported Features"
            case .leSetRandomAddress: "LE Set Random Address"
            case .leSetAdvertisingParameters: "LE Set Advertising Parameters"
            case .leSetAdvertisingData: "LE Set Advertising Data"
            case .leSetScanResponseData: "LE Set Scan Response Data"
            case .leSetAdvertisingEnable: "LE Set Advertising Enable"
            case .leLongTermKeyRequestNegativeReply: "LE Long Term Key Request Negative Reply"
            case .leRemoteConnectionParameterRequestReply: "LE Remote Connection Parameter Request Reply"
            case .leReadSupportedStates: "LE Read Supported States"
            case .leSetDataLength: "LE Set Data Length"
            case .leWriteSuggestedDefaultDataLength: "LE Write Suggested Default Data Length"
            case .leSetDefaultPHY: "LE Set Default PHY"
            case .leSetPHY: "LE Set PHY"
            case .leSetAdvertisingSetRandomAddress: "LE Set Advertising Set Random Address"
            case .leSetExtendedAdvertisingParameters: "LE Set Extended Advertising Parameters"
            case .leSetExtendedAdvertisingData: "LE Set Extended Advertising Data"
            case .leSetExtendedScanResponseData: "LE Set Extended Scan Response Data"
            case .leSetExtendedAdvertisingEnable: "LE Set Extended Advertising Enable"
            case .leReadNumberOfSupportedAdvertisingSets: "LE Read Number of Supported Advertising Sets"
            default: "HCI command"
            }
        return name + " (0x" + Hex.encode([UInt8(rawValue >> 8), UInt8(rawValue & 0xFF)]) + ")"
    }
}
