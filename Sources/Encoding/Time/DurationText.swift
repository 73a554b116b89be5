/// Durations in the configuration: a whole number and a unit, for example `200ms`, `30s`, `5min`, `24h`, `7d`.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("min", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// Parses a duration; nil if the text is not a duration, or if the duration exceeds 100 years.
    package static func parse(_ text: String) -> Duration? {
        let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
        guard let number = Int64(String(decoding: digits, as: UTF8.self)),
            let unit = units.first(where: { $0.name.utf8.elementsEqual(text.utf8.dropFirst(digits.count)) })
        else { return nil }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
        guard !overflow, milliseconds <= 100 * 366 * 86_400_000 else { return nil }
        return .milliseconds(milliseconds)
    }

    /// Writes a duration in the largest unit without remainder. Parts of a millisecond are dropped.
    package static func write(_ duration: Duration) -> String {
        let milliseconds = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
        let unit = units.last { milliseconds != 0 && milliseconds % $0.milliseconds == 0 } ?? units[0]
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
}
