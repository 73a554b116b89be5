import Encoding

/// The ledger as comma-separated values (RFC 4180) for spreadsheets, one line for each entry. Unlike an export
/// (``LedgerExport``), the table cannot be verified. Every cell is quoted, and no cell begins like a formula.
package enum LedgerTable {
    private static let columns = [
        "position", "seq", "kind", "visit", "kiosk", "time", "clock", "result", "reasons", "opened", "pulse_ms",
        "format", "issuer", "types", "name", "others", "session_ms", "repeated", "dropped", "hash",
    ]

    /// The first line of the table with the names of the columns, without its line end.
    package static var header: String { line(columns) }

    /// Returns the line of an entry, without its line end. If the bytes of the entry are not a record, the line
    /// contains only position, the kind `unreadable`, and hash.
    package static func line(_ entry: LedgerEntry) -> String {
        var cells = ["\(entry.position)"]
        switch try? LedgerRecord(bytes: entry.body) {
        case .intent(let record):
            cells += stamped(record.seq, "intent", record.intent, record.stamp)
        case .outcome(let record):
            cells +=
                stamped(record.seq, "outcome", record.visit, record.stamp) + told(record.outcome) + [
                    "\(record.dropped)"
                ]
        case nil: cells += ["", "unreadable"]
        }
        cells += [String](repeating: "", count: columns.count - 1 - cells.count) + [entry.hash.hex]
        return line(cells)
    }

    /// Returns the cells that only an outcome has. They are appended one by one, because older compilers cannot
    /// type-check one large expression.
    private static func told(_ outcome: Outcome) -> [String] {
        let (gate, credential) = (outcome.gate, outcome.credential)
        var cells: [String] = [outcome.result.rawValue, outcome.reasons.map(\.code.string).joined(separator: " ")]
        cells.append(gate.map { "\($0.opened)" } ?? "")
        cells.append(gate.map { "\($0.pulseMilliseconds)" } ?? "")
        cells.append(credential?.format.string ?? "")
        cells.append(credential?.issuer?.string ?? "")
        cells.append((credential?.types ?? []).map(\.string).joined(separator: " "))
        cells.append(credential?.name?.string ?? "")
        cells.append(outcome.others.compactMap(\.name).map(\.string).joined(separator: " "))
        cells.append(outcome.session.map { "\($0.milliseconds)" } ?? "")
        cells.append("\(outcome.repeated)")
        return cells
    }

    private static func stamped(_ seq: Int, _ kind: String, _ visit: Text, _ stamp: RecordStamp) -> [String] {
        [
            "\(seq)", kind, visit.string, stamp.kiosk.string, stamp.time.utc.rfc3339, stamp.time.provenance.rawValue,
        ]
    }

    private static func line(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") }

    private static func cell(_ text: String) -> String {
        // A spreadsheet would evaluate a text that begins like a formula, so write an apostrophe before it.
        let isFormula = text.utf8.first.map { "=+-@\t\r".utf8.contains($0) } ?? false
        var cell = "\"" + (isFormula ? "'" : "")
        for scalar in text.unicodeScalars {
            if scalar == "\"" { cell += "\"\"" } else { cell.unicodeScalars.append(scalar.value < 0x20 ? " " : scalar) }
        }
        return cell + "\""
    }
}
