import Kiosk

/// The oracle's knowledge of intents without an outcome.
struct OpenIntents: Sendable {
    enum State { case none, asked, durable, failed }

    private struct Entry {
        var state = State.none
        /// Whether a visit in progress has the intent.
        var isHeld = false
        /// Whether the visit of the intent has requested the intent.
        var isAsked = false
        /// Whether the ledger has reported that it stored the intent. A failure that it reports later does not change
        /// this.
        var isInLedger = false

        /// Whether the intent needs an outcome.
        var isOpen: Bool { isInLedger || state == .asked }
    }

    /// The maximum number of refused intents to remember. If the phone has left, a refused intent never gets an
    /// outcome.
    private static let refused = 64

    private var entries: [IntentID: Entry] = [:]

    /// The number of intents on the disk or being written.
    var count: Int { entries.values.count(where: \.isOpen) }

    func state(of intent: IntentID?) -> State { intent.flatMap { entries[$0] }?.state ?? .none }

    /// Records a request for an intent. Returns whether the request is lawful: once per visit with the intent, and
    /// again after a refusal by the ledger.
    mutating func ask(_ intent: IntentID) -> Bool {
        var entry = entries[intent] ?? Entry()
        let isLawful = !(entry.isHeld && entry.isAsked) || entry.state == .failed
        // The request for the next phone precedes the note that this phone has identified itself.
        (entry.state, entry.isAsked) = (.asked, true)
        entries[intent] = entry
        return isLawful
    }

    /// Records that a phone has identified itself, so that its visit has the intent. Returns whether no other visit has
    /// it.
    mutating func take(_ intent: IntentID) -> Bool {
        var entry = entries[intent] ?? Entry()
        let isLawful = !entry.isHeld
        entry.isHeld = true
        entries[intent] = entry
        if entries.count > Self.refused { entries = entries.filter { $0.value.isHeld || $0.value.isOpen } }
        return isLawful
    }

    /// Records the end of the visit. The visit's intent is used up or passes to the next visit.
    mutating func release(_ intent: IntentID?) {
        guard let intent else { return }
        entries[intent]?.isHeld = false
        entries[intent]?.isAsked = false
    }

    /// Records the ledger's answer to an intent, or that no answer arrived in time.
    mutating func settle(_ intent: IntentID, isDurable: Bool) {
        switch entries[intent]?.state {
        case .asked,
            .failed where isDurable:
            entries[intent]?.state = isDurable ? .durable : .failed
            if isDurable { entries[intent]?.isInLedger = true }
        default: break
        }
        // A stored intent needs an outcome, even if the ledger refused a later request for the intent.
        guard let entry = entries[intent], entry.state == .failed, !entry.isHeld, !entry.isInLedger else { return }
        entries[intent] = nil
    }

    /// Records the outcome of the intent.
    mutating func use(_ intent: IntentID?) { if let intent { entries[intent] = nil } }
}
