extension TOMLTable {
    /// The table as a document that ``TOML/parse(_:limits:)`` can parse: plain values first, then a header for each
    /// inner table.
    package var document: String {
        var text = ""
        write([], into: &text)
        return text
    }

    /// Returns this table with values replaced by those of `other`. Tables that are in both are merged; lists are
    /// replaced.
    package func overlaid(by other: TOMLTable) -> TOMLTable {
        var merged = entries.map { entry -> Entry in
            guard let over = other.entry(entry.name) else { return entry }
            guard let own = entry.value.table, let others = over.value.table else { return over }
            return Entry(name: entry.name, value: .table(own.overlaid(by: others)), line: over.line)
        }
        merged += other.entries.filter { entry($0.name) == nil }
        return TOMLTable(merged)
    }

    private func write(_ path: [Text], into text: inout String) {
        for entry in entries where entry.value.isPlain {
            text += "\(TOML.key(entry.name)) = \(entry.value.inline)\n"
        }
        for entry in entries where !entry.value.isPlain {
            let below = path + [entry.name]
            let name = below.map(TOML.key).joined(separator: ".")
            switch entry.value {
            case .table(let table):
                text += "\n[\(name)]\n"
                table.write(below, into: &text)
            case .array(let tables):
                for table in tables.compactMap(\.table) {
                    text += "\n[[\(name)]]\n"
                    table.write(below, into: &text)
                }
            default: break
            }
        }
    }
}

extension TOML {
    /// Whether the value is written after an equals sign. Other values, which are tables and arrays of tables, have a
    /// header.
    fileprivate var isPlain: Bool {
        switch self {
        case .table: false
        case .array(let elements): elements.isEmpty || !elements.allSatisfy { $0.table != nil }
        default: true
        }
    }

    fileprivate var inline: String {
        switch self {
        case .string(let text): Self.quoted(text)
        case .integer(let number): "\(number)"
        case .float(let number): number.isNaN ? "nan" : number.isInfinite ? (number < 0 ? "-inf" : "inf") : "\(number)"
        case .boolean(let flag): "\(flag)"
        case .dateTime(let text): text.string
        case .array(let elements): "[" + elements.map(\.inline).joined(separator: ", ") + "]"
        case .table(let table):
            "{" + table.entries.map { "\(Self.key($0.name)) = \($0.value.inline)" }.joined(separator: ", ") + "}"
        }
    }

    fileprivate static func key(_ name: Text) -> String {
        let isBare = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isBare && !name.utf8.isEmpty ? name.string : quoted(name)
    }

    private static func quoted(_ text: Text) -> String {
        var quoted = "\""
        for scalar in text.string.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case let scalar where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
