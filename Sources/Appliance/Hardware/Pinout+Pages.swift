extension Pinout {
    /// The page `hardware/wiring.md` in Markdown.
    package var wiringPage: String {
        """
        # Wiring

        <!-- Made from pinout.toml by hardware/make-wiring. Edit that file, not this one. -->

        \(board). All signals are outputs of 3.3 V and a few milliamperes: each goes to a driver stage (ULN2803A or the like,
        see [bom.csv](bom.csv)), never straight to a lamp, relay or lock. The driver's ground and the board's ground are joined.

        | signal | line | pin | active | at rest | connects to | notes |
        |---|---|---|---|---|---|---|
        \(signals.map(row).joined(separator: "\n"))

        Ground is on pins \(grounds.map(String.init).joined(separator: ", ")).

        ## The header

        Seen from above, pin 1 at the corner of the board that is nearest to the microSD slot.

        ```
        \(header.joined(separator: "\n"))
        ```

        ## In the configuration

        `gpio.chip` depends on the board; `gpiodetect` shows it.

        | Raspberry Pi | `gpio.chip` |
        |---|---|
        \(chips.map { "| \($0.model) | `\($0.label)` |" }.joined(separator: "\n"))

        ```toml
        \(configuration)
        ```

        """
    }

    /// The sections `[gpio]`, `[gate]` and `[indicator]` that fit this wiring.
    package var configuration: String {
        var lines = ["[gpio]", "chip = \"\(chips.dropFirst().first?.label ?? chips.first?.label ?? "")\""]
        var section = ""
        for signal in signals {
            let parts = signal.key.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            if parts[0] != section {
                section = parts[0]
                lines += ["", "[\(section)]"]
            }
            lines.append("\(parts[1]) = \"\(signal.line)\"")
        }
        return lines.joined(separator: "\n")
    }

    private func row(_ signal: Signal) -> String {
        let level = signal.activeHigh ? "high" : "low"
        return
            "| \(signal.name) | \(signal.line) | \(signal.pin) | \(level) | \(signal.rest) | \(signal.shows) | \(signal.notes) |"
    }

    private var grounds: [Int] { Header.fixed.filter { $0.value == "ground" }.keys.sorted() }

    private var header: [String] {
        stride(from: 1, through: 39, by: 2).map { pin in
            let left = Self.padded(label(pin), 20, right: false)
            let right = label(pin + 1)
            let numbers =
                "\(Self.padded(String(pin), 2, right: false)) o o \(Self.padded(String(pin + 1), 2, right: true))"
            return "\(left)  \(numbers)  \(right)"
        }
    }

    private func label(_ pin: Int) -> String {
        if let signal = signals.first(where: { $0.pin == pin }) { return "\(signal.name.uppercased()) \(signal.line)" }
        if let fixed = Header.fixed[pin] { return fixed }
        return Header.pins.first { $0.value == pin }.map { "GPIO\($0.key)" } ?? ""
    }

    private static func padded(_ text: String, _ width: Int, right: Bool) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return right ? text + blanks : blanks + text
    }
}
