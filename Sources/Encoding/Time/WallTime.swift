/// The date according to the gate, and its source, for verifications, schedules and records. Time limits use
/// ``Instant``.
package struct WallTime: Hashable, Sendable {
    /// The source of the date, from least to most trusted.
    package enum Provenance: String, CaseIterable, Comparable, Sendable {
        /// The date is unknown: the clock starts at an arbitrary date.
        case unset
        /// The last date that the gate saved, continued by the monotonic clock.
        case saved
        /// The date comes from a battery-backed clock.
        case rtc
        /// The system clock reports that it is synchronised (adjtimex without STA_UNSYNC).
        case synchronised
        /// The date was given by a test, a demonstration or `--at`.
        case given

        package static func < (left: Provenance, right: Provenance) -> Bool {
            let order = allCases
            return order.firstIndex(of: left) ?? 0 < order.firstIndex(of: right) ?? 0
        }
    }

    /// The date in UTC.
    package var utc: Timestamp
    /// The source of the date.
    package var provenance: Provenance
    /// The longest time that the clock may have run without a time server; nil if unknown.
    package var unsynchronised: Duration?
    /// Another date that may be right because the clock was moved some time ago; nil if there is no sign of such a
    /// move.
    package var alternative: Timestamp?
    /// The last confirmed date before the start of the machine, plus the time since the start; nil if the present date
    /// was confirmed since the start. The duration of the power-off is unknown, so the hours of a rule must include all
    /// ``moments``.
    package var lastConfirmed: Timestamp?

    /// Creates a date with its source.
    package init(
        utc: Timestamp, provenance: Provenance, unsynchronised: Duration? = nil, alternative: Timestamp? = nil,
        lastConfirmed: Timestamp? = nil
    ) {
        self.utc = utc
        self.provenance = provenance
        self.unsynchronised = unsynchronised
        self.alternative = alternative
        self.lastConfirmed = lastConfirmed
    }

    /// The possible dates, one to three, of which one is right. A rule that opens a gate must be fulfilled at each of
    /// them. A date before the last confirmed date is in doubt, so both dates are possible. A later date is not in
    /// doubt, because the machine was off in between.
    package var possible: [Timestamp] {
        [utc] + [alternative, lastConfirmed.flatMap { $0 > utc ? $0 : nil }].compactMap(\.self)
    }
    /// The earliest date that may be right.
    package var earliest: Timestamp { [alternative, lastConfirmed].compactMap(\.self).reduce(utc) { min($0, $1) } }
    /// The latest date that may be right.
    package var latest: Timestamp { [alternative, lastConfirmed].compactMap(\.self).reduce(utc) { max($0, $1) } }

    /// The dates that a rule's hours must all include in order to open the gate: the dates in ``possible``, and each
    /// minute between the last confirmed date and ``utc``. Minutes suffice, because hours begin and end at whole
    /// minutes. One week suffices, because hours repeat every week.
    package var moments: [Timestamp] {
        guard let lastConfirmed, lastConfirmed < utc else { return possible }
        let first = max(lastConfirmed.seconds, utc.advanced(by: .zero - Self.week).seconds)
        return possible + stride(from: first, to: utc.seconds, by: 60).map { Timestamp(seconds: $0) }
    }

    private static let week: Duration = .seconds(7 * 86_400)
}
