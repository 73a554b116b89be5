import Commissioning
import Encoding
import Kiosk
import Settings

extension Wiring {
    /// The wiring page and its pictures, with their paths relative to the folder of `pinout.toml`.
    var files: [(path: String, text: String)] {
        [("wiring.md", wiringPage)] + diagrams.map { (picturePath($0), $0.svg) }
    }

    private func picturePath(_ diagram: WiringDiagram) -> String { "wiring/\(diagram.name).svg" }

    /// The page `hardware/wiring.md` in Markdown.
    var wiringPage: String {
        """
        # Wiring

        <!-- Made from pinout.toml by `make hardware`. Edit that file, not this one. -->

        \(pinout.board). Outputs give 3.3 V and a few milliamperes: each goes to a driver stage (ULN2803A or the like, see
        [bom.csv](bom.csv)), never straight to a lamp, relay or lock. Inputs are contacts to ground, and never see more than 3.3 V. The
        driver's ground and the board's ground are joined. Why it is so: [circuit.md](circuit.md).

        \(contents)

        ## Signals

        | signal | line | pin | active | at rest | connects to | notes |
        |---|---|---|---|---|---|---|
        \(pinout.signals.map(row).joined(separator: "\n"))

        Outputs of the same kind that not every gate has:

        | output | line | pin | active | at rest | connects to | key and notes |
        |---|---|---|---|---|---|---|
        \(pinout.outputs.map(rowWithKey).joined(separator: "\n"))

        ## Inputs

        Sections `[[door.input]]` of the configuration; what each does: [the door](../docs/door.md#inputs).

        | `use` | line | pin | active unless said otherwise | at rest | connects to | notes |
        |---|---|---|---|---|---|---|
        \(pinout.inputs.map(row).joined(separator: "\n"))

        ## Other lines

        Ground is on pins \(grounds.map(String.init).joined(separator: ", ")). ID_SD and ID_SC stay free: the firmware looks for an add-on
        board there.

        Displays and the clock take further lines, all of a bus once it is switched on; no signal or input is on one of them.

        | bus | switched on by | for | lines (pin) |
        |---|---|---|---|
        \(pinout.buses.map(row).joined(separator: "\n"))

        \(free.isEmpty ? "No line is left but those of the serial console (GPIO14, GPIO15)" : "Free: \(free)"). What is not wired leaves its
        line to others.

        ## The header

        Seen from above, pin 1 at the corner of the board that is nearest to the microSD slot.

        ```text
        \(header.joined(separator: "\n"))
        ```

        ## In the configuration

        `gpio.chip` depends on the board; `gpiodetect` shows it. `gatehouse setup` takes the board's name (`--board`) and writes all of it.

        | Raspberry Pi | `--board` | `gpio.chip` |
        |---|---|---|
        \(pinout.chips.map(row).joined(separator: "\n"))

        ```toml
        \(configuration)
        ```

        \(diagrams.map(section).joined(separator: "\n"))
        """
    }

    private var contents: String {
        (["Pictures:", ""] + diagrams.map { "- [\($0.title)](#\(Self.anchor($0.title)))" }).joined(separator: "\n")
    }

    /// Returns the anchor of a heading for links: small letters, digits and hyphens.
    private static func anchor(_ title: String) -> String {
        String(title.lowercased().compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber || $0 == "-" ? $0 : nil })
    }

    private func section(_ diagram: WiringDiagram) -> String {
        var lines = ["## \(diagram.title)", "", "![\(diagram.title)](\(picturePath(diagram)))", ""]
        lines += diagram.notes.map { "- \($0)" }
        if !diagram.notes.isEmpty { lines.append("") }
        if !diagram.configuration.isEmpty {
            let text = diagram.configuration.drop(while: \.isNewline).reversed().drop(while: \.isNewline).reversed()
            lines += ["```toml", String(text), "```", ""]
        }
        return lines.joined(separator: "\n")
    }

    /// The keys of the sections `[gpio]`, `[gate]` and `[indicator]` for the wiring on this page.
    var configuration: String {
        var text = ConfigurationText()
        text.add("gpio.chip", .text(pinout.chips.dropFirst().first?.label ?? pinout.chips.first?.label ?? ""))
        for signal in pinout.signals { text.add(signal.role.key, .text(signal.line)) }
        return text.lines.joined(separator: "\n")
    }

    private func row(_ chip: Pinout.Chip) -> String {
        "| \(chip.model) | \(chip.boards.map { "`\($0)`" }.joined(separator: ", ")) | `\(chip.label)` |"
    }

    private func row(_ signal: Pinout.Signal) -> String {
        let level = signal.activeHigh ? "high" : "low"
        return
            "| \(signal.name) | \(signal.line) | \(signal.pin) | \(level) | \(signal.rest) | \(signal.shows) | \(signal.notes) |"
    }

    private func rowWithKey(_ signal: Pinout.Signal) -> String {
        let level = signal.activeHigh ? "high" : "low"
        return "| \(signal.name) | \(signal.line) | \(signal.pin) | \(level) | \(signal.rest) | \(signal.shows) | "
            + "`\(signal.role.key)`. \(signal.notes) |"
    }

    private func row(_ input: Pinout.Input) -> String {
        let (active, rest) = input.activeHigh ? ("high: opened", "closed") : ("low: closed", "open")
        return
            "| `\(input.use)` | \(input.line) | \(input.pin) | \(active) | \(rest) | \(input.shows) | \(input.notes) |"
    }

    private func row(_ bus: Pinout.Bus) -> String {
        let lines = bus.pins.map { "\($0.signal) \($0.line) (\($0.pin))" }.joined(separator: ", ")
        return "| \(bus.name) | `\(bus.activation)` | \(bus.serves) | \(lines) |"
    }

    /// The lines of the header that nothing uses, without those of the serial console.
    private var free: String {
        let used = Set(pinout.places.values.map(\.pin))
        return Header.pins.filter { !used.contains($0.value) && !Header.console.contains($0.key) }
            .sorted { $0.key < $1.key }.map { "GPIO\($0.key) (\($0.value))" }.joined(separator: ", ")
    }

    private var grounds: [Int] { Header.fixed.filter { $0.value == "ground" }.keys.sorted() }

    private var header: [String] {
        let width = stride(from: 1, through: 39, by: 2).map { label($0).count }.max() ?? 0
        return stride(from: 1, through: 39, by: 2).map { pin in
            let left = Self.padded(label(pin), width, right: false)
            let right = label(pin + 1)
            let numbers =
                "\(Self.padded(String(pin), 2, right: false)) o o \(Self.padded(String(pin + 1), 2, right: true))"
            return "\(left)  \(numbers)  \(right)"
        }
    }

    private func label(_ pin: Int) -> String {
        if let signal = pinout.signals.first(where: { $0.pin == pin }) {
            return "\(signal.name.uppercased()) \(signal.line)"
        }
        if let place = pinout.places.first(where: { $0.value.pin == pin }) { return "\(place.key) \(place.value.line)" }
        if let fixed = Header.fixed[pin] { return fixed }
        return Header.pins.first { $0.value == pin }.map { "GPIO\($0.key)" } ?? ""
    }

    private static func padded(_ text: String, _ width: Int, right: Bool) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return right ? text + blanks : blanks + text
    }
}
