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

    /// What the kernel may add to the rate of the clock to correct it: 500 parts in a million (adjtimex). The crystal is better.
    private static let rate = 2000

    /// Whether a clock may have shown both without having been set: they are no more than that apart, and what its rate may differ.
    package func agrees(with other: DatedInstant, within skew: Duration) -> Bool {
        let apart = abs(carried(to: other.at).duration(to: other.utc))
        return apart <= skew + abs(at.duration(to: other.at)) / Self.rate
    }
}

/// What is known of the date, for the next start of the program.
package struct ClockMemory: Hashable, Sendable {
    /// What may hold the word of a time server, and proves no date until one is confirmed.
    package enum Suspicion: String, Hashable, Sendable {
        /// Nothing.
        case nothing = "-"
        /// The battery-backed clock: it showed another date than the system, and the system sets it by a time server's word.
        case battery = "off"
        /// The date that the machine wrote down at its last stop, too: the clock was moved.
        case all = "served"
    }

    /// When this was known: the last look.
    package var at: Instant
    /// The date of this start of the machine that is confirmed; nil: none is yet.
    package var confirmed: DatedInstant?
    /// The newest date that was believed without doubt.
    package var highest: DatedInstant?
    /// The first date that a time server vouched for without doubt.
    package var limit: DatedInstant?
    /// The date that was confirmed before the machine was started, while hours still ask for it.
    package var earlier: DatedInstant?
    /// What proves no date. A start of the machine does not change it: the battery-backed clock and the saved date outlive that.
    package var suspicion: Suspicion

    /// These dates.
    package init(
        at: Instant, confirmed: DatedInstant? = nil, highest: DatedInstant? = nil, limit: DatedInstant? = nil,
        earlier: DatedInstant? = nil, suspicion: Suspicion = .nothing
    ) {
        (self.at, self.confirmed, self.highest, self.limit) = (at, confirmed, highest, limit)
        (self.earlier, self.suspicion) = (earlier, suspicion)
    }

    /// What is left of it by `now`, after another start of the machine: what proves no date, and the last confirmed one. That one has come
    /// before the beginning of this start. A program that cannot name its start of the machine may take the same one for another, with a
    /// clock that went on: then the date had come at that instant, and in any case not later.
    package func afterRestart(at now: Instant) -> ClockMemory? {
        guard let last = earlier ?? confirmed else { return nil }
        let start = now < at ? Instant.zero : at
        return ClockMemory(
            at: start, earlier: DatedInstant(utc: last.carried(to: at), at: start), suspicion: suspicion)
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
