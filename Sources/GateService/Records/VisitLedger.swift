import Encoding
package import Kiosk
package import Ledger

/// The destination of the kiosk's records. ``LedgerKeeper`` keeps them in the database; the simulation has
/// its own.
package protocol VisitLedger: Sendable {
    /// Takes an intent; records passed later are written later. `answer` is called once, on any thread: with
    /// nil once the intent would survive a power cut, otherwise with the reason why it never will.
    func recordIntent(_ intent: IntentID, answer: @escaping @Sendable (_ failure: LedgerFailure?) -> Void)
    /// Takes the decision of a visit for which the gate was ordered to open, with the replay names of its
    /// credential. The decision is written at once. After a crash it becomes the outcome.
    func recordDecision(_ record: VisitRecord, names: [ReplayName])
    /// Takes an outcome. The outcome is written together with its report as soon as the disk allows.
    /// `forgetting`: replay names of the decision that are removed with this write.
    func recordOutcome(_ record: VisitRecord, forgetting: [ReplayName])
}
