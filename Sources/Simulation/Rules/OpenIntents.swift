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
    }

    /// Refused intents that are kept at most: one whose phone has left never has an outcome.
    private static let refused = 64

    private var entries: [IntentID: Entry] = [:]

    /// How many are on the disk or on their way there.
    var count: Int { entries.values.count { $0.state == .asked || $0.state == .durable } }

    func state(of intent: IntentID?) -> State { intent.flatMap { entries[$0] }?.state ?? .none }

    /// It is asked for: lawful once for each visit that has it, and again where the ledger has refused it.
    mutating func ask(_ intent: IntentID) -> Bool {
        let entry = entries[intent] ?? Entry()
        // The next phone asks for it before it is known whose it is.
        entries[intent] = Entry(state: .asked, isHeld: entry.isHeld, isAsked: true)
        return !(entry.isHeld && entry.isAsked) || entry.state == .failed
    }

    /// A phone has identified itself, and its visit has that intent: lawful where no other visit has it.
    mutating func take(_ intent: IntentID) -> Bool {
        let entry = entries[intent] ?? Entry()
        let wasAsked = entry.isAsked
        entries[intent] = Entry(state: entry.state, isHeld: true, isAsked: wasAsked)
        if entries.count > Self.refused { entries = entries.filter { $0.value.isHeld || $0.value.state != .failed } }
        return !entry.isHeld
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
        default: break
        }
        if entries[intent]?.state == .failed, entries[intent]?.isHeld == false { entries[intent] = nil }
    }

    /// It has its outcome.
    mutating func use(_ intent: IntentID?) { if let intent { entries[intent] = nil } }
}
