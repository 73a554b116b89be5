import Encoding

/// One visit in the output of `gatehouse ledger list`.
package struct ListedVisit: Hashable, Sendable {
    /// The position of the visit's newest entry in the chain.
    package var position: Int
    /// The entry's hash; nil if the stored bytes are not a hash.
    package var hash: ChainHash?
    /// The bytes of the entry, as they are stored.
    package var body: [UInt8]
    /// The record in the entry: an outcome, or an intent whose visit has no outcome. Nil if the bytes are not a record.
    package var record: LedgerRecord?
    /// The delivery state of the visit's report; nil for a visit without an outcome, which has no report yet.
    package var report: ReportState?

    /// Creates a visit from its newest entry and the delivery state of its report.
    package init(position: Int, hash: ChainHash?, body: [UInt8], report: ReportState?) {
        (self.position, self.hash, self.body, self.report) = (position, hash, body, report)
        record = try? LedgerRecord(bytes: body)
    }
}

/// The ledger's visits as text: a table for people, or JSON lines for programs. Characters that could control a
/// terminal are replaced.
package enum LedgerListing {
    /// The width of the table, in characters.
    package static let width = 80
    private static let columns = [("TIME", 20), ("SEQ", 7), ("RESULT", 12), ("GATE", 8), ("REPORT", 13)]

    /// The first line of the table.
    package static var header: String { row(columns.map(\.0), ["REASONS"]).joined() }

    /// Returns the lines for a visit, each at most ``width`` characters long. Reasons that do not fit into the first
    /// line are in further lines.
    package static func lines(_ visit: ListedVisit) -> [String] {
        guard let record = visit.record else {
            return row(["-", "-", "unreadable", "-", "-"], ["(entry \(visit.position))"])
        }
        let stamp = record.stamp
        // A question mark shows that the date has no reliable source.
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

    /// Returns what the gate did, as text: `none` for an appliance without an actuator.
    private static func gate(_ outcome: Outcome) -> String {
        guard let gate = outcome.gate else { return outcome.result == .interrupted ? "unknown" : "none" }
        guard gate.opened else { return "shut" }
        // If an external access controller opens the door, the duration is not known.
        return gate.pulseMilliseconds > 0 ? "\(gate.pulseMilliseconds) ms" : "opened"
    }

    /// Returns one JSON object in one line: the members of the record, and then `position`, `hash`, `report` and
    /// `remedy`. `remedy`: the instruction for a person, or nil, which is written as null.
    package static func json(_ visit: ListedVisit, remedy: String?) -> String {
        var object = visit.record == nil ? ["unreadable": true] : (try? JSON.parse(visit.body))?.object ?? JSONObject()
        object["position"] = .int(visit.position)
        object["hash"] = visit.hash.map { .text($0.hex) } ?? .null
        object["report"] = visit.report.map { .text($0.rawValue) } ?? .null
        object["remedy"] = remedy.map { .text($0) } ?? .null
        return JSON.object(object).compactText
    }

    /// Returns the lines of one row of the table: the cells in their columns, and then the words. Words that do not fit
    /// continue in further lines.
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

    /// Replaces each character that could control a terminal, such as a control character, by "?".
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
    /// The text with a space in place of the first `T`, to separate date and time of day.
    fileprivate var replacingT: String { split(separator: "T", maxSplits: 1).joined(separator: " ") }
}
