import Encoding

/// The status of a controller or the reason of a disconnection: one byte of the error code list (Core Specification Vol
/// 1 Part F 1.3).
package struct HCIStatus: RawRepresentable, Hashable, Sendable {
    /// The status code as a number.
    package let rawValue: UInt8

    /// Creates the status with the given code.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The command or procedure succeeded (0x00).
    package static let success = HCIStatus(rawValue: 0x00)
    /// 0x01: the controller does not know this command.
    package static let unknownCommand = HCIStatus(rawValue: 0x01)
    /// 0x02: no connection has this handle.
    package static let unknownConnection = HCIStatus(rawValue: 0x02)
    /// 0x08: no packet of the peer arrived during the supervision timeout (out of range, radio off, battery empty).
    package static let connectionTimeout = HCIStatus(rawValue: 0x08)
    /// 0x0C: the command is not possible in the controller's present state.
    package static let commandDisallowed = HCIStatus(rawValue: 0x0C)
    /// 0x13: the peer ended the connection.
    package static let remoteUserTerminated = HCIStatus(rawValue: 0x13)
    /// 0x14: the connection was ended for lack of resources.
    package static let lowResources = HCIStatus(rawValue: 0x14)
    /// 0x15: the connection was ended because the device is about to be switched off.
    package static let powerOff = HCIStatus(rawValue: 0x15)
    /// 0x16: this host ended the connection.
    package static let localHostTerminated = HCIStatus(rawValue: 0x16)
    /// 0x1F: no other code fits. The host also uses this status for an answer that is too short for a status.
    package static let unspecified = HCIStatus(rawValue: 0x1F)
    /// 0x3E: the connection was never established.
    package static let failedToEstablish = HCIStatus(rawValue: 0x3E)
}

extension HCIStatus: CustomStringConvertible {
    /// The name of the status, for the log, with its code.
    package var description: String {
        switch self {
        case .success: "success"
        case .unknownCommand: "unknown HCI command (0x01)"
        case .unknownConnection: "unknown connection identifier (0x02)"
        case .connectionTimeout: "connection timeout (0x08)"
        case .commandDisallowed: "command disallowed (0x0C)"
        case .remoteUserTerminated: "remote user terminated connection (0x13)"
        case .lowResources: "remote device low on resources (0x14)"
        case .powerOff: "remote device powering off (0x15)"
        case .localHostTerminated: "terminated by local host (0x16)"
        case .failedToEstablish: "connection failed to be established (0x3E)"
        default: "status 0x" + Hex.encode([rawValue])
        }
    }
}

/// The reason why this host ends a connection: the reasons that HCI_Disconnect allows (Core Specification Vol 4 Part E
/// 7.1.6) and that suit a peripheral.
package enum DisconnectReason: UInt8, Sendable {
    /// The ordinary end of a visit.
    case userTerminated = 0x13
    /// Too many connections, or a peer whose requests exceed the limits.
    case lowResources = 0x14
}
