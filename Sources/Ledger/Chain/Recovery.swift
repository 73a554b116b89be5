import Encoding

/// What has to be written first after a start: every intent that a power cut or a crash left open gets its outcome, so
/// a hole is provable and never silent, and what was decided at the gate is on record.
package enum Recovery {
    /// The outcome of an intent of which nothing else is known.
    ///
    /// The gate is `nil`, not known: what was decided is on the disk a sync after the order to the gate, and the lights
    /// may have gone out in between.
    package static func outcome(software: Outcome.Software) -> Outcome {
        let reason = Outcome.Reason(Text(Outcome.Result.interrupted.rawValue))
        return Outcome(.interrupted, reasons: [reason], gate: nil, software: software)
    }

    /// The outcome of a visit of which it is known what was decided and ordered, and not what the gate did: that, with
    /// a reason more after the first, where no limit cuts it off.
    static func outcome(_ decided: Outcome) -> Outcome {
        var outcome = decided
        let reason = Outcome.Reason(Text(Outcome.Result.interrupted.rawValue))
        outcome.reasons.insert(reason, at: min(1, outcome.reasons.count))
        return outcome
    }

    /// Closes all open intents of `head` in the order in which they were opened: with what was decided, at the time of
    /// the decision, or as `interrupted`. Run twice, it closes nothing the second time.
    package static func close(
        _ head: inout LedgerHead, stamp: RecordStamp, software: Outcome.Software
    ) throws(LedgerError) -> [(entry: LedgerEntry, record: OutcomeRecord)] {
        var closed: [(entry: LedgerEntry, record: OutcomeRecord)] = []
        for intent in head.open.values.sorted(by: { $0.position < $1.position }) {
            if let decided = intent.decision.flatMap({ UnwrittenOutcome(bytes: $0.bytes) }) {
                closed.append(
                    try head.appendOutcome(
                        decided.visit, of: intent.intent, outcome(decided.outcome), stamp: decided.stamp))
            } else {
                closed.append(try head.appendOutcome(intent.intent, outcome(software: software), stamp: stamp))
            }
        }
        return closed
    }
}
