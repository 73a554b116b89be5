package import Encoding

/// A limit on what strangers can cause, however many there are: ``burst`` uses at once, and one more use after each
/// ``period``.
package struct Allowance: Hashable, Sendable {
    /// The largest number of uses, and the number at the beginning.
    package let burst: Int
    /// The time after which one more use is available.
    package let period: Duration
    private var left: Int
    private var filled = Instant.zero

    /// Creates a full allowance.
    package init(burst: Int, period: Duration) { (self.burst, self.period, left) = (burst, period, burst) }

    /// The earliest instant at which a use is available, as of the last call of another function; zero: at once.
    package var next: Instant { left > 0 ? .zero : filled.advanced(by: period) }

    /// Whether a use is available now.
    package mutating func isThere(at now: Instant) -> Bool {
        fill(at: now)
        return left > 0
    }

    /// Whether the allowance is full.
    package func isFull(at now: Instant) -> Bool {
        var copy = self
        copy.fill(at: now)
        return copy.left >= burst
    }

    /// Takes one use if more than `kept` uses are available; returns whether it took one.
    package mutating func take(keeping kept: Int = 0, at now: Instant) -> Bool {
        fill(at: now)
        guard left > kept else { return false }
        left -= 1
        return true
    }

    /// Makes a use that was taken available again.
    package mutating func giveBack() { left = min(burst, left + 1) }

    private mutating func fill(at now: Instant) {
        let periods = filled.duration(to: now).nanoseconds / max(1, period.nanoseconds)
        guard periods > 0 else { return }
        left = Int(min(Int64(burst), Int64(left) + periods))
        filled = filled.advanced(by: .nanoseconds(periods * period.nanoseconds))
    }
}
