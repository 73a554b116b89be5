import Encoding

/// One visit in the output of `gatehouse ledger list`.
package struct ListedVisit: Hashable, Sendable {
    /// The position of the visit's last record in the chain.
    package var position: Int
    /// The entry's hash; nil when the stored bytes are not a hash.
    package var hash: ChainHash?
    /// The bytes of the ledger's entry, as stored.
    package var body: [UInt8]
    /// The record of the entry: an outcome, or an intent without an outcome; nil if the entry is not a record.
    package var record: LedgerRecord?
    /// The delivery state of the visit's report; nil for an open visit, which has no report yet.
    package var report: ReportState?

    /// Creates a visit from its entry and its report's state.
    package init(position: Int, hash: ChainHash?, body: [UInt8], report: ReportState?) {
        (self.position, self.hash, self.body, self.report) = (position, hash, body, report)
        record = try? LedgerRecord(bytes: body)
    }
}

/// The ledger as text: a table for people, JSON lines for programs. In texts from outside, characters that could
/// control a terminal are replaced.
package enum LedgerListing {
    /// The width of the table, in characters.
    package static let width = 80
    private static let columns = [("TIME", 20), ("SEQ", 7), ("RESULT", 12), ("GATE", 8), ("REPORT", 13)]

    /// The first line of the table.
    package static var header: String { row(columns.map(\.0), ["REASONS"]).joined() }

    /// Returns lines of at most ``width`` characters: the visit, then the reasons that do not fit into the first line.
    package static func lines(_ visit: ListedVisit) -> [String] {
        guard let record = visit.record else {
            return row(["-", "-", "unreadable", "-", "-"], ["(entry \(visit.position))"])
        }
        let stamp = record.stamp
        // A date without a reliable source is marked, not hidden.
        let doubt = stamp.time.provenance < .rtc ? "?" : " "
        let time = String(stamp.time.utc.rfc3339.prefix(19)).replacingT + doubt
        let seq = String(record.seq)
        switch record {
        case .intent:
            return row([time, seq, "open", "-", "-"], [])
        case .outcome(let record):
            let report = visit.report?.rawValue ?? "-"
            let cells = [time, seq, record.outcome.result.rawValue, gate(record.outcome), report]
            var reasons = record.outcome.reasons.map(\.code.string)
            if record.outcome.repeated > 0 { reasons.append("(and \(record.outcome.repeated) alike)") }
            if record.intent == nil { reasons.append("(no intent)") }
            if record.dropped > 0 { reasons.append("(\(record.dropped) reports dropped)") }
            return row(cells, reasons)
        }
    }

    /// The opening of the gate as text. The text is `none` for an appliance without an actuator.
    private static func gate(_ outcome: Outcome) -> String {
        guard let gate = outcome.gate else { return outcome.result == .interrupted ? "unknown" : "none" }
        guard gate.opened else { return "shut" }
        // The duration is unknown if an external access controller opens the door.
        return gate.pulseMilliseconds > 0 ? "\(gate.pulseMilliseconds) ms" : "opened"
    }

    /// Returns one JSON object in one line: the record's members, then `position`, `hash`, `report` and `remedy`.
    /// `remedy` states what a person can do about the result, or null.
    package static func json(_ visit: ListedVisit, remedy: String?) -> String {
        var object = visit.record == nil ? ["unreadable": true] : (try? JSON.parse(visit.body))?.object ?? JSONObject()
        object["position"] = .int(visit.position)
        object["hash"] = visit.hash.map { .text($0.hex) } ?? .null
        object["report"] = visit.report.map { .text($0.rawValue) } ?? .null
        object["remedy"] = remedy.map { .text($0) } ?? .null
        return JSON.object(object).compactText
    }

    /// Returns the cells in their columns, followed by as many words as fit. Further lines contain the remaining words.
    private static func row(_ cells: [String], _ words: [String]) -> [String] {
        var line = ""
        for (cell, column) in zip(cells, columns) {
            let text = String(printable(cell).prefix(column.1 - 1))
            line += text + String(repeating: " ", count: column.1 - text.count)
        }
        var lines: [String] = []
        for (number, word) in words.map(printable).enumerated() {
            let next = (number == 0 ? "" : " ") + word
            if line.count + next.count > width {
                lines.append(line)
                line = "  " + word
            } else {
                line += next
            }
        }
        return (lines + [line]).map { line in
            let text = String(line.reversed().drop { $0 == " " }.reversed())
            return text.count > width ? String(text.prefix(width - 1)) + "…" : text
        }
    }

    /// Replaces control characters, and other characters that could control a terminal, by "?".
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
    /// The text with a space between date and time of day, for display.
    fileprivate var replacingT: String { split(separator: "T", maxSplits: 1).joined(separator: " ") }
}
