import Encoding

/// The next message to a destination, and the entries that it covers. A basicmessage does not contain the covered
/// entries without a report.
struct ReportBatch: Sendable {
    /// The message; nil for a basicmessage if none of the covered entries has a report.
    let message: OutboundMessage?
    /// The position before the first covered entry.
    let before: Int
    /// The position and hash of the last covered entry.
    let end: ReportPoint
    /// The position of the last entry that the message contains. The covered entries after it have no report.
    let held: Int
    /// The number of covered entries.
    let entries: Int
    /// The number of entries that the message contains. After a refusal the next message contains half of them.
    let size: Int
    /// The ids of the reports in the message. A controller acknowledges the message by all of these ids or by the
    /// message's own id.
    let reports: [Text]

    /// Creates the batch that begins with the first of `entries`. It ends before a gap in the positions. Its message
    /// contains at most `size` entries. Returns nil if `entries` is empty.
    init?(
        _ way: ReportWay, _ entries: [ReportEntry], head: ReportPoint, size: Int, limits: ReportSettings.Limits
    ) {
        guard let first = entries.first else { return nil }
        var taken: [ReportEntry] = []
        var held: [ReportEntry] = []
        var bytes = 0
        for entry in entries {
            if let last = taken.last, entry.position != last.position + 1 { break }
            if let content = way.form == .records ? entry.json : entry.report {
                let count = content.compactBytes.count
                guard held.isEmpty || bytes + count <= limits.bytes && held.count < size else { break }
                bytes += count
                held.append(entry)
            }
            taken.append(entry)
            if way.form == .single, !held.isEmpty { break }
        }
        let last = taken.last ?? first
        before = first.position - 1
        end = ReportPoint(ledger: head.ledger, position: last.position, hash: last.hash)
        self.held = held.last?.position ?? last.position
        self.entries = taken.count
        self.size = held.count
        reports = held.compactMap(\.reportID)
        switch way.form {
        case .records: message = ReportRecords(held, head: head).message
        case .single: message = held.first.flatMap(Self.single)
        case .several: message = Self.several(held, head.ledger)
        }
    }

    /// Returns a basicmessage whose text is one whole report, a form that every controller can read.
    private static func single(_ entry: ReportEntry) -> OutboundMessage? {
        guard let report = entry.report, let id = entry.reportID else { return nil }
        return .basicMessage(id: id, content: Text(report.compactText), time: report["time"]?.string ?? "")
    }

    private static func several(_ entries: [ReportEntry], _ ledger: Text) -> OutboundMessage? {
        guard let first = entries.first, let last = entries.last else { return nil }
        let content: JSON = [
            "type": "verification-report/1.0/reports", "reports": .array(entries.compactMap(\.report)),
        ]
        return .basicMessage(
            id: OutboundMessage.id(
                of: "reports", ledger, Text("\(first.position)-\(last.position)"), Text(Hex.encode(last.hash))),
            content: Text(content.compactText), time: last.report?["time"]?.string ?? "")
    }
}
