import Encoding

/// Makes the first records after a start. Every intent that a power cut or a crash left open gets its outcome. So a
/// missing visit can be proved, and the decision at the gate is on record.
package enum Recovery {
    /// The outcome of an intent about which nothing else is known.
    ///
    /// The `gate` is nil (unknown): a decision reaches the disk one sync after the order to the gate, and the power may
    /// have failed in between.
    package static func outcome(software: Outcome.Software) -> Outcome {
        let reason = Outcome.Reason(Text(Outcome.Result.interrupted.rawValue))
        return Outcome(.interrupted, reasons: [reason], gate: nil, software: software)
    }

    /// The outcome of a visit for which the decision and the order are known, but not the actual opening: the decided
    /// outcome with a second reason, unless a limit removes that reason.
    static func outcome(_ decided: Outcome) -> Outcome {
        var outcome = decided
        let reason = Outcome.Reason(Text(Outcome.Result.interrupted.rawValue))
        outcome.reasons.insert(reason, at: min(1, outcome.reasons.count))
        return outcome
    }

    /// Closes all open intents of `head` in the order of their opening. An intent with a decision gets the decided
    /// outcome, at the time of the decision. Any other intent gets an outcome with the reason `interrupted`. A second
    /// call closes nothing.
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
