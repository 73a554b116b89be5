import Encoding

/// Decides when waiting entries are sent: together after a delay; at once when a message is full or an entry
/// is urgent.
struct FlushTimer: Sendable {
    private let delay: Duration
    private let full: Int
    /// The position up to which all entries are sent now.
    private var goal: Int
    /// When the entries that were recorded since the last message are sent; nil if none waits.
    private(set) var deadline: Instant?

    /// Creates a timer by which all entries up to `end` are sent at once. As soon as `full` entries wait,
    /// they are sent without further delay.
    init(delay: Duration, full: Int, end: Int) {
        (self.delay, self.full, goal) = (delay, full, end)
    }

    /// Records that the ledger has grown.
    mutating func grown(to end: Int, isUrgent: Bool, at now: Instant) {
        if isUrgent || delay <= .zero {
            flush(to: end)
        } else if end > goal, deadline == nil {
            deadline = now.advanced(by: delay)
        }
    }

    /// Makes all entries up to `end` due now.
    mutating func flush(to end: Int) {
        goal = max(goal, end)
        deadline = nil
    }

    /// Applies the time `now`; the ledger ends with `end`.
    mutating func pass(_ now: Instant, end: Int) {
        if let deadline, now >= deadline { flush(to: end) }
    }

    /// Returns whether entries after `position` are due now.
    func isDue(after position: Int, end: Int) -> Bool { position < goal || end - position >= full }
}
