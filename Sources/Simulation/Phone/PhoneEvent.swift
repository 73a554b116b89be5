/// An event of a visit that is visible from outside.
package enum PhoneEvent: Equatable, Sendable {
    /// The visitor is at the gate.
    case arrived
    /// The phone read the QR code and scans for the verifier with the given name.
    case scanning(name: String)
    /// The phone received the verifier's advertisement.
    case found
    /// The link to the gate is established.
    case connected
    /// The peripheral requested connection parameters. `granted`: whether the phone granted them.
    case parametersRequested(granted: Bool)
    /// The verifier refused the phone's request for pairing with the given reason (5 is Pairing Not Supported).
    case pairingRefused(reason: UInt8)
    /// The wallet completed a step of the hand-over of the credential.
    case wallet(WalletProgress)
    /// A notification or indication was lost because the wallet was not registered for it.
    case dropped(WalletCharacteristic)
    /// The verifier violated L2CAP, ATT or GATT. The text describes the violation.
    case violation(String)
    /// The link has ended; `reason`: the error code for the phone.
    case disconnected(reason: UInt8)
    /// The visit has ended with the given outcome.
    case finished(VisitOutcome)
}

/// The end of a visit from the phone's point of view.
package enum VisitOutcome: Equatable, Sendable {
    /// The wallet received the verdict accepted.
    case accepted
    /// The wallet received the verdict rejected.
    case rejected
    /// The verifier asked the wallet to leave or ended the link.
    case dismissed
    /// The verifier asked the wallet to leave, but the app got no event of the link's end. The app shows "sharing…" for
    /// ever.
    case stuck
    /// The wallet gave up, for the given reason.
    case failed(WalletFailure)
    /// The person left or lost patience.
    case left
    /// The link broke before the verdict.
    case lost
}
