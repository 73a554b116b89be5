package import Encoding

/// The reason why a record cannot be appended. Each case is a programming error of the caller. The ledger is unchanged.
package enum LedgerError: Error, Hashable, Sendable {
    /// The id is empty or longer than ``LedgerLimits/visitBytes``.
    case invalidVisit
    /// The intent is already recorded.
    case visitOpen
    /// The visit's outcome is already recorded.
    case visitClosed
    /// More than ``LedgerLimits/openVisits`` visits have no outcome.
    case tooManyOpen
}

/// An intent without an outcome.
package struct OpenIntent: Hashable, Sendable {
    /// The UUID of the intent. In records of earlier versions, the UUID of the visit.
    package var intent: Text
    /// The number that the visit of the intent will have.
    package var seq: Int
    /// The position of the intent in the chain.
    package var position: Int
    /// The decision on the visit, set when the gate is ordered to open; nil before.
    package var decision: KeptDecision?

    /// Creates an open intent from the values of its properties.
    package init(intent: Text, seq: Int, position: Int, decision: KeptDecision? = nil) {
        (self.intent, self.seq, self.position, self.decision) = (intent, seq, position, decision)
    }

    /// The intent without its decision, as stored in the chain.
    package var withoutDecision: OpenIntent { OpenIntent(intent: intent, seq: seq, position: position) }
}

/// A decision to open the gate, stored outside the chain until the outcome is written. The bytes are those of
/// ``UnwrittenOutcome/bytes(limits:)`` for an outcome whose `gate` states the order to the gate.
package struct KeptDecision: Hashable, Sendable {
    /// The number, from 1, of the slot in which the decision is stored: the lowest slot that no other open intent uses.
    /// A later decision overwrites the slot of a decision that is no longer needed.
    package var slot: Int
    /// The bytes of the decided outcome.
    package var bytes: [UInt8]

    /// Creates a decision with its slot and its bytes.
    package init(slot: Int, bytes: [UInt8]) { (self.slot, self.bytes) = (slot, bytes) }
}

/// The growing end of the ledger. It assigns the numbers, builds the entries and chains them.
///
/// The head is a value type. The store works on a copy inside its transaction, and keeps the copy only after the
/// commit. The state in memory is therefore never ahead of the durable state.
package struct LedgerHead: Hashable, Sendable {
    /// The ledger's id, a UUID generated together with the ledger.
    package let ledger: Text
    /// The end of the chain.
    package private(set) var point: ChainPoint
    /// The intents without an outcome, by id.
    package private(set) var open: [Text: OpenIntent]
    /// The number of unconfirmed reports that were lost for lack of room and that no outcome has stated yet.
    package private(set) var dropped: Int
    private let limits: LedgerLimits

    /// Continues the ledger at the given end. A new ledger has `ChainPoint.genesis`, no open intents and no dropped
    /// reports.
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

    /// Appends an intent under an id of its own, which is not the id of a visit. Only the store can check whether an
    /// outcome already has the id.
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

    /// Stores the decision about the visit of an intent until the outcome is appended. Writes no entry. Returns the
    /// decision with its slot; nil if the intent is not open.
    package mutating func decide(_ decided: UnwrittenOutcome) -> KeptDecision? {
        guard let intent = open[decided.intent] else { return nil }
        let taken = Set(open.values.compactMap(\.decision?.slot))
        let slot = intent.decision?.slot ?? (1...open.count).first { !taken.contains($0) } ?? open.count
        let decision = KeptDecision(slot: slot, bytes: decided.bytes(limits: limits))
        open[decided.intent]?.decision = decision
        return decision
    }

    /// Appends the outcome of a visit. The outcome gets the number of the visit's intent, or a new number if that
    /// intent is not open. `of`: the intent's id. If it is nil, the intent has the visit's id, as in earlier versions.
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

    /// Continues the visit numbers at `seq`. Higher numbers stay unchanged.
    mutating func number(from seq: Int) { point.nextSeq = max(point.nextSeq, seq) }

    /// Counts outcomes that were evicted before the primary destination confirmed them. `told`: the earlier losses that
    /// these outcomes state.
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
