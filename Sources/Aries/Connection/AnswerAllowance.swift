import Encoding

/// The rate limit of answers: a burst at once, then one answer in each interval. Without the limit, a peer that replies
/// to every answer with another question could keep the gate busy without end.
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

    /// When the next answer may be sent. A time in the past means that the answer may be sent at once.
    var next: Instant { whole.advanced(by: .zero - slack) }

    /// Counts one answer as sent at `now`. Returns false, and counts nothing, if the allowance is used up.
    mutating func take(at now: Instant) -> Bool {
        guard next <= now else { return false }
        whole = max(whole, now).advanced(by: interval)
        return true
    }
}
