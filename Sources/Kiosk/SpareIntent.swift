import Encoding

/// A durable intent that served nobody, kept for the next phone: a storm of phones that bring nothing costs one.
struct SpareIntent: Sendable {
    /// How long it is kept. Then it is closed in the ledger: an intent that is open when the power goes is told as a visitor of
    /// whom nobody knows whether the gate opened.
    static let lifetime: Duration = .seconds(60)

    let visit: VisitID
    var state: Visit.Intent
    let since: Instant

    var deadline: Instant { since.advanced(by: Self.lifetime) }
}

/// Failed visits that brought no credential: the first of a kind within a minute is recorded, the others are counted and told
/// by the next record of their kind. So nobody fills the ledger from the street.
struct JunkTally: Sendable {
    /// How long one record speaks for all others of its kind.
    static let window: Duration = .seconds(60)

    private struct Kind {
        var recorded: Instant
        var unrecorded = 0
    }

    /// By code: there are as many kinds as the table of codes has rows.
    private var kinds: [Text: Kind] = [:]

    /// Whether this one is recorded, and with how many unrecorded ones before it; nil: it is only counted.
    mutating func record(_ code: Text, at now: Instant) -> Int? {
        guard let kind = kinds[code], now < kind.recorded.advanced(by: Self.window) else {
            let unrecorded = kinds[code]?.unrecorded ?? 0
            kinds[code] = Kind(recorded: now)
            return unrecorded
        }
        kinds[code]?.unrecorded += 1
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
}
