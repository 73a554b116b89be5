package import Encoding

/// Why a record cannot be appended. Each is a fault of the caller; the ledger is unchanged.
package enum LedgerError: Error, Hashable, Sendable {
    /// The id is empty or longer than ``LedgerLimits/visitBytes``.
    case invalidVisit
    /// The intent is already recorded.
    case visitOpen
    /// The visit's outcome is already recorded.
    case visitClosed
    /// More than ``LedgerLimits/openVisits`` visits have no outcome yet.
    case tooManyOpen
}

/// An intent that has no outcome yet.
package struct OpenIntent: Hashable, Sendable {
    /// The intent's own UUID; of an earlier version that of its visit.
    package var intent: Text
    /// The number that its visit will have.
    package var seq: Int
    /// Position of the intent in the chain.
    package var position: Int
    /// What was decided, once the gate was told to open; nil: nothing was.
    package var decision: KeptDecision?

    /// An open intent of these parts.
    package init(intent: Text, seq: Int, position: Int, decision: KeptDecision? = nil) {
        (self.intent, self.seq, self.position, self.decision) = (intent, seq, position, decision)
    }

    /// The intent as the chain has it, which knows no decisions.
    package var withoutDecision: OpenIntent { OpenIntent(intent: intent, seq: seq, position: position) }
}

/// A decision as it is kept beside the chain until the outcome is there: ``UnwrittenOutcome/bytes(limits:)`` of an
/// outcome whose gate says what was ordered.
package struct KeptDecision: Hashable, Sendable {
    /// The place where it is kept, from 1: the lowest that no other open intent has, so that one takes the place of
    /// another.
    package var slot: Int
    /// Its bytes.
    package var bytes: [UInt8]

    /// A decision that lies there.
    package init(slot: Int, bytes: [UInt8]) { (self.slot, self.bytes) = (slot, bytes) }
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
    /// Intents without an outcome, by their ids.
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
        self.open = Dictionary(open.map { ($0.intent, $0) }, uniquingKeysWith: { first, _ in first })
        self.dropped = min(dropped, ChainPoint.countLimit)
        self.limits = limits
    }

    /// Appends an intent, under its own id, which is no visit's.
    ///
    /// Whether an outcome has that id already only the store can know; it refuses that itself.
    package mutating func appendIntent(_ intent: Text, stamp: RecordStamp) throws(LedgerError) -> LedgerEntry {
        try check(intent)
        guard open[intent] == nil else { throw .visitOpen }
        guard open.count < limits.openVisits else { throw .tooManyOpen }
        let record = IntentRecord(seq: point.nextSeq, intent: intent, stamp: stamp.clipped(to: limits))
        point.nextSeq += 1
        let entry = append(.intent(record))
        open[intent] = OpenIntent(intent: intent, seq: record.seq, position: entry.position)
        return entry
    }

    /// Keeps what was decided of the visit that uses an intent, until its outcome is appended; no entry is written.
    /// Returns the place that the decision gets, or has already; nil: that intent is not open.
    package mutating func decide(_ decided: UnwrittenOutcome) -> KeptDecision? {
        guard let intent = open[decided.intent] else { return nil }
        let taken = Set(open.values.compactMap(\.decision?.slot))
        let slot = intent.decision?.slot ?? (1...open.count).first { !taken.contains($0) } ?? open.count
        let decision = KeptDecision(slot: slot, bytes: decided.bytes(limits: limits))
        open[decided.intent]?.decision = decision
        return decision
    }

    /// Appends the outcome of a visit, with the number of the intent that it uses up, or with a new one when that is
    /// not open. `of`: the intent; nil: it has the visit's id, as in earlier versions.
    package mutating func appendOutcome(
        _ visit: Text, of intent: Text? = nil, _ outcome: Outcome, stamp: RecordStamp
    ) throws(LedgerError) -> (entry: LedgerEntry, record: OutcomeRecord) {
        try check(visit)
        let intent = open.removeValue(forKey: intent ?? visit)
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
