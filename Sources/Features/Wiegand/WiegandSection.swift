package import Kiosk
package import LinuxIO
package import Settings

/// `[wiegand]`: the wires to a gate controller. For each admission the gate sends the same card number.
package struct WiegandSection: ConfigurationSection, Hashable {
    /// The section that precedes this one in the list of all keys.
    package static let follows = "door"

    /// The name of the line of the wire data 0; nil if the gate has no gate controller.
    var data0: String?
    /// The name of the line of the wire data 1; nil if the gate has no gate controller.
    var data1: String?
    /// Whether a pulse is low voltage at the board's pin.
    package var activeLow: Bool
    /// The format of the frames that the controller expects.
    package var format: WiegandFrame.Format
    /// The facility code; 0 if the format has none.
    package var facility: Int
    /// The card number in each frame.
    package var card: Int
    /// The length of a pulse, and the time from the beginning of one pulse to the beginning of the next.
    package var timing: WiegandTiming

    /// Reads `[wiegand]`.
    package init(_ reader: inout ConfigurationReader, of configuration: Configuration, in folder: ConfigurationFolder) {
        data0 = reader.optional("wiegand.data0")
        data1 = reader.optional("wiegand.data1")
        activeLow = reader.flag("wiegand.activeLow", default: false)
        format = reader.choice("wiegand.format", default: .h10301)
        facility = reader.integer("wiegand.facility", default: 0, in: 0...0xFFFF)
        card = reader.integer("wiegand.card", default: 1, in: 0...0x7_FFFF_FFFF)
        let pulse = reader.integer("wiegand.pulseMicroseconds", default: 50, in: 20...1000)
        let interval = reader.integer("wiegand.intervalMicroseconds", default: 2000, in: 200...20_000)
        timing = WiegandTiming(pulse: .microseconds(pulse), interval: .microseconds(interval))
        check(&reader, configuration.gpio.chip)
    }

    private func check(_ reader: inout ConfigurationReader, _ chip: String?) {
        if chip != nil, data0 == nil, !reader.has("gate.line") {
            reader.reject(
                "gate.line", "is missing",
                "Name the relay's line, or the wires to a controller (wiegand.data0, data1), or remove gpio.chip.")
        }
        if (data0 == nil) != (data1 == nil) {
            reader.reject(
                data0 == nil ? "wiegand.data0" : "wiegand.data1", "is missing",
                "A controller has two data wires: name both lines.")
        }
        if data0 != nil, chip == nil {
            reader.reject("wiegand.data0", "has no chip", "Set gpio.chip to the chip of its line.")
        }
        if timing.interval < timing.pulse * 2 {
            reader.reject(
                "wiegand.intervalMicroseconds", "leaves no gap between two pulses",
                "Write at least twice the pulse.")
        }
        let widths = format.widths
        for (key, value, width) in [("facility", facility, widths.facility), ("card", card, widths.card)]
        where value >> width != 0 {
            reader.reject(
                "wiegand.\(key)", "\(value) does not fit \(format.rawValue)",
                width == 0 ? "Leave it out." : "Write at most \((1 << width) - 1), or choose a longer format.")
        }
    }

    /// The lines of the two wires, as outputs.
    package var outputs: [OutputRole: OutputLine] {
        zip(OutputRole.wires, [data0, data1]).reduce(into: [:]) { outputs, wire in
            outputs[wire.0] = wire.1.map { OutputLine(name: $0, activeLow: activeLow) }
        }
    }

    /// The names of both lines; nil if the gate has no gate controller.
    package var wires: [String]? {
        guard let data0, let data1 else { return nil }
        return [data0, data1]
    }

    /// The frame that is sent; nil if the facility code or the card number does not fit the format.
    package var frame: WiegandFrame? {
        WiegandFrame(format, facility: UInt64(clamping: facility), card: UInt64(clamping: card))
    }
}
