/// The date according to the gate, and its source. Used only in verification requests and in records.
package struct WallTime: Hashable, Sendable {
    /// The source of the date, from least to most trusted.
    package enum Provenance: String, CaseIterable, Comparable, Sendable {
        /// Unknown: the clock starts at an arbitrary date.
        case unset
        /// The last date that the gate saved, continued by the monotonic clock.
        case saved
        /// A battery-backed clock.
        case rtc
        /// The system clock reports that it is synchronised (adjtimex without STA_UNSYNC).
        case synchronised
        /// Set by a test, a demonstration or `--at`.
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
    /// The longest time that the clock may have run without a time server; nil when unknown.
    package var unsynchronised: Duration?
    /// Another date that may be the right one, because the clock was moved some time ago; nil when nothing
    /// indicates another date.
    package var alternative: Timestamp?
    /// The last date that was confirmed before the machine was started, plus the time since the start; nil
    /// when the date was confirmed since this start. It is not known how long the machine was off, so a
    /// rule's hours must hold at all ``moments``.
    package var lastConfirmed: Timestamp?

    /// A date and its source.
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

    /// The possible dates, of which one is right: a rule that opens a gate must hold at each of them. At
    /// least one, and at most three. A date before the last confirmed one is in doubt, so both are possible.
    /// A later date is not in doubt: the machine was off in between.
    package var possible: [Timestamp] {
        [utc] + [alternative, lastConfirmed.flatMap { $0 > utc ? $0 : nil }].compactMap(\.self)
    }
    /// The earliest date that may be right.
    package var earliest: Timestamp { [alternative, lastConfirmed].compactMap(\.self).reduce(utc) { min($0, $1) } }
    /// The latest date that may be right.
    package var latest: Timestamp { [alternative, lastConfirmed].compactMap(\.self).reduce(utc) { max($0, $1) } }

    /// The dates at each of which a rule's hours must hold to open the gate: those of ``possible``, and each
    /// minute between the last confirmed date and ``utc``. Minutes suffice, because no hours begin or end
    /// within a minute. One week suffices, because hours repeat after a week.
    package var moments: [Timestamp] {
        guard let lastConfirmed, lastConfirmed < utc else { return possible }
        let first = max(lastConfirmed.seconds, utc.advanced(by: .zero - Self.week).seconds)
        return possible + stride(from: first, to: utc.seconds, by: 60).map { Timestamp(seconds: $0) }
    }

    private static let week: Duration = .seconds(7 * 86_400)
}
