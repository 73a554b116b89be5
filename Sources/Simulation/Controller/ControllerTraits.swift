package import Encoding

/// The properties of a simulated controller as data: its abilities, and defects of real controllers.
///
/// The defaults are a Bluetooth 5 controller with data length extension and the 2M PHY. ``zero2W`` and ``raspberryPi4``
/// follow published reports about the radios of these boards.
package struct ControllerTraits: Sendable {
    /// The public device address, least significant byte first.
    package var publicAddress: [UInt8] = [0x01, 0x00, 0x5E, 0x27, 0xEB, 0xB8]
    /// The HCI and LMP version number (9 = 5.0, 7 = 4.1).
    package var version: UInt8 = 9
    /// The company identifier of the manufacturer (0x05F1: the Linux Foundation, as in other virtual controllers).
    package var manufacturer: UInt16 = 0x05F1
    /// The maximum length of ACL data from the host, in bytes.
    package var aclLength: UInt16 = 251
    /// The number of ACL buffers for packets of the host.
    package var aclBuffers: UInt8 = 8
    /// Whether the controller supports LE data packet length extension.
    var supportsDataLength = true
    /// Whether the controller supports the 2 Mbit/s PHY.
    package var supports2M = true
    /// Whether the controller advertises while phones are connected.
    package var advertisesWhileConnected = true
    /// The number of concurrent connections at which the controller stops advertising.
    package var connections = 8
    /// Whether the controller reports a phone's acknowledgement of a packet to the host. Without the report, no ACL
    /// buffer is freed.
    package var completesPackets = true
    /// The number of advertising sets, each with an address of its own; 0 for legacy commands only.
    package var advertisingSets = 0
    /// The delay from the connection event to the report of the connection's advertising set; nil for no report.
    package var namesAdvertisingSets: Duration? = .zero
    /// The instants at which advertising stops without an event to the host.
    package var advertisingStops: [Instant] = []
    /// The instants after which commands are lost, in ascending order: the next command after each of them is lost.
    package var lostCommands: [Instant] = []
    /// Whether the controller refuses to change the address of an active advertisement, as the specification
    /// requires. Some real controllers accept the change.
    package var guardsAddress = true
    /// The commands that are missing in the supported commands and answered with Unknown HCI Command.
    package var unknownCommands: Set<HCIOpcode> = []
    /// The commands that are declared as supported but never answered.
    package var silentCommands: Set<HCIOpcode> = []
    /// Whether each received L2CAP PDU is sent to the host in one ACL packet of any size (seen with Bumble).
    package var deliversWholePDUs = false
    /// Whether Enhanced Connection Complete is sent if the host's mask permits it. Otherwise the plain event is sent.
    var hasEnhancedConnectionComplete = true
    /// The connection parameters to report to the host in place of the real parameters (Bumble always reports 12.5 ms);
    /// nil for the real parameters.
    var reportedParameters: ConnectionParameters?
    /// When a Hardware Error event is sent, and its error code; nil for no such event. Afterwards the controller
    /// accepts only Reset.
    package var hardwareError: (at: Instant, code: UInt8)?
    /// The delay from the command to advertise to the first advertising event; nil for one advertising interval.
    package var advertisingStart: Duration?
    /// The delay from a command or an air event to the resulting event for the host.
    package var responseTime = Duration.zero

    /// Creates a controller with the defaults.
    package init() {}

    /// The Cypress CYW43455 (Raspberry Pi 3B+, 4, 5): Bluetooth 5.0 with data length extension, without the 2M PHY.
    package static var raspberryPi4: ControllerTraits {
        var traits = ControllerTraits()
        traits.supports2M = false
        return traits
    }

    /// The Cypress CYW43436 (Raspberry Pi Zero 2 W): Bluetooth 4.1 without data length extension and without the
    /// commands introduced with 4.2.
    package static var zero2W: ControllerTraits {
        var traits = ControllerTraits()
        traits.version = 7
        traits.aclLength = 27
        traits.supportsDataLength = false
        traits.supports2M = false
        traits.hasEnhancedConnectionComplete = false
        traits.unknownCommands = [
            .leSetDataLength, .leReadSuggestedDataLength, .leWriteSuggestedDataLength, .leReadMaximumDataLength,
            .leReadPHY, .leSetDefaultPHY, .leSetPHY,
        ]
        return traits
    }
}
