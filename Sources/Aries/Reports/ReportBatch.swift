import Encoding

/// The next message to a destination, and the entries that it covers.
struct ReportBatch: Sendable {
    /// The message; nil if there is nothing to report about these entries.
    let message: OutboundMessage?
    /// The position of the ledger's entry before the first entry of the batch.
    let before: Int
    /// The point of the last entry that the batch covers.
    let end: ReportPoint
    /// The position of the last entry that it contains. Covered entries after that are no reports.
    let held: Int
    /// The number of entries that the batch covers.
    let entries: Int
    /// The number of entries that the message contains. After a refusal it can be halved.
    let size: Int
    /// The ids by which a controller may acknowledge the message: all of these, or the message's own id.
    let reports: [Text]

    /// Creates the message that begins with the first of `entries`. The message contains at most `size`
    /// entries, and no entry after a gap. Returns nil if `entries` is empty.
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

    /// Returns the whole report as the text of a basicmessage, which every controller can read.
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
