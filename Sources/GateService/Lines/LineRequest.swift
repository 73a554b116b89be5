import Kiosk
package import LinuxIO
package import Settings

/// The lines that a configuration requests: their chip, their levels, and their uses.
package struct LineRequest: Sendable {
    /// The chip's label.
    package let chip: String
    /// The line of each output that is wired.
    let outputs: [OutputRole: GPIOLines.Output]

    /// Creates the request of a configuration; nil if it names no chip.
    package init?(_ configuration: Configuration) {
        guard let chip = configuration.gpio.chip else { return nil }
        self.chip = chip
        outputs = configuration.outputs.mapValues { GPIOLines.Output($0.name, activeLow: $0.activeLow) }
    }

    /// Returns the lines of the outputs that are wired, in the order of `roles`.
    func lines(of roles: [OutputRole]) -> [GPIOLines.Output] { roles.compactMap { outputs[$0] } }

    /// Makes all lines inactive and gives them back. Each group of outputs is a request of its own, the relay
    /// first. So a lamp's line that another program holds cannot leave the gate open.
    package func release() throws(GPIOError) {
        for lines in OutputRole.groups.map(lines(of:)) where !lines.isEmpty {
            try GPIOLines(chip: chip, lines, consumer: "gatehouse-release").close()
        }
    }
}
