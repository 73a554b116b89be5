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

    /// A date and its source.
    package init(
        utc: Timestamp, provenance: Provenance, unsynchronised: Duration? = nil, alternative: Timestamp? = nil
    ) {
        self.utc = utc
        self.provenance = provenance
        self.unsynchronised = unsynchronised
        self.alternative = alternative
    }

    /// The dates one of which is right: what opens a gate must be right by each. At least one, and two at most.
    package var possible: [Timestamp] { [utc] + (alternative.map { [$0] } ?? []) }
    /// The first of them.
    package var earliest: Timestamp { alternative.map { min(utc, $0) } ?? utc }
    /// The last of them.
    package var latest: Timestamp { alternative.map { max(utc, $0) } ?? utc }
}
