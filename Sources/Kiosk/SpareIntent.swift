import Encoding

/// What a visit has in the ledger before it may have an effect.
struct VisitIntent: Sendable {
    /// How far it has come.
    enum State {
        case requested
        case durable
        /// The ledger did not answer in time, which counts as a refusal. Its answer is on its way.
        case late
        case failed
    }

    let id: IntentID
    var state: State
    /// Whether the ledger has it. A refusal that comes later, when the next visit asks for it again, does not remove
    /// it.
    private(set) var isInLedger = false

    init(id: IntentID, state: State) { (self.id, self.state) = (id, state) }

    /// The ledger has answered. What was late stays refused for this visit.
    mutating func settle(isDurable: Bool) {
        if isDurable { isInLedger = true }
        state = isDurable && state != .late ? .durable : .failed
    }

    /// The intent for the next visit; nil: the ledger has never had it, and will not.
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
