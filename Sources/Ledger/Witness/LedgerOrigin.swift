package import Encoding

/// The initial data of a new ledger that replaces a ledger contradicted by its witness. The data is stored next to the
/// new ledger until the first record, which reports the replacement, is written.
package struct LedgerOrigin: Hashable, Sendable {
    /// The replaced ledger; nil if nothing is known about it.
    package var predecessor: Predecessor?
    /// The reason code for the first record, which states the finding about the replaced ledger.
    package var code: Text
    /// The finding about the replaced ledger, in words.
    package var finding: Text
    /// The first visit number of the new ledger. No number is used twice, not even a number of an entry that was cut
    /// off.
    package var nextSeq: Int
    /// The intents without an outcome, as the bytes of their records. The new ledger closes them.
    package var open: [[UInt8]]
    /// The decisions on the visits of the open intents, as ``KeptDecision/bytes``. They come only from a ledger whose
    /// seal confirms them.
    package var decisions: [[UInt8]]

    /// The count of skipped numbers. The gap covers the visits after the last statement of the witness, so that their
    /// numbers are not used again.
    package static let gap = 1000

    /// Creates a founding from the values of its properties.
    package init(
        predecessor: Predecessor?, code: Text, finding: Text, nextSeq: Int, open: [[UInt8]],
        decisions: [[UInt8]] = []
    ) {
        (self.predecessor, self.code, self.finding) = (predecessor, code, finding)
        (self.nextSeq, self.open, self.decisions) = (nextSeq, open, decisions)
    }

    /// The founding as compact JSON, members in fixed order.
    package var bytes: [UInt8] {
        let json: JSON = [
            "predecessor": predecessor?.json ?? .null, "code": .string(code), "finding": .string(finding),
            "nextSeq": .int(nextSeq),
            "open": .array(open.map { .text(Hex.encode($0)) }),
            "decisions": .array(decisions.map { .text(Hex.encode($0)) }),
        ]
        return json.compactBytes
    }

    /// Parses ``bytes``.
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
            // Permit only half of all numbers, so that the new ledger has enough numbers.
            nextSeq: try fields.figure("nextSeq", upTo: ChainPoint.countLimit / 2),
            open: try bodies("open", fields.array("open")),
            // The member is absent in the bytes of a version without decisions.
            decisions: try bodies("decisions", fields.arrayIfPresent("decisions")))
    }

    /// Appends the first records of the new ledger: the record about the replaced ledger, then the open intents of that
    /// ledger with new numbers and positions.
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
