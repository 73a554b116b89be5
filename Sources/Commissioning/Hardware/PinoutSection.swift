package import Encoding

/// A section of `pinout.toml`. Its mistakes are reported with the line of its first member.
package struct PinoutSection {
    /// The maximum number of elements in a list. A longer list counts as a mistake.
    private static let limit = 200

    private let table: TOMLTable
    private let line: Int

    /// Reads a whole pinout file as one section.
    package init(file bytes: [UInt8]) throws(Pinout.Failure) {
        let root: TOMLTable
        do { root = try TOML.parse(bytes) } catch {
            throw Pinout.Failure(line: error.line, message: error.message)
        }
        self.init(root, line: 1)
    }

    private init(_ table: TOMLTable, line: Int) {
        self.table = table
        self.line = table.entries.first?.line ?? line
    }

    /// Returns a mistake at the line of this section.
    package func failure(_ message: String) -> Pinout.Failure { Pinout.Failure(line: line, message: message) }

    /// Throws if the section has a member that is not in `names`.
    package func knows(_ names: String...) throws(Pinout.Failure) {
        for entry in table.entries where !names.contains(where: { Text($0) == entry.name }) {
            throw Pinout.Failure(line: entry.line, message: "there is no \(entry.name)")
        }
    }

    /// Returns whether the section has the member `name`.
    package func has(_ name: Text) -> Bool { table[name] != nil }

    /// Returns the text in the member `name`. Throws if the member is absent or not a text.
    package func text(_ name: Text) throws(Pinout.Failure) -> String {
        guard let text = table[name]?.string else { throw failure("\(name) is missing, or not a text") }
        return text.string
    }

    /// Returns the number in the member `name`. Throws if the member is absent or not a number in `range`.
    package func number(_ name: Text, in range: ClosedRange<Int>) throws(Pinout.Failure) -> Int {
        guard let number = table[name]?.integer.flatMap({ Int(exactly: $0) }), range.contains(number) else {
            throw failure("\(name) is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns the list of texts in the member `name`; empty if the member is absent.
    package func texts(_ name: Text) throws(Pinout.Failure) -> [String] {
        let list = try list(name)
        let texts = list.compactMap { $0.string?.string }
        guard texts.count == list.count else { throw failure("\(name) is a list of texts") }
        return texts
    }

    /// Returns the list of numbers in the member `name`; empty if the member is absent.
    package func numbers(_ name: Text) throws(Pinout.Failure) -> [Int] {
        let list = try list(name)
        let numbers = list.compactMap { $0.integer.flatMap({ Int(exactly: $0) }) }
        guard numbers.count == list.count else { throw failure("\(name) is a list of numbers") }
        return numbers
    }

    /// Returns the section in the member `name`. Throws if the member is absent.
    func section(_ name: Text) throws(Pinout.Failure) -> PinoutSection {
        guard let table = table[name]?.table else { throw failure("\(name) is missing") }
        return PinoutSection(table, line: line)
    }

    /// Returns the list of sections in the member `name`; empty if the member is absent.
    package func sections(_ name: Text) throws(Pinout.Failure) -> [PinoutSection] {
        let list = try list(name)
        let tables = list.compactMap(\.table)
        guard tables.count == list.count else { throw failure("\(name) is a list of sections") }
        return tables.map { PinoutSection($0, line: line) }
    }

    /// Reads the members `line` and `pin`. Throws if the line is not on this pin of the header.
    func place() throws(Pinout.Failure) -> (line: String, pin: Int) {
        let name = try text("line")
        guard let number = Header.number(of: name), let pin = Header.pins[number] else {
            throw failure("\(name) is not a line of the header")
        }
        guard try self.number("pin", in: 1...40) == pin else { throw failure("\(name) is on pin \(pin) of the header") }
        return (name, pin)
    }

    private func list(_ name: Text) throws(Pinout.Failure) -> [TOML] {
        guard let value = table[name] else { return [] }
        guard let list = value.array, list.count <= Self.limit else {
            throw failure(
                "\(name) is not a list, or too "
                    + "long")
        }
        return list
    }
}
