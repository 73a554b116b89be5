import Encoding

/// The rate of answers: a burst at once, then one in each interval. Otherwise a peer that answers every
/// message with another question would keep the gate busy without end.
struct AnswerAllowance: Sendable {
    /// When the whole burst is available again.
    private var whole = Instant.zero
    private let interval: Duration
    private let slack: Duration

    /// Creates an allowance of `burst` answers at once, then one in each `interval`.
    init(burst: Int, interval: Duration) {
        self.interval = interval
        slack = interval * max(burst - 1, 0)
    }

    /// When the next answer may be sent; a time in the past means now.
    var next: Instant { whole.advanced(by: .zero - slack) }

    /// Takes one answer from the allowance. Returns false if the allowance is used up.
    mutating func take(at now: Instant) -> Bool {
        guard next <= now else { return false }
        whole = max(whole, now).advanced(by: interval)
        return true
    }
}
