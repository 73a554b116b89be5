import Commissioning
import Encoding
import Settings

/// The wiring diagram for one use of the gate. Boxes are in columns and their terminals in rows, so every wire is
/// horizontal.
struct WiringDiagram: Hashable, Sendable {
    /// A thing with terminals on its left and right side. Its title is in its first row, and its terminals are in the
    /// rows below.
    struct Box: Hashable, Sendable {
        /// The column of the box. Column 0 contains the board.
        let column: Int
        /// The row of the box's title, counted from 1.
        let row: Int
        let title: String
        /// The names of the terminals on the left and on the right side, from the second row of the box on. An empty
        /// name means that the row has no terminal.
        let left, right: [String]

        var rows: ClosedRange<Int> { row...(row + max(left.count, right.count)) }

        func left(at row: Int) -> String? { Self.terminal(left, row - self.row - 1) }
        func right(at row: Int) -> String? { Self.terminal(right, row - self.row - 1) }

        private static func terminal(_ names: [String], _ index: Int) -> String? {
            names.indices.contains(index) && !names[index].isEmpty ? names[index] : nil
        }
    }

    /// A small part on a wire (in one row), or upright between two rows.
    struct Part: Hashable, Sendable {
        /// The kinds of parts. `open` and `closed` are contacts, named by their state at rest. A `button` closes when
        /// it is pressed, a `release` opens.
        enum Kind: String, CaseIterable {
            case resistor, diode, led, fuse, release, button, open, closed

            var isContact: Bool { [.release, .button, .open, .closed].contains(self) }
        }

        let kind: Kind
        let label: String
        /// The column to the left of the gap that contains the part.
        let gap: Int
        /// The position of the part in its gap, counted from 1 at the left.
        let lane: Int
        /// The row of the part's wire, or the two rows that an upright part connects.
        let rows: ClosedRange<Int>

        var isUpright: Bool { rows.count > 1 }
    }

    /// A horizontal line between the terminals of two boxes.
    struct Wire: Hashable, Sendable {
        let row: Int
        /// The columns of the two boxes that the wire connects.
        let columns: ClosedRange<Int>
        /// The names of the terminals at the left and the right end of the wire.
        let from, to: String
    }

    /// The name of the picture's file, without extension.
    let name: String
    /// The title of the diagram.
    let title: String
    /// Notes for the installer, in Markdown.
    let notes: [String]
    /// The lines of the configuration for this wiring; empty if it needs none.
    let configuration: String
    /// The boxes. The first is the board.
    let boxes: [Box]
    let parts: [Part]
    /// The header pins of the board's terminals, by row.
    let pins: [Int: Int]
    let wires: [Wire]

    /// Reads and checks a diagram. `places` contains the line and the pin of each signal, output, input and bus line.
    init(_ section: PinoutSection, places: [String: (line: String, pin: Int)]) throws(Pinout.Failure) {
        try section.knows("name", "title", "board", "boxes", "parts", "notes", "configuration")
        name = try section.text("name")
        guard name.isName(of: 1...32, "-") else { throw section.failure("\(name) is not a file name") }
        title = try section.text("title")
        notes = try section.texts("notes")
        configuration = section.has("configuration") ? try section.text("configuration") : ""
        var pins: [Int: Int] = [:]
        var terminals: [String] = []
        for (index, name) in try section.texts("board").enumerated() {
            let terminal = try Self.terminal(name, places, section)
            terminals.append(terminal?.label ?? "")
            pins[index + 2] = terminal?.pin
        }
        self.pins = pins
        var boxes = [Box(column: 0, row: 1, title: "Raspberry Pi", left: [], right: terminals)]
        for box in try section.sections("boxes") { boxes.append(try Box(box)) }
        self.boxes = boxes
        var parts: [Part] = []
        for part in try section.sections("parts") { parts.append(try Part(part)) }
        self.parts = parts
        wires = Self.wires(between: boxes)
        if let mistake { throw section.failure("\(name): \(mistake)") }
    }

    /// Returns the board's terminal with a name such as `gate` or `ground@14`, as label and pin; nil for an empty name.
    private static func terminal(
        _ name: String, _ places: [String: (line: String, pin: Int)], _ section: PinoutSection
    ) throws(Pinout.Failure) -> (label: String, pin: Int)? {
        if name.isEmpty { return nil }
        if let place = places[name] { return ("\(name) · \(place.line)", place.pin) }
        let parts = name.split(separator: "@").map(String.init)
        guard parts.count == 2, let pin = Int(parts[1]), Header.fixed[pin] == parts[0] else {
            throw section.failure("\(name) is neither a signal nor a supply with its pin")
        }
        return (parts[0], pin)
    }

    /// Returns the wires: in each row, one from each terminal on the right side of a box to the next box to the right,
    /// if that box has a terminal in this row.
    private static func wires(between boxes: [Box]) -> [Wire] {
        var wires: [Wire] = []
        for box in boxes {
            for row in box.rows {
                guard let from = box.right(at: row),
                    let next = boxes.filter({ $0.column > box.column && $0.rows.contains(row) })
                        .min(by: { $0.column < $1.column }), let to = next.left(at: row)
                else { continue }
                wires.append(Wire(row: row, columns: box.column...next.column, from: from, to: to))
            }
        }
        return wires
    }
}

extension WiringDiagram.Box {
    init(_ section: PinoutSection) throws(Pinout.Failure) {
        try section.knows("column", "row", "title", "left", "right")
        column = try section.number("column", in: 1...9)
        row = try section.number("row", in: 1...20)
        title = try section.text("title")
        (left, right) = (try section.texts("left"), try section.texts("right"))
    }
}

extension WiringDiagram.Part {
    init(_ section: PinoutSection) throws(Pinout.Failure) {
        try section.knows("kind", "label", "gap", "lane", "rows")
        let word = try section.text("kind")
        guard let kind = Kind.allCases.first(where: { $0.rawValue.utf8.elementsEqual(word.utf8) }) else {
            throw section.failure("there is no part \(word)")
        }
        self.kind = kind
        label = try section.text("label")
        gap = try section.number("gap", in: 0...8)
        lane = try section.number("lane", in: 1...4)
        let rows = try section.numbers("rows")
        guard let first = rows.first, let last = rows.last, rows.count <= 2, (1...40).contains(first),
            first...40 ~= last, rows.count == 1 || first < last
        else { throw section.failure("rows are one wire, or the upper and the lower of two") }
        self.rows = first...last
    }
}
