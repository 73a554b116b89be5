package import Encoding

/// A date, and the instant of the monotonic clock at which it had come: the date of any other instant of the same start of the machine
/// follows from that.
package struct DatedInstant: Hashable, Sendable {
    /// The date in UTC.
    package var utc: Timestamp
    /// The instant at which it had come.
    package var at: Instant

    /// That date at that instant.
    package init(utc: Timestamp, at: Instant) { (self.utc, self.at) = (utc, at) }

    /// The date that has come by then.
    package func carried(to now: Instant) -> Timestamp { utc.advanced(by: at.duration(to: now)) }
}

/// What is known of the date since the machine was started.
package struct ClockMemory: Hashable, Sendable {
    /// The date that is confirmed.
    package var confirmed: DatedInstant
    /// The newest date that was believed without doubt.
    package var highest: DatedInstant?
    /// The first date that a time server vouched for without doubt.
    package var limit: DatedInstant?

    /// These dates.
    package init(confirmed: DatedInstant, highest: DatedInstant? = nil, limit: DatedInstant? = nil) {
        (self.confirmed, self.highest, self.limit) = (confirmed, highest, limit)
    }
}

extension Timestamp {
    /// From this date to that one.
    func duration(to other: Timestamp) -> Duration {
        .seconds(other.seconds) - .seconds(seconds) + .nanoseconds(Int64(other.nanoseconds) - Int64(nanoseconds))
    }
}

/// How long, in either direction.
func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
