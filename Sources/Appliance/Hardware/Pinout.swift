import Encoding

/// Which signal is on which line and header pin: `hardware/pinout.toml` as values.
package struct Pinout: Hashable, Sendable {
    /// A board family and the label of the chip its header belongs to.
    package struct Chip: Hashable, Sendable {
        /// The boards, for people.
        package let model: String
        /// The label, as gpiodetect shows it.
        package let label: String
    }

    /// One output.
    package struct Signal: Hashable, Sendable {
        /// What this project calls it.
        package let name: String
        /// The configuration key that names its line.
        package let key: String
        /// The line's name, `GPIO` and its BCM number.
        package let line: String
        /// The pin of the 40-pin header.
        package let pin: Int
        /// Whether the active level is high.
        package let activeHigh: Bool
        /// Its state while inactive, in words.
        package let rest: String
        /// What is connected, with colour and place.
        package let shows: String
        /// What else an installer must know.
        package let notes: String
    }

    /// What is wrong with the file, with its line.
    package struct Failure: Error, Hashable, Sendable {
        /// The line in the file, from 1.
        package let line: Int
        /// What is wrong, in plain words.
        package let message: String
    }

    /// The header that pins are counted on.
    package let board: String
    /// The chips that carry the lines, by board.
    package let chips: [Chip]
    /// The outputs in the order of the file.
    package let signals: [Signal]

    /// Reads and checks the file: every member present, line and pin of the header belong together, nothing used twice, and
    /// only lines that are pulled down at boot.
    package init(_ bytes: [UInt8]) throws(Failure) {
        let root: TOMLTable
        do { root = try TOML.parse(bytes) } catch { throw Failure(line: error.line, message: error.message) }
        guard let board = root["board"]?.table, let name = board["name"]?.string, let chips = board["chips"]?.array,
            let signals = root["signal"]?.array
        else { throw Failure(line: 1, message: "board.name, board.chips and [[signal]] are needed") }
        self.board = name.string
        var readChips: [Chip] = []
        for case let chip in chips {
            guard let model = chip.table?["model"]?.string, let label = chip.table?["label"]?.string else {
                throw Failure(line: board.entry("chips")?.line ?? 1, message: "a chip needs model and label")
            }
            readChips.append(Chip(model: model.string, label: label.string))
        }
        self.chips = readChips
        var readSignals: [Signal] = []
        for signal in signals {
            let signal = try Self.signal(signal.table)
            let line = signals[readSignals.count].table?.entries.first?.line ?? 1
            if let other = readSignals.first(where: {
                $0.name == signal.name || $0.key == signal.key || $0.line == signal.line || $0.pin == signal.pin
            }) {
                throw Failure(line: line, message: "\(signal.name) and \(other.name) share a name, key, line or pin")
            }
            readSignals.append(signal)
        }
        self.signals = readSignals
    }

    private static func signal(_ table: TOMLTable?) throws(Failure) -> Signal {
        guard let table else { throw Failure(line: 1, message: "a signal is a section") }
        let line = table.entries.first?.line ?? 1
        func text(_ name: Text) throws(Failure) -> String {
            guard let text = table[name]?.string else { throw Failure(line: line, message: "\(name) is missing") }
            return text.string
        }
        let name = try text("line")
        let active = try text("active")
        guard active == "high" || active == "low" else { throw Failure(line: line, message: "active is high or low") }
        guard name.hasPrefix("GPIO"), let number = Int(name.dropFirst(4)), let pin = Header.pins[number] else {
            throw Failure(line: line, message: "\(name) is no line of the header")
        }
        guard table["pin"]?.integer == Int64(pin) else {
            throw Failure(line: line, message: "\(name) is on pin \(pin) of the header")
        }
        guard Header.pulledDownAtBoot.contains(number) else {
            throw Failure(line: line, message: "\(name) is pulled up at boot: its signal would be on")
        }
        return Signal(
            name: try text("name"), key: try text("key"), line: name, pin: pin, activeHigh: active == "high",
            rest: try text("default"), shows: try text("shows"), notes: try text("notes"))
    }
}

/// The 40-pin header of the Raspberry Pi: facts of the board, the same since the model B+.
enum Header {
    /// Header pin by BCM number.
    static let pins: [Int: Int] = [
        2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33, 14: 8, 15: 10, 16: 36,
        17: 11,
        18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37, 27: 13,
    ]

    /// BCM numbers whose line the chip pulls down from power-on (BCM2835 ARM Peripherals, table of alternative functions).
    static let pulledDownAtBoot = 9...27

    /// What the pins that are no GPIO carry.
    static let fixed: [Int: String] = [
        1: "3.3 V", 2: "5 V", 4: "5 V", 6: "ground", 9: "ground", 14: "ground", 17: "3.3 V", 20: "ground", 25: "ground",
        27: "ID_SD", 28: "ID_SC", 30: "ground", 34: "ground", 39: "ground",
    ]
}
