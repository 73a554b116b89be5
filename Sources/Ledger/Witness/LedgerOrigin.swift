package import Encoding

/// The data from which a new ledger begins when it replaces a ledger that its witness contradicts. They are stored next
/// to the new ledger until its first record, which reports the replacement, is written.
package struct LedgerOrigin: Hashable, Sendable {
    /// The description of the replaced ledger; nil if nothing is known about it.
    package var predecessor: Predecessor?
    /// The reason code in the first record of the new ledger: why the earlier ledger was replaced.
    package var code: Text
    /// Why the earlier ledger was replaced, in words.
    package var finding: Text
    /// The first visit number of the new ledger. It is so high that no number is used twice, even if entries of the
    /// earlier ledger were cut off.
    package var nextSeq: Int
    /// The intents of the replaced ledger without an outcome, each as the bytes of its record. The new ledger writes
    /// their outcomes.
    package var open: [[UInt8]]
    /// The decisions on the visits of these intents, as ``KeptDecision/bytes``. Empty unless the seal of the replaced
    /// ledger confirms them.
    package var decisions: [[UInt8]]

    /// How many visit numbers are skipped after the last number that the witness recorded, so that numbers of later
    /// visits of the replaced ledger are not used again.
    package static let gap = 1000

    /// Creates a value from the values of its properties.
    package init(
        predecessor: Predecessor?, code: Text, finding: Text, nextSeq: Int, open: [[UInt8]],
        decisions: [[UInt8]] = []
    ) {
        (self.predecessor, self.code, self.finding) = (predecessor, code, finding)
        (self.nextSeq, self.open, self.decisions) = (nextSeq, open, decisions)
    }

    /// The data as compact JSON with its members in a fixed order.
    package var bytes: [UInt8] {
        let json: JSON = [
            "predecessor": predecessor?.json ?? .null, "code": .string(code), "finding": .string(finding),
            "nextSeq": .int(nextSeq),
            "open": .array(open.map { .text(Hex.encode($0)) }),
            "decisions": .array(decisions.map { .text(Hex.encode($0)) }),
        ]
        return json.compactBytes
    }

    /// Reads the data from their bytes (``bytes``).
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
            // Permit only the lower half of all numbers, so that the new ledger has enough.
            nextSeq: try fields.figure("nextSeq", upTo: ChainPoint.countLimit / 2),
            open: try bodies("open", fields.array("open")),
            // Earlier versions did not write this member.
            decisions: try bodies("decisions", fields.arrayIfPresent("decisions")))
    }

    /// Appends the first records of the new ledger: the outcome that reports the replacement, and then the open intents
    /// of the replaced ledger, with new numbers and positions.
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
