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
    /// How long it is kept at least. Then it is closed in the ledger, one of them in each such time: an intent that is open when
    /// the power goes is told as a visitor of whom nobody knows whether the gate opened.
    static let lifetime: Duration = .seconds(60)

    var intent: VisitIntent
    let since: Instant

    var deadline: Instant { since.advanced(by: Self.lifetime) }
}

/// Failed visits that brought no credential: the first of a kind within a minute is recorded, the others are counted and told
/// by the next record of their kind. All kinds together are recorded ``burst`` times at once and once a minute in the long run,
/// 1,440 times a day: nobody fills the ledger from the street.
struct JunkTally: Sendable {
    /// How long one record speaks for all others of its kind, and after which time one more may be written.
    static let window: Duration = .seconds(60)
    /// Records that may be written at once after a quiet time.
    static let burst = 30

    private struct Kind {
        var recorded: Instant
        var unrecorded = 0
    }

    /// By code: there are as many kinds as the table of codes has rows.
    private var kinds: [Text: Kind] = [:]
    private var tokens = burst
    private var refilled = Instant.zero

    /// Takes one more: whether it is recorded now, and with how many unrecorded ones before it; nil: it is only counted.
    mutating func record(_ code: Text, at now: Instant) -> Int? {
        refill(at: now)
        let kind = kinds[code]
        if tokens > 0, kind.map({ now >= $0.recorded.advanced(by: Self.window) }) ?? true {
            tokens -= 1
            kinds[code] = Kind(recorded: now)
            return kind?.unrecorded ?? 0
        }
        kinds[code, default: Kind(recorded: now)].unrecorded += 1
        return nil
    }

    /// The kind with most unrecorded visits, which are recorded from here on; nil when there are none.
    mutating func takeLargest(at now: Instant) -> (code: Text, count: Int)? {
        let largest = kinds.filter { $1.unrecorded > 0 }.max { left, right in
            (left.value.unrecorded, right.key) < (right.value.unrecorded, left.key)
        }
        guard let largest else { return nil }
        kinds[largest.key] = Kind(recorded: now)
        return (largest.key, largest.value.unrecorded)
    }

    private mutating func refill(at now: Instant) {
        let windows = refilled.duration(to: now).nanoseconds / Self.window.nanoseconds
        guard windows > 0 else { return }
        tokens = Int(min(Int64(Self.burst), Int64(tokens) + windows))
        refilled = refilled.advanced(by: .nanoseconds(windows * Self.window.nanoseconds))
    }
}
