package import Encoding

/// What the battery-backed clock shows, compared with the date that the system took from it.
package enum HardwareClock: Hashable, Sendable {
    /// The machine has no battery-backed clock, or the kernel did not take its date from one.
    case absent
    /// The battery-backed clock returns no date.
    case silent
    /// The battery-backed clock shows the given date, which is before this program was made: the clock has lost its
    /// power. A Raspberry Pi 5 without a battery has such a clock, and another service has set the system's date since
    /// the start.
    case powerless(Timestamp)
    /// The clock shows another date than the system: one of the two was set since the start. `seconds`: the clock's
    /// date minus the system's.
    case differs(seconds: Int64)
    /// The clock shows the same date as the system.
    case agrees

    /// The largest difference at which the battery-backed clock and the system's clock still agree: `leastDifference`
    /// at the start of the machine, plus `drift` for each second since. Two bad crystals diverge by 100 millionths,
    /// nine seconds a day.
    package static let (leastDifference, drift): (Duration, Double) = (.seconds(5), 0.0001)

    /// Compares the battery-backed clock with the system's date.
    ///
    /// - Parameters:
    ///   - shown: The seconds since 1970 that the clock shows; nil if it returns no date.
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

    /// The fault of the battery-backed clock, in plain words; nil if it has none.
    package var trouble: String? {
        switch self {
        case .absent, .agrees: nil
        case .silent: "its date cannot be read"
        case .powerless(let date): "it shows \(date.rfc3339.prefix(10)): it has no battery, or an empty one"
        case .differs(let seconds):
            "it is \(seconds.magnitude) s \(seconds < 0 ? "behind" : "ahead of") the system's date"
        }
    }
}
