import Kiosk

/// What the oracle knows of intents that have no outcome.
struct OpenIntents: Sendable {
    enum State { case none, asked, durable, failed }

    private struct Entry {
        var state = State.none
        /// Whether it is that of a visit that has not ended.
        var isHeld = false
        /// Whether that visit has asked for it.
        var isAsked = false
        /// Whether the ledger has it, whatever it has answered since.
        var isInLedger = false

        /// Whether it needs an outcome.
        var isOpen: Bool { isInLedger || state == .asked }
    }

    /// Refused intents that are kept at most: one whose phone has left never has an outcome.
    private static let refused = 64

    private var entries: [IntentID: Entry] = [:]

    /// How many are on the disk or on their way there.
    var count: Int { entries.values.count(where: \.isOpen) }

    func state(of intent: IntentID?) -> State { intent.flatMap { entries[$0] }?.state ?? .none }

    /// It is asked for: lawful once for each visit that has it, and again where the ledger has refused it.
    mutating func ask(_ intent: IntentID) -> Bool {
        var entry = entries[intent] ?? Entry()
        let isLawful = !(entry.isHeld && entry.isAsked) || entry.state == .failed
        // The next phone asks for it before it is known whose it is.
        (entry.state, entry.isAsked) = (.asked, true)
        entries[intent] = entry
        return isLawful
    }

    /// A phone has identified itself, and its visit has that intent: lawful where no other visit has it.
    mutating func take(_ intent: IntentID) -> Bool {
        var entry = entries[intent] ?? Entry()
        let isLawful = !entry.isHeld
        entry.isHeld = true
        entries[intent] = entry
        if entries.count > Self.refused { entries = entries.filter { $0.value.isHeld || $0.value.isOpen } }
        return isLawful
    }

    /// Its visit has ended; it is used up, or goes on to the next.
    mutating func release(_ intent: IntentID?) {
        guard let intent else { return }
        entries[intent]?.isHeld = false
        entries[intent]?.isAsked = false
    }

    /// The ledger has answered, or its answer did not come in time.
    mutating func settle(_ intent: IntentID, isDurable: Bool) {
        switch entries[intent]?.state {
        case .asked,
            .failed where isDurable:
            entries[intent]?.state = isDurable ? .durable : .failed
            if isDurable { entries[intent]?.isInLedger = true }
        default: break
        }
        // What the ledger has needs an outcome, also where it refused it to a later phone.
        guard let entry = entries[intent], entry.state == .failed, !entry.isHeld, !entry.isInLedger else { return }
        entries[intent] = nil
    }

    /// It has its outcome.
    mutating func use(_ intent: IntentID?) { if let intent { entries[intent] = nil } }
}
