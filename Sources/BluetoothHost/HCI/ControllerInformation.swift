/// What the controller told about itself when it was set up. Everything but the buffers may be missing: a controller that
/// does not answer a question is taken to have nothing to say.
package struct ControllerInformation: Equatable, Sendable {
    /// HCI version (Assigned Numbers 2.1): 6 is Bluetooth 4.0, 9 is 5.0; nil when not told.
    package var version: UInt8?
    /// The maker's company identifier (Assigned Numbers 7.1); nil when not told.
    package var manufacturer: UInt16?
    /// The maker's number of its firmware; nil when not told.
    package var subversion: UInt16?
    /// The public address, which this host never puts on the air; nil when not told.
    package var address: DeviceAddress?
    /// Bit mask of the supported commands, 64 bytes (Core Specification Vol 4 Part E 6.27); nil when not told.
    package var supportedCommands: [UInt8]?
    /// Bit mask of the BR/EDR features, page 0 (Vol 2 Part C 3.3).
    package var features: UInt64 = 0
    /// Bit mask of the LE features (Vol 6 Part B 4.6).
    package var leFeatures: UInt64 = 0
    /// Bit mask of what the link layer does at the same time (Vol 4 Part E 7.8.27); nil when not told.
    package var leStates: UInt64?
    /// Longest data part of an ACL packet that the controller takes, in bytes.
    package var aclLength = 0
    /// How many ACL packets the controller holds for sending.
    package var aclPackets = 0

    /// Advertisements that it shows side by side, each with an address of its own; 0 where it knows only legacy commands, or is
    /// told no others.
    package var advertisingSets = 0

    /// LE Extended Advertising (Vol 6 Part B 4.6, bit 12), with the commands in its own list: where there is no list, there is no
    /// trying, for a command of the wrong family spoils those of the other.
    var supportsAdvertisingSets: Bool {
        leFeatures >> 12 & 1 == 1 && supportedCommands != nil && HCIOpcode.advertisingSets.allSatisfy(announces)
    }

    /// LE Data Packet Length Extension (Vol 6 Part B 4.6, bit 5).
    package var supportsDataLengthExtension: Bool { leFeatures >> 5 & 1 == 1 }

    /// Whether phones may connect while others are connected: connectable advertising beside the peripheral role (7.8.27, bit
    /// 38). A controller that does not tell is tried.
    package var advertisesWhileConnected: Bool { leStates.map { $0 >> 38 & 1 == 1 } ?? true }

    /// LE 2M PHY (Vol 6 Part B 4.6, bit 8).
    package var supports2MPHY: Bool { leFeatures >> 8 & 1 == 1 }

    /// Whether the command is worth sending: false only when the controller's own list leaves it out.
    func announces(_ opcode: HCIOpcode) -> Bool {
        guard let (octet, bit) = opcode.announcement, let supportedCommands else { return true }
        return octet < supportedCommands.count && supportedCommands[octet] >> UInt8(bit) & 1 == 1
    }
}
