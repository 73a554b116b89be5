import Encoding

/// Entries as lines of comma-separated values (RFC 4180), for spreadsheets: one line an entry, without proof. Every cell stands in
/// quotes, and none begins as a formula would.
package enum LedgerTable {
    private static let columns = [
        "position", "seq", "kind", "visit", "kiosk", "time", "clock", "result", "reasons", "opened", "pulse_ms",
        "format",
        "issuer", "types", "session_ms", "repeated", "dropped", "hash",
    ]

    /// The first line, without its end.
    package static var header: String { line(columns) }

    /// The line of an entry, without its end. One that is no record has its position and its hash.
    package static func line(_ entry: LedgerEntry) -> String {
        var cells = ["\(entry.position)"]
        switch try? LedgerRecord(bytes: entry.body) {
        case .intent(let record):
            cells += stamped(record.seq, "intent", record.visit, record.stamp)
        case .outcome(let record):
            let (outcome, gate) = (record.outcome, record.outcome.gate)
            cells += stamped(record.seq, "outcome", record.visit, record.stamp)
            cells += [
                outcome.result.rawValue, outcome.reasons.map(\.code.string).joined(separator: " "),
                gate.map { "\($0.opened)" } ?? "", gate.map { "\($0.pulseMilliseconds)" } ?? "",
                outcome.credential?.format.string ?? "", outcome.credential?.issuer?.string ?? "",
                (outcome.credential?.types ?? []).map(\.string).joined(separator: " "),
                outcome.session.map { "\($0.milliseconds)" } ?? "", "\(outcome.repeated)", "\(record.dropped)",
            ]
        case nil: cells += ["", "unreadable"]
        }
        cells += [String](repeating: "", count: columns.count - 1 - cells.count) + [entry.hash.hex]
        return line(cells)
    }

    private static func stamped(_ seq: Int, _ kind: String, _ visit: Text, _ stamp: RecordStamp) -> [String] {
        [
            "\(seq)", kind, visit.string, stamp.kiosk.string, stamp.time.utc.rfc3339, stamp.time.provenance.rawValue,
        ]
    }

    private static func line(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") }

    private static func cell(_ text: String) -> String {
        // What a spreadsheet would compute is a text all the same.
        let isFormula = text.utf8.first.map { "=+-@\t\r".utf8.contains($0) } ?? false
        var cell = "\"" + (isFormula ? "'" : "")
        for scalar in text.unicodeScalars {
            if scalar == "\"" { cell += "\"\"" } else { cell.unicodeScalars.append(scalar.value < 0x20 ? " " : scalar) }
        }
        return cell + "\""
    }
}
