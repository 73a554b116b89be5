import GateService
import LinuxIO
import Settings

/// The wires to a gate controller that expects a card reader.
struct WiegandFeature: Feature {
    static let section: any ConfigurationSection.Type = WiegandSection.self

    init(_ start: FeatureStart) {}

    static func controller(_ start: FeatureStart) -> (any ControllerLines)? {
        WiegandLines(start.configuration[WiegandSection.self], report: start.report)
    }

    static func trial(_ configuration: Configuration) -> FeatureTrial? {
        let section = configuration[WiegandSection.self]
        guard let wires = section.wires, let frame = section.frame else { return nil }
        return FeatureTrial(
            key: "wiegand", name: "the card for the controller", task: "one card",
            lines: wires.map { GPIOLines.Output($0, activeLow: section.activeLow) },
            pulses: frame.bits.map { $0 ? 1 : 0 }, pulse: section.timing.pulse, interval: section.timing.interval)
    }
}
