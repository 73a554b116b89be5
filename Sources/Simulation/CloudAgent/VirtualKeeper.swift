package import Aries
package import Encoding

/// The ledgers that a ``VirtualAgent`` keeps by verification-report/1.0, like an operator's database.
package struct VirtualKeeper: Sendable {
    /// The entries by ledger and position. For each position, the first entry is kept.
    package private(set) var ledgers: [Text: [Int: ReportEntry]] = [:]
    /// The number of entries that arrived more than once.
    package private(set) var repetitions = 0
    /// The newest signed head of each ledger. The answers about a ledger return its head.
    package private(set) var heads: [Text: ReportPoint] = [:]
    /// The number of entries that the keeper claims to have in addition to the real entries, as if a ledger had been
    /// restored from a backup.
    package var lead = 0
    /// A function that replaces the keeper's last entry and the gate's head in the keeper's answers by false ones; nil
    /// for true answers.
    package var claim: (@Sendable (_ last: ReportPoint, _ head: ReportPoint?) -> (ReportPoint, head: ReportPoint?))?
    /// Whether the keeper returns signed heads. Earlier versions of keepers do not.
    package var givesHeadsBack = true

    /// The positions of entries that the keeper refuses. A message with such an entry is refused as a whole.
    package var refusals: Set<Int> = []
    /// The ledgers that, according to the keeper, another connection writes.
    package var foreign: Set<Text> = []

    /// Creates a keeper without ledgers.
    package init() {}

    /// Returns the answer to a message of the protocol, in its thread; nil for a message to a gate.
    mutating func answer(to message: Message, id: Text) -> JSON? {
        let prefix = message.type.prefix
        switch message.type.name {
        case "records":
            guard let records = try? ReportRecords(message.body), let last = records.entries.last,
                !records.entries.contains(where: { refusals.contains($0.position) })
            else {
                return Notice.problem(
                    prefix, id: id, thread: message.thread, code: VerificationReport.Trouble.refused,
                    explanation: "against the rules")
            }
            guard !foreign.contains(records.ledger) else {
                return Notice.problem(
                    prefix, id: id, thread: message.thread, code: VerificationReport.Trouble.foreign,
                    explanation: "another connection writes this ledger")
            }
            for entry in records.entries {
                if ledgers[records.ledger]?[entry.position] == nil {
                    ledgers[records.ledger, default: [:]][entry.position] = entry
                } else {
                    repetitions += 1
                }
            }
            if records.head.signature != nil, records.head.position >= heads[records.ledger]?.position ?? 0 {
                heads[records.ledger] = records.head
            }
            let receipt = ReportPoint(ledger: records.ledger, position: last.position, hash: last.hash)
            let head = givesHeadsBack ? records.head : nil
            return VerificationReport.message(.receipt(receipt, head: head), prefix, id: id, thread: message.thread)
        case "head-query":
            guard let ledger = message.body["ledger"]?.string else { return nil }
            let last = ledgers[ledger]?.values.max { $0.position < $1.position }
            // An empty ledger has position 0. The gate does not compare such a head.
            let head = ReportPoint(
                ledger: ledger, position: (last?.position ?? 0) + lead,
                hash: last?.hash ?? [UInt8](repeating: 0, count: ReportPoint.hashBytes))
            let (said, signed) = claim?(head, heads[ledger]) ?? (head, givesHeadsBack ? heads[ledger] : nil)
            return VerificationReport.message(.head(said, head: signed), prefix, id: id, thread: message.thread)
        default: return nil
        }
    }
}
