import Encoding
package import Kiosk
package import Ledger

/// Where the kiosk's records go. ``LedgerKeeper`` keeps them in the database; the simulation has its own.
package protocol VisitLedger: Sendable {
    /// Takes over the visit's intent; what is handed over later is written later. `answer` is called once, on any thread:
    /// with nil once the intent would survive a power cut, else with why it never will.
    func recordIntent(_ visit: VisitID, answer: @escaping @Sendable (_ failure: String?) -> Void)
    /// Takes over the outcome; it is written as soon as the disk allows, and its report with it.
    func recordOutcome(_ visit: VisitID, _ outcome: Outcome, signedDigests: [[UInt8]])
}
