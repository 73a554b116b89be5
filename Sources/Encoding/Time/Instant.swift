/// A point on the machine's monotonic clock, which also runs during suspend (Linux `CLOCK_BOOTTIME`), in nanoseconds.
///
/// Deterministic cores receive instants as arguments and never read a clock, so a test chooses the time freely. An
/// instant is not a date; ``WallTime`` is.
package struct Instant: InstantProtocol, Sendable {
    /// The nanoseconds since boot, or since the start of a simulation.
    package var nanoseconds: Int64

    /// Creates the instant `nanoseconds` nanoseconds after the clock's zero.
    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The clock's zero.
    package static let zero = Instant(nanoseconds: 0)

    package func advanced(by duration: Duration) -> Instant {
        Instant(nanoseconds: nanoseconds &+ duration.nanoseconds)
    }

    package func duration(to other: Instant) -> Duration {
        .nanoseconds(other.nanoseconds &- nanoseconds)
    }

    package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
}

extension Duration {
    /// The duration in whole nanoseconds, clamped to ±292 years.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carried) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carried ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in milliseconds, for people and reports.
    package var milliseconds: Double { Double(nanoseconds) / 1e6 }
}
