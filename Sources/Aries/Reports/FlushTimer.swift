import Encoding

/// When waiting entries go out: together after a delay, at once when a message is full or something urgent is among them.
struct FlushTimer: Sendable {
    private let delay: Duration
    private let full: Int
    /// All up to here goes out now.
    private var goal: Int
    /// When the entries that came since go out.
    private(set) var deadline: Instant?

    /// Everything up to `end` goes out at once; `full` entries do not wait either.
    init(delay: Duration, full: Int, end: Int) {
        (self.delay, self.full, goal) = (delay, full, end)
    }

    /// The ledger has grown.
    mutating func grown(to end: Int, isUrgent: Bool, at now: Instant) {
        if isUrgent || delay <= .zero {
            flush(to: end)
        } else if end > goal, deadline == nil {
            deadline = now.advanced(by: delay)
        }
    }

    /// Everything up to `end` goes out now.
    mutating func flush(to end: Int) {
        goal = max(goal, end)
        deadline = nil
    }

    /// The time is `now`, and the ledger ends with `end`.
    mutating func pass(_ now: Instant, end: Int) {
        if let deadline, now >= deadline { flush(to: end) }
    }

    /// Whether entries behind `position` go out now.
    func isDue(after position: Int, end: Int) -> Bool { position < goal || end - position >= full }
}
