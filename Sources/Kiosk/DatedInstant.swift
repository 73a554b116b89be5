package import Encoding

/// A date, and the instant of the monotonic clock at which it was reached. From these two values follows the
/// date at any other instant in the same start of the machine.
package struct DatedInstant: Hashable, Sendable {
    /// The date in UTC.
    package var utc: Timestamp
    /// The instant at which the date was reached.
    package var at: Instant

    /// Creates a date that was reached at the instant `at`.
    package init(utc: Timestamp, at: Instant) { (self.utc, self.at) = (utc, at) }

    /// Returns the date that is reached at `now`.
    package func carried(to now: Instant) -> Timestamp { utc.advanced(by: at.duration(to: now)) }

    /// The largest difference in rate of two clocks is one part in this number. The kernel may correct the rate of the
    /// clock by 500 parts in a million (adjtimex); the crystal is better than that.
    private static let rate = 2000

    /// Returns whether a clock may have shown both dates without having been set: the dates differ by at most `skew`
    /// plus the possible difference in rate.
    package func agrees(with other: DatedInstant, within skew: Duration) -> Bool {
        let apart = abs(carried(to: other.at).duration(to: other.utc))
        return apart <= skew + abs(at.duration(to: other.at)) / Self.rate
    }
}

/// The knowledge of a ``ClockGuard`` about the date, stored for the next start of the program.
package struct ClockMemory: Hashable, Sendable {
    /// The clocks that may have been set to an unconfirmed date of a time server. Such a clock proves no date until a
    /// date is confirmed.
    package enum Suspicion: String, Hashable, Sendable {
        /// No clock may have been set to such a date.
        case nothing = "-"
        /// The battery-backed clock may have been set to such a date: it showed another date than the system, and the
        /// system sets it to the date of a time server.
        case battery = "off"
        /// The battery-backed clock and the date that the machine saved at its last stop may have been set to such a
        /// date, because the clock was moved.
        case all = "served"
    }

    /// The instant of the last reading of the clocks.
    package var at: Instant
    /// The confirmed date of this start of the machine; nil if no date is confirmed yet.
    package var confirmed: DatedInstant?
    /// The newest date that was believed without doubt; nil if there is none.
    package var highest: DatedInstant?
    /// The first date that a time server vouched for without doubt; nil if there is none.
    package var limit: DatedInstant?
    /// The date that was confirmed before the machine was started, as long as opening hours depend on it; otherwise
    /// nil.
    package var earlier: DatedInstant?
    /// The clocks whose date proves nothing. A restart of the machine does not change this value, because the
    /// battery-backed clock and the saved date survive a restart.
    package var suspicion: Suspicion

    /// Creates a memory from the values of its properties.
    package init(
        at: Instant, confirmed: DatedInstant? = nil, highest: DatedInstant? = nil, limit: DatedInstant? = nil,
        earlier: DatedInstant? = nil, suspicion: Suspicion = .nothing
    ) {
        (self.at, self.confirmed, self.highest, self.limit) = (at, confirmed, highest, limit)
        (self.earlier, self.suspicion) = (earlier, suspicion)
    }

    /// Returns the part of the memory that is still valid at `now`, after a restart of the machine: the suspicion
    /// about clocks, and the last confirmed date, which counts as the date at the beginning of this start. A program
    /// that cannot identify the start of the machine may mistake the same start for a new one. Therefore, if `now` is
    /// not before ``at``, the date counts as the date at ``at``.
    package func afterRestart(at now: Instant) -> ClockMemory? {
        guard let last = earlier ?? confirmed else { return nil }
        let start = now < at ? Instant.zero : at
        return ClockMemory(
            at: start, earlier: DatedInstant(utc: last.carried(to: at), at: start), suspicion: suspicion)
    }
}

extension Timestamp {
    /// Returns the time from this date to `other`.
    func duration(to other: Timestamp) -> Duration {
        .seconds(other.seconds) - .seconds(seconds) + .nanoseconds(Int64(other.nanoseconds) - Int64(nanoseconds))
    }
}

/// Returns the absolute value of a duration.
func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
