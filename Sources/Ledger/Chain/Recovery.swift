import Encoding

/// What has to be written first after a start: every intent that a power cut or a crash left open gets its outcome, so
/// a hole is provable and never silent.
package enum Recovery {
    /// The outcome of a visit of which only the intent is known.
    ///
    /// The gate is `nil`, not known: with a durable intent it may have pulsed in the instant before the lights went
    /// out.
    package static func outcome(software: Outcome.Software) -> Outcome {
        let reason = Outcome.Reason(Text(Outcome.Result.interrupted.rawValue))
        return Outcome(.interrupted, reasons: [reason], gate: nil, software: software)
    }

    /// Closes all open intents of `head` in the order in which they were opened. Run twice, it closes nothing the
    /// second time.
    package static func close(
        _ head: inout LedgerHead, stamp: RecordStamp, software: Outcome.Software
    ) throws(LedgerError) -> [(entry: LedgerEntry, record: OutcomeRecord)] {
        var closed: [(entry: LedgerEntry, record: OutcomeRecord)] = []
        for intent in head.open.values.sorted(by: { $0.position < $1.position }) {
            closed.append(try head.appendOutcome(intent.visit, outcome(software: software), stamp: stamp))
        }
        return closed
    }
}
