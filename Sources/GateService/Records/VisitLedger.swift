import Encoding
package import Kiosk
package import Ledger

/// The interface to which the kiosk's driver passes the records of visits. ``LedgerKeeper`` writes them into the
/// database; a simulation replaces it.
package protocol VisitLedger: Sendable {
    /// Queues an intent. Records that are queued later are written later. `answer` is called once, on any thread:
    /// with nil when the intent is durable, or with the reason why it will never be.
    func recordIntent(_ intent: IntentID, answer: @escaping @Sendable (_ failure: LedgerFailure?) -> Void)
    /// Queues the decision of a visit for which the gate was ordered to open, with the replay names of its
    /// credentials. The decision is written as soon as possible. If the program ends before the outcome is written,
    /// the next start makes the outcome from the decision.
    func recordDecision(_ record: VisitRecord, names: [ReplayName])
    /// Queues an outcome. It is written as soon as the disk allows. `forgetting`: the replay names of the decision
    /// that the same transaction removes.
    func recordOutcome(_ record: VisitRecord, forgetting: [ReplayName])
}
