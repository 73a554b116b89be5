package import Encoding

/// What kind of controller is simulated: capabilities, and the quirks that real ones show, as data.
///
/// The defaults are a Bluetooth 5 controller with data length extension and the 2M PHY. ``zero2W`` and ``raspberryPi4``
/// follow what is reported of those boards' radios.
package struct ControllerTraits: Sendable {
    /// The public device address, least significant byte first.
    package var publicAddress: [UInt8] = [0x01, 0x00, 0x5E, 0x27, 0xEB, 0xB8]
    /// HCI and LMP version number (9 = 5.0, 7 = 4.1).
    package var version: UInt8 = 9
    /// Company identifier of the maker (0x05F1: the Linux Foundation, as virtual controllers use).
    package var manufacturer: UInt16 = 0x05F1
    /// Greatest ACL data length in bytes that the host may send.
    package var aclLength: UInt16 = 251
    /// ACL packets that the controller holds for the host.
    package var aclBuffers: UInt8 = 8
    /// LE data packet length extension.
    package var supportsDataLength = true
    /// The 2 Mbit/s PHY.
    package var supports2M = true
    /// Whether phones may connect while others are connected.
    package var advertisesWhileConnected = true
    /// Connections at once; beside so many it does not advertise.
    package var connections = 8
    /// Whether it tells the host when a phone has acknowledged a packet; one that does not gives no buffer back.
    package var completesPackets = true
    /// Advertising sets: so many advertisements side by side, each with an address of its own; 0: legacy commands only.
    package var advertisingSets = 0
    /// Whether it tells which advertising set a connection belongs to, and how long after the connection.
    package var namesAdvertisingSets: Duration? = .zero
    /// When advertising ends by itself, without a word to the host.
    package var advertisingStops: [Instant] = []
    /// The first command after each of these instants is lost, in ascending order.
    package var lostCommands: [Instant] = []
    /// Whether it refuses to change an address that is on the air, as it should; some take it.
    package var guardsAddress = true
    /// Commands answered with Unknown HCI Command and left out of the supported commands.
    package var unknownCommands: Set<HCIOpcode> = []
    /// Commands never answered at all, though declared.
    package var silentCommands: Set<HCIOpcode> = []
    /// Inbound L2CAP PDUs go to the host in one ACL packet whatever the size (seen with Bumble).
    package var deliversWholePDUs = false
    /// Enhanced Connection Complete when the host's mask asks for it; else always the plain event.
    package var hasEnhancedConnectionComplete = true
    /// Connection parameters told to the host in place of the real ones (Bumble always says 12.5 ms).
    package var reportedParameters: ConnectionParameters?
    /// A Hardware Error event with this code at this time; the controller then knows only Reset.
    package var hardwareError: (at: Instant, code: UInt8)?
    /// From being told to advertise to the first advertising event; nil: as long as between two.
    package var advertisingStart: Duration?
    /// Time from a command or an air event to what the host hears of it.
    package var responseTime = Duration.zero

    /// A controller with the defaults.
    package init() {}

    /// Cypress CYW43455 (Raspberry Pi 3B+, 4, 5): 5.0, data length extension, no 2M.
    package static var raspberryPi4: ControllerTraits {
        var traits = ControllerTraits()
        traits.supports2M = false
        return traits
    }

    /// Cypress CYW43436 (Raspberry Pi Zero 2 W): 4.1 without data length extension and the commands that came with 4.2.
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
