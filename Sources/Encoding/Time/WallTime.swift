/// What the box believes the date to be, and why. Occurs only in verification requests and in records.
package struct WallTime: Hashable, Sendable {
    /// Where the date came from, from least to most trusted.
    package enum Provenance: String, CaseIterable, Comparable, Sendable {
        /// Nothing is known: the clock starts at an arbitrary date.
        case unset
        /// The last date the box itself had written down, carried on by the monotonic clock.
        case saved
        /// A battery-backed clock.
        case rtc
        /// The system clock says that it is synchronised (adjtimex without STA_UNSYNC).
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
    /// Why it is believed.
    package var provenance: Provenance
    /// How long the clock has run without a time server, at most; nil when nobody knows.
    package var unsynchronised: Duration?
    /// Another date that may be right in its place, as the clock was moved a while ago; nil where nothing speaks for another one.
    package var alternative: Timestamp?
    /// The last date that was confirmed before the machine was started, with the time since the start; nil where the date of this start
    /// is confirmed. How long the machine was off is not known then: hours that open must hold at all ``moments``.
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

    /// The dates one of which is right: what opens a gate must be right by each. At least one, and three at most. A date before the
    /// last confirmed one is in doubt as a whole; a later one is not, as a machine that was off has missed that time.
    package var possible: [Timestamp] {
        [utc] + [alternative, lastConfirmed.flatMap { $0 > utc ? $0 : nil }].compactMap(\.self)
    }
    /// The first date that may be right.
    package var earliest: Timestamp { [alternative, lastConfirmed].compactMap(\.self).reduce(utc) { min($0, $1) } }
    /// The last date that may be right.
    package var latest: Timestamp { [alternative, lastConfirmed].compactMap(\.self).reduce(utc) { max($0, $1) } }

    /// The dates at each of which hours must hold that open anything: those of ``possible``, and each minute between the last confirmed
    /// date and ``utc``. No hours begin or end within a minute. After a week they repeat.
    package var moments: [Timestamp] {
        guard let lastConfirmed, lastConfirmed < utc else { return possible }
        let first = max(lastConfirmed.seconds, utc.advanced(by: .zero - Self.week).seconds)
        return possible + stride(from: first, to: utc.seconds, by: 60).map { Timestamp(seconds: $0) }
    }

    private static let week: Duration = .seconds(7 * 86_400)
}
