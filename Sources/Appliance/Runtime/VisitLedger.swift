import Encoding
package import Kiosk
package import Ledger

/// Where the kiosk's records go. ``LedgerKeeper`` keeps them in the database; the simulation has its own.
package protocol VisitLedger: Sendable {
    /// Takes over the intent; what is handed over later is written later. `answer` is called once, on any thread:
    /// with nil once the intent would survive a power cut, else with why it never will.
    func recordIntent(_ intent: IntentID, answer: @escaping @Sendable (_ failure: String?) -> Void)
    /// Takes over what was decided of a visit whose gate was told to open, and the names by which its credential is
    /// known again. It is written at once; after a crash it becomes the outcome.
    func recordDecision(_ record: VisitRecord, names: [ReplayName])
    /// Takes over the outcome; it is written as soon as the disk allows, and its report with it. `forgetting`: names of
    /// the decision that are removed with it.
    func recordOutcome(_ record: VisitRecord, forgetting: [ReplayName])
}
