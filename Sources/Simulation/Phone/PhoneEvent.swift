/// What can be seen of a visit from outside.
package enum PhoneEvent: Equatable, Sendable {
    /// The person stands at the gate.
    case arrived
    /// The QR code was read; the phone scans for this verifier's name.
    case scanning(name: String)
    /// The verifier was found on the air.
    case found
    /// The link stands.
    case connected
    /// The peripheral's request for other connection parameters was granted (true) or refused.
    case parametersRequested(granted: Bool)
    /// Pairing was asked for and refused with that reason (5 is Pairing Not Supported).
    case pairingRefused(reason: UInt8)
    /// A step of the share.
    case wallet(WalletProgress)
    /// A notification or indication came before the wallet had registered for it, or after: it was lost.
    case dropped(WalletCharacteristic)
    /// The verifier broke a rule of L2CAP, ATT or GATT; in words.
    case violation(String)
    /// The link is gone, with the error code on the phone's side.
    case disconnected(reason: UInt8)
    /// The visit is over.
    case finished(VisitOutcome)
}

/// How a visit ended on the phone's side.
package enum VisitOutcome: Equatable, Sendable {
    /// The verdict was: accepted.
    case accepted
    /// The verdict was: rejected.
    case rejected
    /// The verifier asked the wallet to leave or ended the link.
    case dismissed
    /// The verifier asked the wallet to leave, and its app never heard that the link went: it shows "sharing…" for ever.
    case stuck
    /// The wallet gave up.
    case failed(WalletFailure)
    /// The person left or lost patience.
    case left
    /// The link broke.
    case lost
}
