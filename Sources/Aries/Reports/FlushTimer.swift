import Encoding

/// The timer that decides when new entries are sent: after a delay, so that several share a message; or at once,
/// when the entries fill a message or when one of them is urgent.
struct FlushTimer: Sendable {
    private let delay: Duration
    private let full: Int
    /// All entries up to this position are due.
    private var goal: Int
    /// When the entries that were recorded since the last message become due; nil if there are none.
    private(set) var deadline: Instant?

    /// Creates a timer for a ledger that ends at position `end`. All entries up to `end` are due at once. Later entries
    /// are due after `delay`, or as soon as `full` of them wait.
    init(delay: Duration, full: Int, end: Int) {
        (self.delay, self.full, goal) = (delay, full, end)
    }

    /// Records that the ledger now ends at position `end`. `isUrgent`: whether its entries are due at once.
    mutating func grown(to end: Int, isUrgent: Bool, at now: Instant) {
        if isUrgent || delay <= .zero {
            flush(to: end)
        } else if end > goal, deadline == nil {
            deadline = now.advanced(by: delay)
        }
    }

    /// Makes all entries up to position `end` due.
    mutating func flush(to end: Int) {
        goal = max(goal, end)
        deadline = nil
    }

    /// Makes all entries up to position `end` due if the delay has passed at `now`.
    mutating func pass(_ now: Instant, end: Int) {
        if let deadline, now >= deadline { flush(to: end) }
    }

    /// Returns whether entries after `position` are due. `end`: the position of the ledger's last entry.
    func isDue(after position: Int, end: Int) -> Bool { position < goal || end - position >= full }
}
