import GateService
import Reasons
import Settings

/// The displays, which show the invitation and the verdict.
struct DisplaysFeature: CheckedFeature {
    static let section: any ConfigurationSection.Type = DisplaysSection.self
    static let check = FeatureCheck.display

    let listeners: [any KioskListener]

    init(_ start: FeatureStart) throws {
        listeners = [try DisplayOutput(start.configuration, clock: start.clock, report: start.report)]
    }

    static func summaries(_ configuration: Configuration) -> [FeatureSummary] {
        let shown = configuration[DisplaysSection.self].all
        guard !shown.isEmpty else { return [FeatureSummary("none: the URI of the code is in the log only")] }
        return shown.map { FeatureSummary($0.kind == .file ? $0.file : $0.name, needs: device(of: $0)) }
    }

    private static func device(of display: DisplaySection) -> FeatureDevice? {
        guard let path = display.device, let kind = display.kind.deviceClass else { return nil }
        return FeatureDevice(
            name: path, path: path, unitName: kind,
            node: FeatureDevice.Node(
                group: kind == "char-fb" ? "video" : String(kind.dropFirst(5)),
                missing: FeatureProblem(
                    .displayFailed, "\(path) does not exist", remedy: remedy(forMissing: display.kind))))
    }

    private static func remedy(forMissing kind: DisplaySection.Kind) -> String {
        switch kind {
        case .ssd1306, .sh1106, .sh1107:
            "Enable the bus (dtparam=i2c_arm=on in /boot/firmware/config.txt), load the module of its device node at "
                + "boot (echo i2c-dev | sudo tee /etc/modules-load.d/i2c-dev.conf), then reboot."
        case .ssd1680: "Enable the bus: dtparam=spi=on in /boot/firmware/config.txt, then reboot."
        case .framebuffer, .terminal, .file, .none:
            "Check the screen's cable and power before the machine boots, and display.device."
        }
    }
}

extension DisplaySection.Kind {
    /// The class of the display's device node in `DeviceAllow=` of a unit; nil if the display has no device node.
    fileprivate var deviceClass: String? {
        switch self {
        case .terminal, .file, .none: nil
        case .framebuffer: "char-fb"
        case .ssd1306, .sh1106, .sh1107: "char-i2c"
        case .ssd1680: "char-spi"
        }
    }
}
