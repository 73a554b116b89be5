import Commissioning
import Encoding
import Features
import Foundation
import Observation
import Settings
import TestKit

@testable import LinuxIO

/// A gate in order, as a doctor sees it; each test adds one defect.
struct HealthyGate {
    var configuration: Configuration
    var facts = MachineFacts()

    static let user: UInt32 = 990
    static let gpio: UInt32 = 997
    static let now = Timestamp(seconds: 1_800_000_000)
    static let label = "pinctrl-bcm2711"
    static let node = "/dev/gpiochip0"

    /// The unit as it is installed, with the additions for an OLED panel.
    static let unitFiles: [String] = {
        let file = Vectors.repository.appendingPathComponent("deploy/gatehouse.service")
        let unit = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return [unit, "[Service]\nDeviceAllow=char-i2c rw\nSupplementaryGroups=i2c\n"]
    }()

    init(more: String = "", display: String = "kind = \"ssd1306\"") throws {
        let text = """
            [kiosk]
            name = "North-Gate"
            [gpio]
            chip = "\(Self.label)"
            [gate]
            line = "GPIO17"
            [indicator]
            blue = "GPIO22"
            [display]
            \(display)
            \(more)
            """
        configuration = try Configuration.parse(Array(text.utf8), file: "gate.toml", folder: "/etc/gatehouse")
        facts.unit = UnitFile(Self.unitFiles)
        facts.account = Account(user: Self.user, groups: [Self.user, Self.gpio])
        for named in NamedPlace.all(configuration) {
            let isFolder = !named.path.contains(".") && !named.path.hasSuffix("-key")
            facts.places[named.path] = Self.place(isFolder: isFolder)
        }
        for node in ["/dev/i2c-1", "/dev/ttyACM0", "/dev/fb0", "/dev/spidev0.0", Self.node] {
            facts.places[node] = Self.device(mode: 0o660)
        }
        facts.disk = .init(free: 20_000_000_000)
        facts.radio.adapters = [Self.adapter()]
        facts.radio.name = "hci0"
        facts.radio.hasOpener = true
        facts.chips = ([Self.chip()], [])
        facts.gpioLibrary = .success("libgpiod 1.6.3")
        facts.clock.utc = Self.now
        facts.clock.made = Timestamp(seconds: 1_790_000_000)
        facts.clock.isSynchronised = true
        facts.clock.hardware = [.init(name: "rtc0", isUsed: true, seconds: Self.now.seconds, battery: 3_000_000)]
        facts.trust = .usable(version: "trust", issuers: 2, lack: nil, bundle: nil, findings: [])
        facts.policy = .usable(name: "gate@1", origin: "from policy.toml", tests: 3, failed: [], unknownGroups: [])
        facts.version = "0.1.0"
        facts.service = .running(StatusReport(["version": "0.1.0", "faults": .array([]), "silent": .array([])]))
    }

    var findings: [Finding] { Doctor(configuration, facts).findings }

    /// Returns a place in a folder of the service.
    static func place(isFolder: Bool, owner: UInt32 = user, mode: UInt32? = nil) -> Place {
        Place([
            .init(user: 0, group: 0, mode: 0o755, isFolder: true),
            .init(user: user, group: user, mode: 0o700, isFolder: true),
            .init(user: owner, group: owner, mode: mode ?? (isFolder ? 0o700 : 0o600), isFolder: isFolder),
        ])
    }

    /// Returns a path whose last `parts` components are missing.
    static func missing(_ parts: Int) -> Place {
        Place([.init(user: 0, group: 0, mode: 0o755, isFolder: true)], missing: parts)
    }

    static func device(mode: UInt32, group: UInt32 = gpio) -> Place {
        Place([
            .init(user: 0, group: 0, mode: 0o755, isFolder: true),
            .init(user: 0, group: 0, mode: 0o755, isFolder: true),
            .init(user: 0, group: group, mode: mode, isFolder: false),
        ])
    }

    static func adapter(_ name: String = "hci0", soft: Bool = false, hard: Bool = false) -> Adapters.Adapter {
        Adapters.Adapter(name: name, location: "/sys/devices/usb1", softBlocked: soft, hardBlocked: hard)
    }

    static func chip(_ holders: [String?] = [nil, nil], lines: [String] = ["GPIO17", "GPIO22"]) -> GPIOChips.Chip {
        GPIOChips.Chip(path: node, label: label, lines: lines, holders: holders)
    }
}
