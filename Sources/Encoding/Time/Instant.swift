/// A point on the machine's monotonic clock that also runs during suspend (Linux `CLOCK_BOOTTIME`), in
/// nanoseconds.
///
/// Deterministic cores receive it as an argument and never read the clock themselves, so a test can set it
/// freely. An instant is not a date; for a date see ``WallTime``.
package struct Instant: InstantProtocol, Sendable {
    /// The instant in nanoseconds since boot (or since the start of a simulation).
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
    /// The duration in whole nanoseconds. Durations beyond ±292 years are clamped to that range.
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
