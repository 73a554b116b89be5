/// The data that the controller reported during set-up. Everything but the buffers may be missing: a query without an
/// answer leaves its value unset.
package struct ControllerInformation: Equatable, Sendable {
    /// The HCI version (Assigned Numbers 2.1), for example 6 for Bluetooth 4.0 and 9 for 5.0; nil if not reported.
    package var version: UInt8?
    /// The maker's company identifier (Assigned Numbers 7.1); nil when not reported.
    package var manufacturer: UInt16?
    /// The maker's version number of the controller's firmware; nil if not reported.
    package var subversion: UInt16?
    /// The controller's public address; nil if not reported. This host never sends the public address over the air.
    package var address: DeviceAddress?
    /// The bit mask of the supported commands, 64 bytes (Core Specification Vol 4 Part E 6.27); nil if not reported.
    package var supportedCommands: [UInt8]?
    /// The bit mask of the BR/EDR features, page 0 (Vol 2 Part C 3.3).
    package var features: UInt64 = 0
    /// The bit mask of the LE features (Vol 6 Part B 4.6).
    package var leFeatures: UInt64 = 0
    /// The bit mask of the link layer's supported combinations of states (Vol 4 Part E 7.8.27); nil if not reported.
    package var leStates: UInt64?
    /// The maximum length, in bytes, of the data part of an ACL packet to the controller.
    package var aclLength = 0
    /// The number of ACL packets that the controller can buffer.
    package var aclPackets = 0

    /// The number of simultaneous advertisements, each with its own address; 0 if the controller or the host uses only
    /// legacy commands.
    package var advertisingSets = 0

    /// Whether the controller has LE Extended Advertising (Vol 6 Part B 4.6, bit 12) and lists its commands. Without
    /// the list, the host does not try the commands: a controller that has received a command of one family (legacy or
    /// extended) refuses the other family.
    var supportsAdvertisingSets: Bool {
        leFeatures >> 12 & 1 == 1 && supportedCommands != nil && HCIOpcode.advertisingSets.allSatisfy(announces)
    }

    /// Whether the controller has LE Data Packet Length Extension (Vol 6 Part B 4.6, bit 5).
    package var supportsDataLengthExtension: Bool { leFeatures >> 5 & 1 == 1 }

    /// Whether phones may connect while others are connected: connectable advertising in the peripheral role (7.8.27,
    /// bit 38). If the controller does not report the ability, the host tries.
    package var advertisesWhileConnected: Bool { leStates.map { $0 >> 38 & 1 == 1 } ?? true }

    /// Whether the controller has LE 2M PHY (Vol 6 Part B 4.6, bit 8).
    package var supports2MPHY: Bool { leFeatures >> 8 & 1 == 1 }

    /// Returns whether to send the command. The result is false only if the controller reports a list without the
    /// command.
    func announces(_ opcode: HCIOpcode) -> Bool {
        guard let (octet, bit) = opcode.announcement, let supportedCommands else { return true }
        return octet < supportedCommands.count && supportedCommands[octet] >> UInt8(bit) & 1 == 1
    }
}
