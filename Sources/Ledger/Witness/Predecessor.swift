package import Encoding

/// The ledger before this one, as the first record of a new ledger names it: what its witness had seen of it last, or, without a
/// witness, what it said itself.
package struct Predecessor: Hashable, Sendable {
    /// Its id.
    package var ledger: Text
    /// Its entries.
    package var count: Int
    /// The hash of the last one.
    package var hash: ChainHash

    /// A ledger by its end.
    package init(ledger: Text, count: Int, hash: ChainHash) {
        (self.ledger, self.count, self.hash) = (ledger, count, hash)
    }

    var json: JSON { ["ledger": .string(ledger), "count": .int(count), "hash": .text(hash.hex)] }

    init?(_ fields: RecordFields?) throws(RecordError) {
        guard let fields else { return nil }
        guard let hash = ChainHash(try fields.hex("hash")) else { throw RecordError(member: "hash") }
        self.init(ledger: try fields.text("ledger"), count: try fields.figure("count"), hash: hash)
    }
}

/// With what a new ledger begins in the place of one that did not stand up to its witness: kept beside it until its first record,
/// which tells of it, is written.
package struct Founding: Hashable, Sendable {
    /// The ledger before; nil when nothing is known of it.
    package var predecessor: Predecessor?
    /// The code of what was found, for the first record.
    package var code: Text
    /// What was found, in words.
    package var finding: Text
    /// The first number that a visit may get: no number is used twice, also of what was cut off.
    package var nextSeq: Int
    /// The intents that had no outcome, as their records' bytes: they are closed here.
    package var open: [[UInt8]]
    /// What was decided of them, as ``KeptDecision/bytes``; only of a ledger whose own seal vouches for it.
    package var decisions: [[UInt8]]

    /// Numbers left out, so that those of visits which nobody witnessed any more are not used again.
    package static let gap = 1000

    /// A beginning of these parts.
    package init(
        predecessor: Predecessor?, code: Text, finding: Text, nextSeq: Int, open: [[UInt8]],
        decisions: [[UInt8]] = []
    ) {
        (self.predecessor, self.code, self.finding) = (predecessor, code, finding)
        (self.nextSeq, self.open, self.decisions) = (nextSeq, open, decisions)
    }

    /// Compact JSON, members in fixed order.
    package var bytes: [UInt8] {
        let json: JSON = [
            "predecessor": predecessor?.json ?? .null, "code": .string(code), "finding": .string(finding),
            "nextSeq": .int(nextSeq),
            "open": .array(open.map { .text(Hex.encode($0)) }),
            "decisions": .array(decisions.map { .text(Hex.encode($0)) }),
        ]
        return json.compactBytes
    }

    /// Reads ``bytes`` back.
    package init(bytes: [UInt8]) throws(RecordError) {
        let fields = try RecordFields(try? JSON.parse(bytes))
        func bodies(_ member: Text, _ elements: [JSON]) throws(RecordError) -> [[UInt8]] {
            var bodies: [[UInt8]] = []
            for element in elements {
                guard let body = element.string.flatMap({ Hex.decode($0.string) }) else {
                    throw RecordError(member: member.string)
                }
                bodies.append(body)
            }
            return bodies
        }
        self.init(
            predecessor: try Predecessor(fields.object("predecessor")), code: try fields.text("code"),
            finding: try fields.text("finding"),
            // Half of all numbers: the rest is for the visits of the new ledger.
            nextSeq: try fields.figure("nextSeq", upTo: ChainPoint.countLimit / 2),
            open: try bodies("open", fields.array("open")),
            // One that a version before decisions wrote has none.
            decisions: try bodies("decisions", fields.arrayIfPresent("decisions")))
    }

    /// The first records of the new ledger: what happened to the old one, then its open intents once more, as they were.
    package func begin(
        _ head: inout LedgerHead, stamp: RecordStamp, software: Outcome.Software
    ) throws(LedgerError) -> (
        first: (entry: LedgerEntry, record: OutcomeRecord), intents: [(entry: LedgerEntry, record: IntentRecord)]
    ) {
        var outcome = Outcome(
            .failed, reasons: [Outcome.Reason(code)], gate: .shut, software: software)
        outcome.predecessor = predecessor
        outcome.finding = finding
        head.number(from: nextSeq)
        let first = try head.appendOutcome(head.ledger, outcome, stamp: stamp)
        var intents: [(entry: LedgerEntry, record: IntentRecord)] = []
        for body in open {
            guard case .intent(let intent) = try? LedgerRecord(bytes: body), head.open[intent.intent] == nil else {
                continue
            }
            let seq = head.point.nextSeq
            let entry = try head.appendIntent(intent.intent, stamp: intent.stamp)
            intents.append((entry, IntentRecord(seq: seq, intent: intent.intent, stamp: intent.stamp)))
        }
        for decided in decisions.compactMap(UnwrittenOutcome.init(bytes:)) { _ = head.decide(decided) }
        return (first, intents)
    }
}
