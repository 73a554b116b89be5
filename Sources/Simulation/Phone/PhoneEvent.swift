/// An event of a visit that is visible from outside.
package enum PhoneEvent: Equatable, Sendable {
    /// The visitor is at the gate.
    case arrived
    /// The QR code was read; the phone scans for this verifier's name.
    case scanning(name: String)
    /// The verifier's advertisement was heard.
    case found
    /// The link is established.
    case connected
    /// The peripheral's request for connection parameters was granted (true) or refused.
    case parametersRequested(granted: Bool)
    /// The request for pairing was refused with that reason (5 is Pairing Not Supported).
    case pairingRefused(reason: UInt8)
    /// A step of the share.
    case wallet(WalletProgress)
    /// A notification or indication arrived while the wallet was not registered for it: it was lost.
    case dropped(WalletCharacteristic)
    /// The verifier violated L2CAP, ATT or GATT; in words.
    case violation(String)
    /// The link is gone, with the error code for the phone.
    case disconnected(reason: UInt8)
    /// The visit is over.
    case finished(VisitOutcome)
}

/// The end of a visit as the phone sees it.
package enum VisitOutcome: Equatable, Sendable {
    /// The verdict was: accepted.
    case accepted
    /// The verdict was: rejected.
    case rejected
    /// The verifier asked the wallet to leave or ended the link.
    case dismissed
    /// The verifier asked the wallet to leave, and the app never learned of the end of the link: it shows
    /// "sharing…" forever.
    case stuck
    /// The wallet gave up.
    case failed(WalletFailure)
    /// The person left or lost patience.
    case left
    /// The link broke.
    case lost
}
