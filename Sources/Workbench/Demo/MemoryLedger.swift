import Encoding
import Kiosk
import Ledger

/// A ledger in memory, for the demonstration. Its chain, numbering and reports follow the rules of ``Ledger``.
struct MemoryLedger: Sendable {
    /// A report, before and after its delivery.
    struct Entry: Sendable {
        /// The id of the report, which is also the id of its visit.
        let id: Text
        /// The report as compact JSON.
        let content: Text
        /// The date at which the report was made.
        let time: Timestamp
        /// Whether the report was delivered to the agent.
        var isSent = false
    }

    /// The entries of the chain, oldest first.
    private(set) var entries: [LedgerEntry] = []
    /// The reports, oldest first.
    var reports: [Entry] = []
    private var head: LedgerHead

    /// Creates an empty ledger with the id `id`.
    init(id: Text) {
        head = LedgerHead(ledger: id, point: .genesis(ledger: id))
    }

    /// Appends an intent to the chain.
    mutating func recordIntent(_ intent: IntentID, stamp: RecordStamp) throws(LedgerError) {
        entries.append(try head.appendIntent(Text(intent.text), stamp: stamp))
    }

    /// Appends an outcome to the chain and queues its report.
    mutating func recordOutcome(
        _ record: VisitRecord, stamp: RecordStamp
    ) throws(LedgerError) -> OutcomeRecord {
        let (entry, record) = try head.appendOutcome(
            Text(record.visit.text), of: record.intent.map { Text($0.text) }, record.outcome, stamp: stamp)
        entries.append(entry)
        reports.append(
            Entry(
                id: Report.id(record), content: Text(Report.json(of: entry, in: head.ledger)?.compactText ?? ""),
                time: stamp.time.utc))
        return record
    }

    /// Verifies the chain from its beginning.
    func verify() -> ChainReport {
        var verifier = ChainVerifier(ledger: head.ledger, start: .genesis(ledger: head.ledger))
        for entry in entries { verifier.add(entry) }
        return verifier.finish(end: head.point)
    }
}
