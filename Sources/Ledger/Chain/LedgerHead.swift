package import Encoding

/// Why a record cannot be appended. Each case is a programming error of the caller. The ledger stays unchanged.
package enum LedgerError: Error, Hashable, Sendable {
    /// The id of the visit or intent is empty or longer than ``LedgerLimits/visitBytes``.
    case invalidVisit
    /// An intent with this id is already recorded.
    case visitOpen
    /// An outcome with this id is already recorded.
    case visitClosed
    /// ``LedgerLimits/openVisits`` intents have no outcome yet.
    case tooManyOpen
}

/// An intent without an outcome.
package struct OpenIntent: Hashable, Sendable {
    /// The UUID of the intent. In records of earlier versions it is the UUID of the visit.
    package var intent: Text
    /// The number that the visit of the intent will have.
    package var seq: Int
    /// The position of the intent in the chain.
    package var position: Int
    /// The decision on the visit; nil before the gate is ordered to open.
    package var decision: KeptDecision?

    /// Creates an open intent from the values of its properties.
    package init(intent: Text, seq: Int, position: Int, decision: KeptDecision? = nil) {
        (self.intent, self.seq, self.position, self.decision) = (intent, seq, position, decision)
    }

    /// The intent without its decision, as the chain contains it.
    package var withoutDecision: OpenIntent { OpenIntent(intent: intent, seq: seq, position: position) }
}

/// A decision to open the gate, which is stored outside the chain until the outcome is written. The bytes are those of
/// ``UnwrittenOutcome/bytes(limits:)``; the `gate` in them states what the gate was ordered to do.
package struct KeptDecision: Hashable, Sendable {
    /// The number of the slot, from 1, in which the decision is stored: the lowest that no other open intent uses. A
    /// slot is used again when its decision is no longer needed.
    package var slot: Int
    /// The bytes of the decided outcome.
    package var bytes: [UInt8]

    /// Creates a decision with its slot and its bytes.
    package init(slot: Int, bytes: [UInt8]) { (self.slot, self.bytes) = (slot, bytes) }
}

/// The end of the ledger, to which records are appended. It assigns numbers and positions and computes the hashes.
///
/// It is a value. The store changes a copy inside a transaction and uses the copy only after the commit, so the state
/// in memory is never ahead of the durable state.
package struct LedgerHead: Hashable, Sendable {
    /// The ledger's id, a UUID that is made together with the ledger.
    package let ledger: Text
    /// The position and hash of the last entry, and the next visit number.
    package private(set) var point: ChainPoint
    /// The intents without an outcome, by their ids.
    package private(set) var open: [Text: OpenIntent]
    /// The number of reports that were lost, unconfirmed, because there was no room for their entries, and that no
    /// outcome has stated yet.
    package private(set) var dropped: Int
    private let limits: LedgerLimits

    /// Continues a ledger from the given state. For a new ledger `point` is `ChainPoint.genesis`, without open intents
    /// and lost reports.
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

    /// Appends an intent with the id `intent`. An intent has an id of its own, because it precedes the visit that uses
    /// it. The store must check that no outcome in the ledger has the same id: this value knows only the open intents.
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

    /// Stores the decision on the visit of an intent until the outcome is appended. Does not write an entry. Returns
    /// the decision with its slot; nil if the intent is not open.
    package mutating func decide(_ decided: UnwrittenOutcome) -> KeptDecision? {
        guard let intent = open[decided.intent] else { return nil }
        let taken = Set(open.values.compactMap(\.decision?.slot))
        let slot = intent.decision?.slot ?? (1...open.count).first { !taken.contains($0) } ?? open.count
        let decision = KeptDecision(slot: slot, bytes: decided.bytes(limits: limits))
        open[decided.intent]?.decision = decision
        return decision
    }

    /// Appends the outcome of a visit. Its number is that of the visit's intent, or a new one if that intent is not
    /// open. `of`: the intent's id; nil if it equals the visit's id, as in earlier versions.
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

    /// Makes `seq` the next visit number, unless the next number is higher already.
    mutating func number(from seq: Int) { point.nextSeq = max(point.nextSeq, seq) }

    /// Counts `reports` outcomes that were evicted before the primary destination confirmed them. `told`: the number of
    /// earlier lost reports that these outcomes state, and that are lost with them.
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
