import Encoding

/// The intent of a visit in the ledger. The intent must be durable before the visit may have an effect.
struct VisitIntent: Sendable {
    enum State {
        case requested
        case durable
        /// The ledger did not answer in time. This counts as a refusal, although the answer will still
        /// arrive.
        case late
        case failed
    }

    let id: IntentID
    var state: State
    /// Whether the ledger has the intent. A later refusal, when the next visit requests the intent again,
    /// does not remove it.
    private(set) var isInLedger = false

    init(id: IntentID, state: State) { (self.id, self.state) = (id, state) }

    /// Handles the ledger's answer to the intent. For this visit, a late answer remains a refusal.
    mutating func settle(isDurable: Bool) {
        if isDurable { isInLedger = true }
        state = isDurable && state != .late ? .durable : .failed
    }

    /// The intent for the next visit; nil when the ledger has never stored the intent and will not store it.
    var leftOver: VisitIntent? {
        var intent = self
        switch state {
        case .requested, .durable: break
        case .late: intent.state = .requested
        case .failed: if isInLedger { intent.state = .durable } else { return nil }
        }
        return intent
    }
}

/// The intent of a visit that ended without a record. The intent is kept for the next phone that identifies itself. So
/// a crowd of phones that send no payload uses only as many intents as there are phones at the same time.
struct SpareIntent: Sendable {
    /// The shortest time for which an intent is kept. After it, spare intents are closed in the ledger, one
    /// in each period of this length and as far as the allowance for visits without a payload permits. They
    /// are closed because an intent that is open at a power cut is reported as a visitor for whom it is
    /// unknown whether the gate opened.
    static let lifetime: Duration = .seconds(60)

    var intent: VisitIntent
    let since: Instant

    var deadline: Instant { since.advanced(by: Self.lifetime) }
}
