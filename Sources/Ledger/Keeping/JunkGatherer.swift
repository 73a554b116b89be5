package import Encoding

/// Gathers the visits of phones that connected and brought nothing, so that a storm of them fills neither disk nor outbox.
///
/// The first of a kind is recorded at once. Those that follow within a minute become one record, the last one's, which says
/// how many it stands for. All kinds together may write ``Limits/burst`` records at once and one a minute in the long run:
/// at most 1,440 a day, beside 2,000 honest visits.
package struct JunkGatherer: Sendable {
    /// How much junk is recorded.
    package struct Limits: Sendable {
        /// For how long those alike are gathered, and after which time one more record may be written.
        package var pause: Duration = .seconds(60)
        /// Records that may be written at once after a quiet time.
        package var burst = 30
        /// Kinds told apart; what goes beyond is gathered as one.
        package var kinds = 32

        /// The documented defaults.
        package init() {}
    }

    private struct Kind {
        var until: Instant
        /// The last one, with how many before it were gathered.
        var gathered: UnwrittenOutcome?
    }

    private let limits: Limits
    private var kinds: [[Text]: Kind] = [:]
    private var tokens: Int
    private var refilled: Instant

    /// A gatherer that begins at `now` with the whole burst.
    package init(limits: Limits = Limits(), at now: Instant) {
        (self.limits, tokens, refilled) = (limits, limits.burst, now)
    }

    /// Takes one more; returns it when it is to be recorded now.
    package mutating func add(_ outcome: UnwrittenOutcome, at now: Instant) -> UnwrittenOutcome? {
        refill(at: now)
        kinds = kinds.filter { $0.value.until > now || $0.value.gathered != nil }
        var key = outcome.outcome.reasons.map(\.code)
        if kinds[key] == nil {
            if kinds.count >= limits.kinds { key = [] }
            if kinds[key] == nil {
                kinds[key] = Kind(until: now.advanced(by: limits.pause), gathered: nil)
                if tokens > 0 {
                    tokens -= 1
                    return outcome
                }
            }
        }
        var last = outcome
        last.outcome.repeated += kinds[key]?.gathered.map(\.visits) ?? 0
        kinds[key]?.gathered = last
        return nil
    }

    /// Those whose minute is over, oldest first; all of them when `isLast`.
    package mutating func take(at now: Instant, isLast: Bool = false) -> [UnwrittenOutcome] {
        refill(at: now)
        var taken: [UnwrittenOutcome] = []
        for (key, kind) in kinds.sorted(by: { $0.value.until < $1.value.until }) {
            guard let outcome = kind.gathered, isLast || (kind.until <= now && tokens > 0) else { continue }
            tokens = max(0, tokens - 1)
            kinds[key] = Kind(until: now.advanced(by: limits.pause), gathered: nil)
            taken.append(outcome)
        }
        return taken
    }

    /// When ``take(at:isLast:)`` has something to give; nil: nothing is gathered.
    package var deadline: Instant? {
        guard let first = kinds.values.filter({ $0.gathered != nil }).map(\.until).min() else { return nil }
        return tokens > 0 ? first : max(first, refilled.advanced(by: limits.pause))
    }

    /// Visits gathered and not yet handed out.
    package var count: Int { kinds.values.reduce(0) { $0 + ($1.gathered?.visits ?? 0) } }

    private mutating func refill(at now: Instant) {
        let pauses = refilled.duration(to: now).nanoseconds / max(1, limits.pause.nanoseconds)
        guard pauses > 0 else { return }
        tokens = Int(min(Int64(limits.burst), Int64(tokens) + pauses))
        refilled = refilled.advanced(by: .nanoseconds(pauses * limits.pause.nanoseconds))
    }
}
