import Encoding
import Kiosk
package import LinuxIO
package import Settings

/// The lines that a configuration requests: their chip, their levels, and their uses.
package struct LineRequest: Sendable {
    /// The chip's label.
    package let chip: String
    /// The use of each line.
    package let wiring: LinePanel.Wiring
    /// The lines of the relay, of the output for free passage, and of lamps and sounder. Each group is a
    /// request of its own, so that no call for a lamp can delay the relay's release.
    let gate: GPIOLines.Output?
    let free: GPIOLines.Output?
    let indicator: [GPIOLines.Output]
    /// The wires to a gate controller, data 0 and data 1, and the section that says what is sent on them.
    let wiegand: (wires: [GPIOLines.Output], section: WiegandSection)?

    /// Creates the request of a configuration; nil if it names no chip.
    package init?(_ configuration: Configuration) {
        guard let chip = configuration.gpio.chip else { return nil }
        let (lights, relay) = (configuration.indicator, configuration.gate)
        let lamps: [(Lamp, String?)] = [
            (.blue, lights.blue), (.amber, lights.amber), (.green, lights.green), (.red, lights.red),
        ]
        self.chip = chip
        wiring = LinePanel.Wiring(
            lamps: Dictionary(lamps.compactMap { lamp, line in line.map { (lamp, $0) } }) { first, _ in first },
            tone: lights.tone, gate: relay.line)
        gate = relay.line.map { GPIOLines.Output($0, activeLow: relay.activeLow) }
        free = configuration.door.freeLine.map { GPIOLines.Output($0, activeLow: configuration.door.freeActiveLow) }
        wiegand = configuration.wiegand.wires.map { wires in
            (wires.map { GPIOLines.Output($0, activeLow: configuration.wiegand.activeLow) }, configuration.wiegand)
        }
        indicator = (lamps.map(\.1) + [lights.tone]).compactMap { $0 }.map {
            GPIOLines.Output($0, activeLow: lights.activeLow)
        }
    }

    /// Makes all lines inactive and gives them back. The relay is made inactive first, in a separate request.
    /// So a lamp's line that another program holds cannot leave the gate open.
    package func release() throws(GPIOError) {
        for lines in [[gate].compactMap(\.self), [free].compactMap(\.self), wiegand?.wires ?? [], indicator]
        where !lines.isEmpty {
            try GPIOLines(chip: chip, lines, consumer: "gatehouse-release").close()
        }
    }
}
