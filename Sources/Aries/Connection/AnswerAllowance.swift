import Encoding

/// How many answers may go out: a handful at once, then one after the other in a fixed interval. A peer that answers every
/// message of ours with another question would else keep the kiosk busy for ever.
struct AnswerAllowance: Sendable {
    /// When the allowance is whole again.
    private var whole = Instant.zero
    private let interval: Duration
    private let slack: Duration

    /// `burst` answers at once, then one in each `interval`.
    init(burst: Int, interval: Duration) {
        self.interval = interval
        slack = interval * max(burst - 1, 0)
    }

    /// When the next answer may go out; in the past: now.
    var next: Instant { whole.advanced(by: .zero - slack) }

    /// Takes one answer from the allowance; false when there is none.
    mutating func take(at now: Instant) -> Bool {
        guard next <= now else { return false }
        whole = max(whole, now).advanced(by: interval)
        return true
    }
}
