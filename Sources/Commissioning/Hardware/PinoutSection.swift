package import Encoding

/// A section of `pinout.toml`, with the line at which its faults are reported.
package struct PinoutSection {
    /// The maximum number of elements of a list. A longer list is a mistake.
    private static let limit = 200

    private let table: TOMLTable
    private let line: Int

    /// Reads a whole file.
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

    /// Returns a fault of this section.
    package func failure(_ message: String) -> Pinout.Failure { Pinout.Failure(line: line, message: message) }

    /// Refuses members with names that are not in `names`.
    package func knows(_ names: String...) throws(Pinout.Failure) {
        for entry in table.entries where !names.contains(where: { Text($0) == entry.name }) {
            throw Pinout.Failure(line: entry.line, message: "there is no \(entry.name)")
        }
    }

    /// Returns whether the section has the member.
    package func has(_ name: Text) -> Bool { table[name] != nil }

    /// Returns a text. The member must be present.
    package func text(_ name: Text) throws(Pinout.Failure) -> String {
        guard let text = table[name]?.string else { throw failure("\(name) is missing, or not a text") }
        return text.string
    }

    /// Returns a number in `range`. The member must be present.
    package func number(_ name: Text, in range: ClosedRange<Int>) throws(Pinout.Failure) -> Int {
        guard let number = table[name]?.integer.flatMap({ Int(exactly: $0) }), range.contains(number) else {
            throw failure("\(name) is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns a list of texts; empty if the member is absent.
    package func texts(_ name: Text) throws(Pinout.Failure) -> [String] {
        let list = try list(name)
        let texts = list.compactMap { $0.string?.string }
        guard texts.count == list.count else { throw failure("\(name) is a list of texts") }
        return texts
    }

    /// Returns a list of numbers; empty if the member is absent.
    package func numbers(_ name: Text) throws(Pinout.Failure) -> [Int] {
        let list = try list(name)
        let numbers = list.compactMap { $0.integer.flatMap({ Int(exactly: $0) }) }
        guard numbers.count == list.count else { throw failure("\(name) is a list of numbers") }
        return numbers
    }

    /// Returns an inner section. It must be present.
    func section(_ name: Text) throws(Pinout.Failure) -> PinoutSection {
        guard let table = table[name]?.table else { throw failure("\(name) is missing") }
        return PinoutSection(table, line: line)
    }

    /// Returns a list of sections; empty if the member is absent.
    package func sections(_ name: Text) throws(Pinout.Failure) -> [PinoutSection] {
        let list = try list(name)
        let tables = list.compactMap(\.table)
        guard tables.count == list.count else { throw failure("\(name) is a list of sections") }
        return tables.map { PinoutSection($0, line: line) }
    }

    /// Reads `line` and `pin`. The two must belong together on the header.
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
