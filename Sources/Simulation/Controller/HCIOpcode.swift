/// The HCI commands that the virtual controller supports (Core Specification Vol 4 Part E section 7), by opcode.
package enum HCIOpcode: UInt16, CaseIterable, Sendable {
    case disconnect = 0x0406
    case readRemoteVersion = 0x041D
    case setEventMask = 0x0C01
    case reset = 0x0C03
    case readLEHostSupport = 0x0C6C
    case writeLEHostSupport = 0x0C6D
    case readLocalVersion = 0x1001
    case readLocalSupportedCommands = 0x1002
    case readLocalSupportedFeatures = 0x1003
    case readBufferSize = 0x1005
    case readBDADDR = 0x1009
    case readRSSI = 0x1405
    case leSetEventMask = 0x2001
    case leReadBufferSize = 0x2002
    case leReadLocalSupportedFeatures = 0x2003
    case leSetRandomAddress = 0x2005
    case leSetAdvertisingParameters = 0x2006
    case leReadAdvertisingTxPower = 0x2007
    case leSetAdvertisingData = 0x2008
    case leSetScanResponseData = 0x2009
    case leSetAdvertisingEnable = 0x200A
    case leReadFilterAcceptListSize = 0x200F
    case leClearFilterAcceptList = 0x2010
    case leConnectionUpdate = 0x2013
    case leReadRemoteFeatures = 0x2016
    case leRand = 0x2018
    case leLongTermKeyNegativeReply = 0x201B
    case leReadSupportedStates = 0x201C
    case leRemoteParameterRequestReply = 0x2020
    case leRemoteParameterRequestNegativeReply = 0x2021
    case leSetDataLength = 0x2022
    case leReadSuggestedDataLength = 0x2023
    case leWriteSuggestedDataLength = 0x2024
    case leReadMaximumDataLength = 0x202F
    case leReadPHY = 0x2030
    case leSetDefaultPHY = 0x2031
    case leSetPHY = 0x2032
    case leSetAdvertisingSetRandomAddress = 0x2035
    case leSetExtendedAdvertisingParameters = 0x2036
    case leSetExtendedAdvertisingData = 0x2037
    case leSetExtendedScanResponseData = 0x2038
    case leSetExtendedAdvertisingEnable = 0x2039
    case leReadAdvertisingSets = 0x203B

    /// The commands for advertising sets. A host must not mix them with legacy advertising commands (3.1.1).
    static let advertisingSets: Set<HCIOpcode> = [
        .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
        .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leReadAdvertisingSets,
    ]
    /// The legacy advertising commands, without LE Set Random Address.
    static let legacyAdvertising: Set<HCIOpcode> = [
        .leSetAdvertisingParameters, .leReadAdvertisingTxPower, .leSetAdvertisingData, .leSetScanResponseData,
        .leSetAdvertisingEnable,
    ]

    /// The exact length of the command's parameters in bytes, or the minimum if ``hasVariableLength``.
    package var parameterLength: Int {
        switch self {
        case .leSetAdvertisingSetRandomAddress: 7
        case .leSetExtendedAdvertisingParameters: 25
        case .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData: 4
        case .leSetExtendedAdvertisingEnable: 2
        case .disconnect: 3
        case .readRemoteVersion, .readRSSI, .leReadRemoteFeatures, .leLongTermKeyNegativeReply, .leReadPHY,
            .writeLEHostSupport:
            2
        case .setEventMask, .leSetEventMask: 8
        case .leSetRandomAddress, .leSetDataLength: 6
        case .leSetAdvertisingParameters: 15
        case .leSetAdvertisingData, .leSetScanResponseData: 32
        case .leSetAdvertisingEnable: 1
        case .leConnectionUpdate, .leRemoteParameterRequestReply: 14
        case .leRemoteParameterRequestNegativeReply, .leSetDefaultPHY: 3
        case .leWriteSuggestedDataLength: 4
        case .leSetPHY: 7
        default: 0
        }
    }

    /// Whether the length of the parameters depends on a parameter.
    package var hasVariableLength: Bool {
        switch self {
        case .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable: true
        default: false
        }
    }

    /// The position of the command in the Supported Commands bit mask (6.27): octet and bit.
    var supportBit: (octet: Int, bit: Int) {
        switch self {
        case .disconnect: (0, 5)
        case .readRemoteVersion: (2, 7)
        case .setEventMask: (5, 6)
        case .reset: (5, 7)
        case .readLocalVersion: (14, 3)
        case .readLocalSupportedCommands: (14, 4)
        case .readLocalSupportedFeatures: (14, 5)
        case .readBufferSize: (14, 7)
        case .readBDADDR: (15, 1)
        case .readRSSI: (15, 5)
        case .readLEHostSupport: (24, 5)
        case .writeLEHostSupport: (24, 6)
        case .leSetEventMask: (25, 0)
        case .leReadBufferSize: (25, 1)
        case .leReadLocalSupportedFeatures: (25, 2)
        case .leSetRandomAddress: (25, 4)
        case .leSetAdvertisingParameters: (25, 5)
        case .leReadAdvertisingTxPower: (25, 6)
        case .leSetAdvertisingData: (25, 7)
        case .leSetScanResponseData: (26, 0)
        case .leSetAdvertisingEnable: (26, 1)
        case .leReadFilterAcceptListSize: (26, 6)
        case .leClearFilterAcceptList: (26, 7)
        case .leConnectionUpdate: (27, 2)
        case .leReadRemoteFeatures: (27, 5)
        case .leRand: (27, 7)
        case .leLongTermKeyNegativeReply: (28, 2)
        case .leReadSupportedStates: (28, 3)
        case .leRemoteParameterRequestReply: (33, 4)
        case .leRemoteParameterRequestNegativeReply: (33, 5)
        case .leSetDataLength: (33, 6)
        case .leReadSuggestedDataLength: (33, 7)
        case .leWriteSuggestedDataLength: (34, 0)
        case .leReadMaximumDataLength: (35, 3)
        case .leReadPHY: (35, 4)
        case .leSetDefaultPHY: (35, 5)
        case .leSetPHY: (35, 6)
        case .leSetAdvertisingSetRandomAddress: (36, 1)
        case .leSetExtendedAdvertisingParameters: (36, 2)
        case .leSetExtendedAdvertisingData: (36, 3)
        case .leSetExtendedScanResponseData: (36, 4)
        case .leSetExtendedAdvertisingEnable: (36, 5)
        case .leReadAdvertisingSets: (36, 7)
        }
    }
}

/// The error codes of the controller (Core Specification Vol 1 Part F).
package enum HCIError {
    /// The command is unknown (0x01).
    package static let unknownCommand: UInt8 = 0x01
    /// No connection with the given handle exists (0x02).
    package static let unknownConnection: UInt8 = 0x02
    /// The supervision timeout passed (0x08).
    package static let connectionTimeout: UInt8 = 0x08
    /// The command is not allowed at present (0x0C).
    package static let commandDisallowed: UInt8 = 0x0C
    /// Parameters of a wrong length or out of range (0x12).
    static let invalidParameters: UInt8 = 0x12
    /// No advertising set with the given handle exists (0x42).
    static let unknownAdvertisingSet: UInt8 = 0x42
    /// The user at the peer ended the connection (0x13).
    package static let remoteUserTerminated: UInt8 = 0x13
    /// The local host ended the connection (0x16).
    package static let localHostTerminated: UInt8 = 0x16
}
