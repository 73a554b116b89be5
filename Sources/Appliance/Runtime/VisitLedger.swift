import Encoding
package import Kiosk
package import Ledger

/// The destination of the kiosk's records. ``LedgerKeeper`` keeps them in the database; the simulation has
/// its own.
package protocol VisitLedger: Sendable {
    /// Takes an intent; records passed later are written later. `answer` is called once, on any thread: with
    /// nil once the intent would survive a power cut, otherwise with the reason why it never will.
    func recordIntent(_ intent: IntentID, answer: @escaping @Sendable (_ failure: String?) -> Void)
    /// Takes the decision of a visit whose gate was ordered to open, and the replay names of its credential.
    /// It is written at once; after a crash it becomes the outcome.
    func recordDecision(_ record: VisitRecord, names: [ReplayName])
    /// Takes an outcome; it is written as soon as the disk allows, together with its report. `forgetting`:
    /// names of the decision that are removed with it.
    func recordOutcome(_ record: VisitRecord, forgetting: [ReplayName])
}
