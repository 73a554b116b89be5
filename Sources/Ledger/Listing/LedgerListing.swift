import Encoding

/// One visit as `gatehouse ledger list` shows it.
package struct ListedVisit: Hashable, Sendable {
    /// The record: an outcome, or an intent that has none yet.
    package var record: LedgerRecord
    /// How far its report has come; nil when there is none (an open visit) or it is no longer kept.
    package var report: ReportState?

    /// A visit and its report's state.
    package init(record: LedgerRecord, report: ReportState?) {
        self.record = record
        self.report = report
    }
}

/// The ledger as text: a table for people, JSON lines for machines. Every text from outside is made harmless for a
/// terminal.
package enum LedgerListing {
    /// Columns of the table, in characters.
    package static let width = 100
    private static let columns = [("TIME", 20), ("SEQ", 7), ("RESULT", 12), ("GATE", 8), ("REPORT", 12)]

    /// The table's first line.
    package static var header: String { row(columns.map(\.0), last: "REASONS") }

    /// One line of at most ``width`` characters.
    package static func line(_ visit: ListedVisit) -> String {
        let stamp = visit.record.stamp
        // A date that nobody vouches for is marked, not hidden.
        let doubt = stamp.time.provenance < .rtc ? "?" : " "
        let time = String(stamp.time.utc.rfc3339.prefix(19)).replacingT + doubt
        let seq = String(visit.record.seq)
        switch visit.record {
        case .intent:
            return row([time, seq, "open", "-", "-"], last: "")
        case .outcome(let record):
            let gate = record.outcome.gate.map { $0.opened ? "\($0.pulseMilliseconds) ms" : "shut" } ?? "unknown"
            let report = visit.report?.rawValue ?? "not kept"
            var reasons = record.outcome.reasons.map { $0.code.string }.joined(separator: " ")
            if record.intent == nil { reasons = "(no intent) " + reasons }
            if record.dropped > 0 { reasons = "(\(record.dropped) reports dropped) " + reasons }
            return row([time, seq, record.outcome.result.rawValue, gate, report], last: reasons)
        }
    }

    /// One JSON object in one line: the record's own members, then `position`, `hash` and `report`.
    package static func json(_ visit: ListedVisit, entry: LedgerEntry) -> String {
        var object = (try? JSON.parse(entry.body))?.object ?? JSONObject()
        object["position"] = .int(entry.position)
        object["hash"] = .text(entry.hash.hex)
        object["report"] = visit.report.map { .text($0.rawValue) } ?? .null
        return JSON.object(object).compactText
    }

    private static func row(_ cells: [String], last: String) -> String {
        var line = ""
        for (cell, column) in zip(cells, columns) {
            let text = String(printable(cell).prefix(column.1 - 1))
            line += text + String(repeating: " ", count: column.1 - text.count)
        }
        line += printable(last)
        if line.count > width { line = String(line.prefix(width - 1)) + "…" }
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    /// Control characters and whatever could steer a terminal become "?".
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                        "?"
                    default: scalar
                    }
                }))
    }
}

extension String {
    /// The date and the time of day parted by a space, for people.
    fileprivate var replacingT: String { split(separator: "T", maxSplits: 1).joined(separator: " ") }
}
