import Kiosk
package import LinuxIO
package import Settings

/// The lines that a configuration requests: the label of their chip, and the name and polarity of the line of each
/// output.
package struct LineRequest: Sendable {
    /// The label of the GPIO chip.
    package let chip: String
    /// The line of each wired output.
    let outputs: [OutputRole: GPIOLines.Output]

    /// Creates the request of a configuration. Returns nil if the configuration names no chip.
    package init?(_ configuration: Configuration) {
        guard let chip = configuration.gpio.chip else { return nil }
        self.chip = chip
        outputs = configuration.outputs.mapValues { GPIOLines.Output($0.name, activeLow: $0.activeLow) }
    }

    /// Returns the lines of those outputs in `roles` that are wired, in the order of `roles`.
    func lines(of roles: [OutputRole]) -> [GPIOLines.Output] { roles.compactMap { outputs[$0] } }

    /// Requests all lines as inactive and then releases them. Each group of outputs has a separate request, and the
    /// relay comes first. So the relay is released even if another program holds the line of a lamp.
    package func release() throws(GPIOError) {
        for lines in OutputRole.groups.map(lines(of:)) where !lines.isEmpty {
            try GPIOLines(chip: chip, lines, consumer: "gatehouse-release").close()
        }
    }
}
