import Encoding
package import Kiosk

/// The content of `hardware/pinout.toml`: the lines with their header pins and the things that are connected to them.
package struct Pinout: Hashable, Sendable {
    /// A family of boards, and the GPIO chip that drives their header.
    package struct Chip: Hashable, Sendable {
        /// The names of the boards in `gatehouse setup`: small letters and digits.
        package let boards: [String]
        /// The name of the boards, for people.
        package let model: String
        /// The label of the chip, as gpiodetect prints it.
        package let label: String
    }

    /// One output of the gate, with its line and its header pin.
    package struct Signal: Hashable, Sendable {
        /// The name of the signal in the pinout and on the wiring page.
        package let name: String
        /// The output of the program that this signal belongs to.
        package let role: OutputRole
        /// The name of the output's line: `GPIO` and its BCM number.
        package let line: String
        /// The number of the pin on the 40-pin header.
        package let pin: Int
        /// Whether the active level is high.
        package let activeHigh: Bool
        /// The state of the output while it is inactive, in words.
        package let rest: String
        /// The thing that is connected to the output, with its colour and position, in words.
        package let shows: String
        /// Further notes for the installer.
        package let notes: String
    }

    /// Lines that a display or a clock uses together.
    package struct Bus: Hashable, Sendable {
        /// One line of a bus, with its header pin.
        package struct Pin: Hashable, Sendable {
            /// The signal that the line carries.
            package let signal: String
            /// The name of the bus line.
            package let line: String
            /// The number of the pin on the 40-pin header.
            package let pin: Int
        }

        /// The name of the bus.
        package let name: String
        /// The setting that activates the bus: a line of `config.txt`, or keys of the configuration.
        package let activation: String
        /// The devices on the bus, in words.
        package let serves: String
        /// The lines of the bus.
        package let pins: [Pin]
    }

    /// A thing that the relay opens, such as a turnstile.
    package struct Opening: Hashable, Sendable {
        /// The name of the thing, which is also the name of its wiring diagram.
        package let use: String
        /// The pulse that the thing needs, as in the configuration (`gate.pulse`).
        package let pulse: String
    }

    /// A mistake in the pinout file, with its line.
    package struct Failure: Error, Hashable, Sendable {
        /// The line in the file, from 1.
        package let line: Int
        /// The mistake, in plain words.
        package let message: String
    }

    /// The name of the board to whose header the pin numbers refer.
    package let board: String
    /// The chips that drive the header, one for each family of boards.
    package let chips: [Chip]
    /// The outputs that every gate has, in the order of the pinout file.
    package let signals: [Signal]
    /// The outputs that only some gates have, in the order of the pinout file.
    package let outputs: [Signal]
    /// The inputs at the door, in the order of the pinout file.
    package let inputs: [Input]
    /// The buses, whose lines are in addition to those of signals, outputs and inputs.
    package let buses: [Bus]
    /// The things that the relay opens, with the pulses in the configurations of their wiring diagrams.
    package let pulses: [Opening]

    /// The line and the pin of each signal, output, input and bus line, by its name.
    package var places: [String: (line: String, pin: Int)] {
        var places: [String: (line: String, pin: Int)] = [:]
        for signal in signals + outputs { places[signal.name] = (signal.line, signal.pin) }
        for input in inputs { places[input.use] = (input.line, input.pin) }
        for pin in buses.flatMap(\.pins) { places[pin.signal] = (pin.line, pin.pin) }
        return places
    }

    /// Reads and checks a pinout file. Every member must be present and known. A line and its header pin must belong
    /// together. No name, key, line or pin may be used twice. Outputs may only use lines that are pulled down at boot.
    /// Of the wiring diagrams in the file, this type reads only the pulses.
    package init(_ bytes: [UInt8]) throws(Failure) {
        let file = try PinoutSection(file: bytes)
        try file.knows("board", "signal", "output", "input", "bus", "diagram")
        let board = try file.section("board")
        try board.knows("name", "chips")
        self.board = try board.text("name")
        var owners = Owners()
        var chips: [Chip] = []
        for chip in try board.sections("chips") {
            try chip.knows("boards", "model", "label")
            let boards = try chip.texts("boards")
            guard !boards.isEmpty, boards.allSatisfy({ Self.isBoard($0) }) else {
                throw chip.failure("boards are one or more names of small letters and digits")
            }
            try owners.take(boards.map { "board \($0)" }, for: boards[0], chip)
            chips.append(Chip(boards: boards, model: try chip.text("model"), label: try chip.text("label")))
        }
        self.chips = chips
        func read(_ name: Text) throws(Failure) -> [Signal] {
            var list: [Signal] = []
            for section in try file.sections(name) {
                let signal = try Signal(section)
                try owners.take(
                    [signal.name, signal.role.key, signal.line, "pin \(signal.pin)"], for: signal.name, section)
                list.append(signal)
            }
            return list
        }
        signals = try read("signal")
        outputs = try read("output")
        var inputs: [Input] = []
        for section in try file.sections("input") {
            let input = try Input(section)
            try owners.take([input.use, input.line, "pin \(input.pin)"], for: input.use, section)
            inputs.append(input)
        }
        self.inputs = inputs
        var buses: [Bus] = []
        for section in try file.sections("bus") {
            let bus = try Bus(section)
            for pin in bus.pins {
                try owners.take([pin.signal, pin.line, "pin \(pin.pin)"], for: "\(bus.name) \(pin.signal)", section)
            }
            buses.append(bus)
        }
        self.buses = buses
        var pulses: [Opening] = []
        for section in try file.sections("diagram") where section.has("configuration") {
            let table = try? TOML.parse(Array(try section.text("configuration").utf8))
            guard let pulse = table?["gate"]?.table?["pulse"]?.string else { continue }
            pulses.append(Opening(use: try section.text("name"), pulse: pulse.string))
        }
        self.pulses = pulses
    }

    private static func isBoard(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    }

    /// The signal, input or board to which each name, key, line and pin belongs. Each may belong to only one.
    private struct Owners {
        private var names: [String: String] = [:]

        mutating func take(_ things: [String], for owner: String, _ section: PinoutSection) throws(Failure) {
            for thing in things {
                if let other = names.updateValue(owner, forKey: thing) {
                    throw section.failure("\(owner) and \(other) share \(thing)")
                }
            }
        }
    }
}

extension Pinout {
    /// Reads the member `active`, which must be `high` or `low`. Returns whether it is `high`.
    static func isHigh(_ section: PinoutSection) throws(Failure) -> Bool {
        let active = try section.text("active")
        guard active == "high" || active == "low" else { throw section.failure("active is high or low") }
        return active == "high"
    }
}

extension Pinout.Signal {
    init(_ section: PinoutSection) throws(Pinout.Failure) {
        try section.knows("name", "key", "line", "pin", "active", "default", "shows", "notes")
        (line, pin) = try section.place()
        activeHigh = try Pinout.isHigh(section)
        guard let number = Header.number(of: line), Header.pulledDownAtBoot.contains(number) else {
            throw section.failure("\(line) is pulled up at boot: its signal would be on")
        }
        guard !Header.console.contains(number) else {
            throw section.failure("\(line) is driven by the serial console while the machine starts")
        }
        name = try section.text("name")
        let key = try section.text("key")
        guard let role = OutputRole.allCases.first(where: { $0.key.utf8.elementsEqual(key.utf8) }) else {
            throw section.failure("there is no output \(key)")
        }
        self.role = role
        (rest, shows, notes) = (try section.text("default"), try section.text("shows"), try section.text("notes"))
    }
}

extension Pinout.Bus {
    init(_ section: PinoutSection) throws(Pinout.Failure) {
        try section.knows("name", "switch", "serves", "pins")
        (name, activation) = (try section.text("name"), try section.text("switch"))
        serves = try section.text("serves")
        var pins: [Pin] = []
        for pin in try section.sections("pins") {
            try pin.knows("signal", "line", "pin")
            let place = try pin.place()
            pins.append(Pin(signal: try pin.text("signal"), line: place.line, pin: place.pin))
        }
        self.pins = pins
    }
}
