package import Aries
package import Encoding

/// The ledgers that a ``VirtualAgent`` keeps by verification-report/1.0: what an operator's database is to a real one.
package struct VirtualKeeper: Sendable {
    /// The entries by ledger and position; the first one of a position stays.
    package private(set) var ledgers: [Text: [Int: ReportEntry]] = [:]
    /// How many entries came again.
    package private(set) var repetitions = 0
    /// The newest head of each ledger that the gate signed; it goes back with what is said of that ledger.
    package private(set) var heads: [Text: ReportPoint] = [:]
    /// How many entries it says to have more than it has, as if a ledger had been put back.
    package var lead = 0
    /// What it says of its last entry and the gate's head in place of the truth; nil: it is honest.
    package var claim: (@Sendable (_ last: ReportPoint, _ head: ReportPoint?) -> (ReportPoint, head: ReportPoint?))?
    /// Whether it knows of signed heads. Keepers of earlier versions do not.
    package var givesHeadsBack = true

    /// Positions of entries that it does not take, each message with one of them.
    package var refusals: Set<Int> = []
    /// Ledgers that it says another connection writes.
    package var foreign: Set<Text> = []

    /// Keeps nothing yet.
    package init() {}

    /// The answer to a message of the protocol, in its thread; nil for one that only a gate gets.
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
            // Nothing is compared with a head at position 0.
            let head = ReportPoint(
                ledger: ledger, position: (last?.position ?? 0) + lead,
                hash: last?.hash ?? [UInt8](repeating: 0, count: ReportPoint.hashBytes))
            let (said, signed) = claim?(head, heads[ledger]) ?? (head, givesHeadsBack ? heads[ledger] : nil)
            return VerificationReport.message(.head(said, head: signed), prefix, id: id, thread: message.thread)
        default: return nil
        }
    }
}
