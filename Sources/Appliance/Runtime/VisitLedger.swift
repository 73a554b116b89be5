package import Encoding
package import Kiosk
package import Ledger

/// Where the kiosk's records go. ``LedgerKeeper`` keeps them in the database; the simulation has its own.
package protocol VisitLedger: Sendable {
    /// Makes the visit's intent durable. Returns nil once it would survive a power cut, else why it never will.
    func recordIntent(_ visit: VisitID) async -> String?
    /// Takes over the outcome; it is written as soon as the disk allows, and its report with it.
    func recordOutcome(_ visit: VisitID, _ outcome: Outcome, signedDigest: [UInt8]?)
}
