package import Encoding

/// What the battery-backed clock, from which the system took its date, says about that date.
package enum HardwareClock: Hashable, Sendable {
    /// There is none, or the kernel did not take its date from one.
    case absent
    /// It returns no date.
    case silent
    /// It shows a date before this program was made: it has lost its power. A Raspberry Pi 5 without a
    /// battery has such a clock, and another service has set the system's date since.
    case powerless(Timestamp)
    /// It shows another date: its own or the system's was set since the start.
    case differs(seconds: Int64)
    /// It shows the same date.
    case agrees

    /// How far the two clocks may differ at the start, and how much more for each second since: two bad
    /// crystals diverge by 100 millionths, nine seconds a day.
    package static let (leastDifference, drift): (Duration, Double) = (.seconds(5), 0.0001)

    /// Compares the clock with the system's date.
    ///
    /// - Parameters:
    ///   - shown: Seconds since 1970 that the clock shows; nil when it returns no date.
    ///   - utc: The system's date at that moment.
    ///   - uptime: How long the machine has been running, including suspended time.
    ///   - made: The day on which this program was made.
    package init(showing shown: Int64?, at utc: Timestamp, uptime: Duration, made: Timestamp) {
        guard let shown else {
            self = .silent
            return
        }
        guard shown >= made.seconds else {
            self = .powerless(Timestamp(seconds: shown))
            return
        }
        let difference = shown &- utc.seconds
        let most = Self.leastDifference.components.seconds + Int64(Double(uptime.components.seconds) * Self.drift)
        self = difference.magnitude <= UInt64(max(0, most)) ? .agrees : .differs(seconds: difference)
    }

    /// What is wrong with the clock, in plain words; nil: nothing.
    package var trouble: String? {
        switch self {
        case .absent, .agrees: nil
        case .silent: "it does not tell its date"
        case .powerless(let date): "it shows \(date.rfc3339.prefix(10)): it has no battery, or an empty one"
        case .differs(let seconds):
            "it is \(seconds.magnitude) s \(seconds < 0 ? "behind" : "ahead of") the system's date"
        }
    }
}
