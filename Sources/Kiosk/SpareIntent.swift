import Encoding

/// What a visit has in the ledger before it may have an effect.
struct VisitIntent: Sendable {
    /// How far it has come.
    enum State {
        case requested
        case durable
        case failed
    }

    let id: IntentID
    var state: State
}

/// An intent that served no phone, kept for the next one that identifies itself: a storm of phones that bring nothing
/// costs as many as are here at once.
struct SpareIntent: Sendable {
    /// How long it is kept at least. Then it is closed in the ledger, one of them in each such time and as far as the
    /// allowance of junk reaches: an intent that is open when the power goes is reported as a visitor of whom it is not
    /// known whether the gate opened.
    static let lifetime: Duration = .seconds(60)

    var intent: VisitIntent
    let since: Instant

    var deadline: Instant { since.advanced(by: Self.lifetime) }
}
