package import Credentials
package import Kiosk
import LinuxIO

/// `[kiosk]`: the gate's identity.
package struct KioskSection: Hashable, Sendable {
    /// The identifier of the gate in records and reports: 1 to 64 of `A-Z a-z 0-9 . _ -`. By default it is the name.
    package var id: String
    /// The name that phones show and compare: 1 to 14 of `A-Z a-z 0-9 _ -`. More does not fit into a Tuvali
    /// advertisement.
    package var name: String

    init(_ reader: inout ConfigurationReader) {
        name = reader.required("kiosk.name", example: "North-Gate")
        if reader.isText("kiosk.name"), !name.isName(of: 1...14, "_-") {
            reader.reject(
                "kiosk.name", "is not a name that every wallet reads in the same way",
                "Use 1 to 14 of A-Z a-z 0-9 _ "
                    + "-.")
        }
        id = reader.text("kiosk.id", default: name)
        if reader.isText("kiosk.id"), !id.isName(of: 1...64, "._-") {
            reader.reject("kiosk.id", "is not an identifier", "Use 1 to 64 of A-Z a-z 0-9 . _ -.")
        }
    }
}

/// `[radio]`: how the Bluetooth controller is reached.
package struct RadioSection: Hashable, Sendable {
    /// The ways to transport HCI packets to the controller.
    package enum Transport: String, CaseIterable, Sendable {
        /// The kernel's HCI user channel of the adapter `device`.
        case userChannel = "user-channel"
        /// H4 over TCP to `host`:`port`, for virtual controllers and network bridges.
        case tcp
        /// H4 over the serial line `device`.
        case serial
    }

    /// The way to transport HCI packets to the controller.
    package var transport: Transport
    /// With the user channel: the name of the adapter (`hci0`, `hci1`, …), or its address (`F0:F1:F2:F3:F4:01`). With
    /// a serial line: the path of its device node.
    package var device: String
    /// With TCP: the name or address of the controller's host.
    package var host: String
    /// With TCP: the port of the controller.
    package var port: UInt16
    /// With a serial line: the speed in bits per second.
    package var baud: Int
    /// With a serial line: whether RTS/CTS is used.
    package var flowControl: Bool
    /// The time between two advertisements. With a shorter time, phones find the gate sooner. The Core Specification
    /// permits 20 ms to 10.24 s.
    package var advertisingInterval: Duration
    /// The number of places for phones, 1 to 8. The lobby has four more, for people who are choosing a credential.
    /// The number is lower if the controller supports fewer connections.
    package var phones: Int

    init(_ reader: inout ConfigurationReader) {
        transport = reader.choice("radio.transport", default: .userChannel)
        device = reader.text("radio.device", default: "hci0")
        host = reader.text("radio.host", default: "127.0.0.1")
        port = UInt16(reader.integer("radio.port", default: 6402, in: 1...65_535))
        baud = reader.integer("radio.baud", default: 1_000_000, in: 9600...4_000_000)
        flowControl = reader.flag("radio.flowControl", default: true)
        advertisingInterval = reader.duration(
            "radio.advertisingInterval", default: .milliseconds(25), in: .milliseconds(20)...(.seconds(10)))
        phones = reader.integer("radio.phones", default: 4, in: 1...8)
        switch transport {
        case .userChannel:
            if AdapterName(device) == nil {
                reader.reject(
                    "radio.device", "is not an adapter",
                    "Write hci0, or another name in /sys/class/bluetooth, or the adapter's address.")
            }
        case .serial:
            // Reject a path with a blank or a line end, because in a systemd unit it could be read as more than a
            // path.
            if !device.hasPrefix("/") || device.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
                reader.reject("radio.device", "is not a device path", "Write the line's path, e.g. \"/dev/ttyACM0\".")
            }
        case .tcp:
            if host.isEmpty { reader.reject("radio.host", "is empty", "Write the controller's name or address.") }
        }
    }
}

/// `[gpio]`: the chip of the GPIO lines.
package struct GPIOSection: Hashable, Sendable {
    /// The label of the chip, as `gpiodetect` prints it; nil: the gate has no lines, and verdicts appear only on
    /// displays and in the log.
    package var chip: String?

    init(_ reader: inout ConfigurationReader) {
        chip = reader.optional("gpio.chip")
    }
}

/// `[gate]`: the settings of the relay. Its line is in ``Configuration/outputs``.
package struct GateSection: Hashable, Sendable {
    /// The word in the configuration for a gate that is passed in both directions, or in an unknown one.
    package static let anyDirection = "any"

    /// How long the relay is energised for an opening, at most 5 s.
    package var pulse: Duration
    /// Whether the gate admits visitors while the ledger cannot store records.
    package var whenLedgerFails: KioskSettings.LedgerFailurePolicy
    /// The direction in which the gate is passed; nil: both directions, or an unknown one. With nil, rules for one
    /// direction do not apply.
    package var direction: GateDirection?

    init(_ reader: inout ConfigurationReader) {
        pulse = reader.duration("gate.pulse", default: .milliseconds(200), in: .milliseconds(50)...(.seconds(5)))
        whenLedgerFails = reader.choice("gate.whenLedgerFails", default: .refuse)
        direction = reader.choice("gate.direction", orNil: Self.anyDirection)
    }
}

extension StringProtocol {
    /// Returns whether the text consists of ASCII letters, digits and the characters `others`, and has a length
    /// within `length`.
    package func isName(of length: ClosedRange<Int>, _ others: String = "") -> Bool {
        length.contains(utf8.count)
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: others.utf8.contains(byte)
                }
            }
    }
}
