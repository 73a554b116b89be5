package import Encoding

/// Why a record cannot be appended. Each is a fault of the caller; the ledger is unchanged.
package enum LedgerError: Error, Hashable, Sendable {
    /// The visit id is empty or longer than ``LedgerLimits/visitBytes``.
    case invalidVisit
    /// The visit's intent is already recorded.
    case visitOpen
    /// The visit's outcome is already recorded.
    case visitClosed
    /// More than ``LedgerLimits/openVisits`` visits have no outcome yet.
    case tooManyOpen
}

/// An intent that has no outcome yet.
package struct OpenIntent: Hashable, Sendable {
    /// The visit's UUID.
    package var visit: Text
    /// The visit's number.
    package var seq: Int
    /// Position of the intent in the chain.
    package var position: Int

    /// An open intent of these parts.
    package init(visit: Text, seq: Int, position: Int) {
        self.visit = visit
        self.seq = seq
        self.position = position
    }
}

/// The growing end of the ledger: gives numbers, builds the entries and chains them.
///
/// A value: the store works on a copy inside its transaction and keeps the copy only after the commit, so what is in
/// memory never runs ahead of what is durable.
package struct LedgerHead: Hashable, Sendable {
    /// The ledger's id, a UUID made with the ledger.
    package let ledger: Text
    /// Where the chain ends.
    package private(set) var point: ChainPoint
    /// Intents without an outcome, by visit.
    package private(set) var open: [Text: OpenIntent]
    /// Reports lost, because the ledger had no more room for what was not confirmed, that no outcome has told of yet.
    package private(set) var dropped: Int
    private let limits: LedgerLimits

    /// The end of a ledger as it was stored; a new ledger has `ChainPoint.genesis`, no open intent and nothing dropped.
    package init(
        ledger: Text, point: ChainPoint, open: [OpenIntent] = [], dropped: Int = 0,
        limits: LedgerLimits = LedgerLimits()
    ) {
        self.ledger = ledger
        self.point = point
        self.open = Dictionary(open.map { ($0.visit, $0) }, uniquingKeysWith: { first, _ in first })
        self.dropped = min(dropped, ChainPoint.countLimit)
        self.limits = limits
    }

    /// Appends the intent of a new visit.
    ///
    /// Whether the visit was closed long ago only the store can know; it refuses that itself.
    package mutating func appendIntent(_ visit: Text, stamp: RecordStamp) throws(LedgerError) -> LedgerEntry {
        try check(visit)
        guard open[visit] == nil else { throw .visitOpen }
        guard open.count < limits.openVisits else { throw .tooManyOpen }
        let record = IntentRecord(seq: point.nextSeq, visit: visit, stamp: stamp.clipped(to: limits))
        point.nextSeq += 1
        let entry = append(.intent(record))
        open[visit] = OpenIntent(visit: visit, seq: record.seq, position: entry.position)
        return entry
    }

    /// Appends the outcome of a visit, with the number of its intent, or with a new one when no intent was recorded.
    package mutating func appendOutcome(
        _ visit: Text, _ outcome: Outcome, stamp: RecordStamp
    ) throws(LedgerError) -> (entry: LedgerEntry, record: OutcomeRecord) {
        try check(visit)
        let intent = open.removeValue(forKey: visit)
        let record = OutcomeRecord(
            seq: intent?.seq ?? point.nextSeq, visit: visit, intent: intent?.position,
            stamp: stamp.clipped(to: limits), outcome: outcome.clipped(to: limits), dropped: dropped)
        if intent == nil { point.nextSeq += 1 }
        dropped = 0
        return (append(.outcome(record)), record)
    }

    /// Lets the numbers begin with `seq`, when that is further on.
    mutating func number(from seq: Int) { point.nextSeq = max(point.nextSeq, seq) }

    /// Outcomes went that the primary destination had not confirmed; `told` is what they would have told of earlier losses.
    package mutating func lost(reports: Int, told: Int) {
        dropped = min(dropped + reports + told, ChainPoint.countLimit)
    }

    private func check(_ visit: Text) throws(LedgerError) {
        guard !visit.isEmpty, visit.utf8.count <= limits.visitBytes else { throw .invalidVisit }
    }

    private mutating func append(_ record: LedgerRecord) -> LedgerEntry {
        let body = record.bytes
        let position = point.count + 1
        let hash = point.hash.next(position: position, body: body)
        point = ChainPoint(count: position, hash: hash, nextSeq: point.nextSeq)
        return LedgerEntry(position: position, hash: hash, body: body)
    }
}
