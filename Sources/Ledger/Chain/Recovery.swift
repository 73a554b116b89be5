import Encoding

/// Writes the first records after a start: the outcome of every intent that a power cut or a crash left open. So every
/// intent has exactly one outcome, a missing visit can be proved, and the decision at the gate is on record.
package enum Recovery {
    /// Returns the outcome of an intent about which nothing else is known.
    ///
    /// Its `gate` is nil (unknown): the gate may have opened, because a decision is durable only after the order to the
    /// gate, and the power may have failed in between.
    package static func outcome(software: Outcome.Software) -> Outcome {
        let reason = Outcome.Reason(Text(Outcome.Result.interrupted.rawValue))
        return Outcome(.interrupted, reasons: [reason], gate: nil, software: software)
    }

    /// Returns the outcome of a visit whose decision is known, but not what the gate did: the decided outcome with
    /// `interrupted` as second reason. A limit on the number of reasons may remove that reason later.
    static func outcome(_ decided: Outcome) -> Outcome {
        var outcome = decided
        let reason = Outcome.Reason(Text(Outcome.Result.interrupted.rawValue))
        outcome.reasons.insert(reason, at: min(1, outcome.reasons.count))
        return outcome
    }

    /// Appends the outcomes of all open intents of `head`, in the order of the intents. An intent with a decision gets
    /// the decided outcome, with the time of the decision; any other intent gets an outcome with the reason
    /// `interrupted`. After that no intent is open.
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
