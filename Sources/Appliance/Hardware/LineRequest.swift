import Encoding
import Kiosk
package import LinuxIO

/// The lines that a configuration asks for: their chip, their levels, and what each of them does.
package struct LineRequest: Sendable {
    /// The chip's label.
    package let chip: String
    /// Which line does what.
    package let wiring: LinePanel.Wiring
    /// The relay's line, that of the output for free passage, and those of lamps and sounder: requests of their own, so that no call for a lamp can stand before the
    /// relay's release.
    let gate: GPIOLines.Output?
    let free: GPIOLines.Output?
    let indicator: [GPIOLines.Output]
    /// The wires to a gate controller, data 0 and data 1, and what is sent on them.
    let wiegand: (wires: [GPIOLines.Output], section: WiegandSection)?

    /// What a configuration asks for; nil: it has no chip.
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

    /// Makes all of them inactive and gives them back. The relay first and alone, so that a lamp's line that somebody else holds
    /// is no reason to leave a gate open.
    package func release() throws(GPIOError) {
        for lines in [[gate].compactMap(\.self), [free].compactMap(\.self), wiegand?.wires ?? [], indicator]
        where !lines.isEmpty {
            try GPIOLines(chip: chip, lines, consumer: "gatehouse-release").close()
        }
    }
}
