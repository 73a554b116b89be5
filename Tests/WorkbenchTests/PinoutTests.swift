import Displays
import Encoding
import Features
import Foundation
import Kiosk
import LinuxIO
import Settings
import TestKit
import Testing

@testable import Commissioning
@testable import Workshop

@Suite("Pinout")
struct PinoutTests {
    /// The outputs without a line in the pinout. The header has no free line, so they take that of something that
    /// the gate does not have.
    private static let unplaced: Set<OutputRole> = []

    private let folder = Vectors.repository.appendingPathComponent("hardware")

    private func wiring() throws -> Wiring {
        try Wiring(try Vectors.bytes(folder.appendingPathComponent("pinout.toml")))
    }

    private func pinout() throws -> Pinout { try wiring().pinout }

    @Test("the wiring page and its pictures agree with the pinout (make hardware renews them)")
    func files() throws {
        let made = try wiring().files
        #expect(made.count > 8)
        for (path, text) in made {
            let file = try Vectors.bytes(folder.appendingPathComponent(path))
            #expect(String(decoding: file, as: UTF8.self) == text, "\(path)")
        }
        let pictures = try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("wiring").path)
        #expect(Set(pictures.map { "wiring/" + $0 } + ["wiring.md"]) == Set(made.map(\.path)))
    }

    @Test("the example configuration uses the lines of the pinout, with their levels")
    func configuration() throws {
        let pinout = try pinout()
        let example = try Configuration.load(Vectors.repository.appendingPathComponent("deploy/gatehouse.toml").path)
        for signal in pinout.signals {
            let line = try #require(example.outputs[signal.role])
            #expect(line.name == signal.line && line.activeLow == !signal.activeHigh)
        }
        let chip = try #require(example.gpio.chip)
        #expect(pinout.chips.contains { $0.label == chip })
        #expect(Set(pinout.signals.map(\.role)) == Set(example.outputs.keys))
        let all = pinout.signals + pinout.outputs
        #expect(Set(OutputRole.allCases).subtracting(all.map(\.role)) == Self.unplaced)
        #expect(all.allSatisfy { $0.name == $0.role.name })
    }

    @Test("the inputs and their levels are those of the program")
    func inputs() throws {
        let pinout = try pinout()
        #expect(Set(pinout.inputs.map(\.use)) == Set(DoorInput.allCases.map(\.rawValue)))
        for input in pinout.inputs {
            let text = """
                [kiosk]
                name = "G"
                [gpio]
                chip = "pinctrl-rp1"
                [gate]
                line = "GPIO17"
                [[door.input]]
                use = "\(input.use)"
                line = "\(input.line)"
                """
            let read = try #require(
                Configuration.parse(Array(text.utf8), file: "page", folder: "/").door.inputs.first)
            #expect(read.use.rawValue == input.use && (read.active == .high) == input.activeHigh, "\(input.use)")
            // The page shows contacts to ground.
            #expect(read.bias == .pullUp)
        }
    }

    @Test(
        "documents and examples name the inputs' lines as the pinout does",
        arguments: ["docs/door.md", "deploy/gatehouse.toml"])
    func lines(_ name: String) throws {
        let bytes = try Vectors.bytes(Vectors.repository.appendingPathComponent(name))
        let pinout = try pinout()
        let pairs = String(decoding: bytes, as: UTF8.self).matches(of: /use = "([a-z-]+)"\n(?:# )?line = "(GPIO\d+)"/)
        #expect(!pairs.isEmpty)
        for pair in pairs {
            #expect(pinout.inputs.contains { $0.use == String(pair.1) && $0.line == String(pair.2) }, "\(pair.0)")
        }
    }

    @Test("the program accepts the configuration on the page")
    func snippet() throws {
        let text = "[kiosk]\nname = \"G\"\n" + (try wiring().configuration)
        let configuration = try Configuration.parse(Array(text.utf8), file: "page", folder: "/")
        #expect(configuration.outputs[.gateRelay]?.name == "GPIO17")
    }

    @Test("the program accepts the configuration next to each picture, with all signals")
    func snippets() throws {
        let wiring = try wiring()
        let pinout = wiring.pinout
        let sections = wiring.configuration.components(separatedBy: "\n\n")
        for diagram in wiring.diagrams where !diagram.configuration.isEmpty {
            // Each section appears once.
            let others = sections.filter { section in
                !diagram.configuration.contains(section.prefix { !$0.isNewline })
            }
            #expect(others.count >= 2)
            let text = (["[kiosk]\nname = \"G\""] + others + [diagram.configuration]).joined(separator: "\n")
            let configuration = try Configuration.parse(Array(text.utf8), file: diagram.name, folder: "/")
            #expect(configuration.outputs[.gateRelay]?.name == "GPIO17", "\(diagram.name)")
            for input in configuration.door.inputs {
                #expect(pinout.inputs.contains { $0.use == input.use.rawValue && $0.line == input.line })
                // An input with a resistor on the picture does not use the chip's pull-up.
                let hasPullUp = diagram.parts.contains { $0.label == "4.7 kΩ" }
                #expect(input.bias == (hasPullUp ? .none : .pullUp), "\(diagram.name)")
            }
            for (role, line) in configuration.outputs {
                let place = (pinout.signals + pinout.outputs).first { $0.role == role }
                #expect(place?.line == line.name, "\(diagram.name): \(role.key)")
            }
            if let lines = configuration[DisplaysSection.self].main.lines {
                let panel = pinout.buses.flatMap(\.pins)
                for (signal, line) in [("data", lines.data), ("reset", lines.reset), ("busy", lines.busy)] {
                    #expect(panel.contains { $0.signal == signal && $0.line == line }, "\(signal)")
                }
            }
        }
    }

    @Test("each line has one use, and no signal is on a line of the firmware, a bus or the console")
    func uses() throws {
        let pinout = try pinout()
        let outputs = pinout.signals + pinout.outputs
        let pins = outputs.map(\.pin) + pinout.inputs.map(\.pin) + pinout.buses.flatMap(\.pins).map(\.pin)
        #expect(Set(pins).count == pins.count && pins.count == 24)
        #expect(Set(pins).isDisjoint(with: Header.fixed.keys))
        #expect(Set((outputs.map(\.line) + pinout.inputs.map(\.line))).isDisjoint(with: ["GPIO14", "GPIO15"]))
        // Every pin is drawn, except the pins that a bus occupies without using them.
        let drawn = Set(try wiring().diagrams.flatMap(\.pins.values))
        #expect(Set(pins).subtracting(drawn) == Set([21, 26]))
    }

    @Test("the list of parts is a table: as many columns in each row, no cell empty, and a range of prices")
    func parts() throws {
        let text = String(decoding: try Vectors.bytes(folder.appendingPathComponent("bom.csv")), as: UTF8.self)
        let rows = text.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        #expect(rows.count > 10 && rows.allSatisfy { $0.count == 7 })
        for row in rows.dropFirst() {
            #expect(row.allSatisfy { !$0.isEmpty }, "\(row[0])")
            let price = row[6].split(separator: " ").compactMap { Int($0) }
            #expect(row[6] == "under 1" || price.count == 2 && price[0] < price[1], "\(row[0])")
        }
    }

    @Test("the header: 26 lines and 14 other pins fill it exactly")
    func header() {
        #expect(Set(Header.pins.values).union(Header.fixed.keys) == Set(1...40))
        #expect(Header.pins.count + Header.fixed.count == 40)
    }

    @Test(
        "mistakes in the pinout are found",
        arguments: [
            ("pin = 11", "pin = 12"), ("line = \"GPIO17\"\npin = 11", "line = \"GPIO4\"\npin = 7"),
            ("line = \"GPIO17\"\npin = 11", "line = \"GPIO27\"\npin = 13"), ("GPIO17", "GPIO99"),
            ("active = \"high\"", "active = \"up\""), ("name = \"red\"", "name = \"green\""),
            ("shows = \"red lamp, bottom\"\n", ""), ("[board]", "[bored]"), ("label = ", "lable = "),
            ("indicator.red", "indicator.green"), ("[board]", "[board]\ncolour = \"green\""),
            // Lines of the serial console, of a bus, of the firmware.
            ("line = \"GPIO17\"\npin = 11", "line = \"GPIO14\"\npin = 8"),
            ("line = \"GPIO17\"\npin = 11", "line = \"GPIO10\"\npin = 19"),
            ("line = \"GPIO4\", pin = 7", "line = \"GPIO0\", pin = 27"),
            ("signal = \"busy\", line = \"GPIO4\", pin = 7", "signal = \"busy\", line = \"GPIO5\", pin = 29"),
            // Outputs that are pulled up at boot; inputs on the lines of the console or of a signal.
            ("line = \"GPIO13\"\npin = 33", "line = \"GPIO8\"\npin = 24"),
            ("line = \"GPIO16\"\npin = 36", "line = \"GPIO14\"\npin = 8"),
            ("line = \"GPIO16\"\npin = 36", "line = \"GPIO17\"\npin = 11"),
            ("use = \"passage\"", "use = \"contact\""), ("kind = \"button\"", "kind = \"knob\""),
            // Pictures: a pin that is not a ground pin, a pin that appears twice, a signal that does not
            // exist.
            ("ground@14", "ground@11"), ("\"blue\", \"amber\", \"green\"", "\"blue\", \"blue\", \"green\""),
            ("[\"gate\", \"tone\",", "[\"gate\", \"horn\","),
            // A terminal without a wire, a box on another, a part on no wire, on another part, across a wire.
            ("left = [\"−\"]", "left = [\"\", \"−\"]"), ("column = 2, row = 4", "column = 2, row = 3"),
            ("rows = [2, 3] }", "rows = [2, 5] }"), ("lane = 2, rows = [2] }", "lane = 1, rows = [2] }"),
            ("gap = 0, lane = 1, rows = [2, 3] }", "gap = 0, lane = 1, rows = [1, 3] }"),
            ("lane = 1, rows = [3, 5] },\n]", "lane = 1, rows = [2, 5] },\n]"), ("kind = \"led\"", "kind = \"lamp\""),
            ("name = \"lamps\"", "name = \"bench\""), ("name = \"lamps\"", "name = \"../lamps\""),
        ])
    func mistakes(_ original: String, _ mistake: String) throws {
        let text = String(decoding: try Vectors.bytes(folder.appendingPathComponent("pinout.toml")), as: UTF8.self)
        let changed = text.replacing(original, with: mistake, maxReplacements: 1)
        try #require(changed != text)
        #expect(throws: Pinout.Failure.self) { try Wiring(Array(changed.utf8)) }
    }
}
