/// A point of civil time: seconds and nanoseconds since 1970-01-01T00:00:00Z, without leap seconds (as in POSIX).
package struct Timestamp: Hashable, Comparable, Sendable {
    /// The whole seconds since the epoch. The number is negative before the epoch.
    package var seconds: Int64
    /// The nanoseconds to add to `seconds`: 0 … 999 999 999.
    package var nanoseconds: Int32

    /// Creates the timestamp of the given seconds and nanoseconds.
    package init(seconds: Int64, nanoseconds: Int32 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// Returns this timestamp moved by `duration`, to the nanosecond.
    package func advanced(by duration: Duration) -> Timestamp {
        let total = Int64(nanoseconds) + duration.nanoseconds % 1_000_000_000
        let carry = total < 0 ? -1 : total / 1_000_000_000
        return Timestamp(
            seconds: seconds + duration.nanoseconds / 1_000_000_000 + carry,
            nanoseconds: Int32(total - carry * 1_000_000_000))
    }

    /// Creates the timestamp of a civil date and time in UTC, years 0000 to 9999; nil if the date does not exist. The
    /// second 60 is read as the next second.
    package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard (0...9999).contains(year), (1...12).contains(month),
            (1...Self.days(inMonth: month, of: year)).contains(day), (0..<24).contains(hour),
            (0..<60).contains(minute), (0...60).contains(second)
        else { return nil }
        let clock = Int64(hour * 3600 + minute * 60 + second)
        self.init(seconds: Self.days(toYear: year, month: month, day: day) * 86_400 + clock)
    }

    /// Parses a date-time of RFC 3339 section 5.6 or, if `zoneRequired` is false, an xsd:dateTime without zone, read as
    /// UTC. Years are 0000 to 9999. A leap second (`:60`) is read as the next second, and fractions of a nanosecond are
    /// dropped. Returns nil for any other text.
    package init?(rfc3339 text: some StringProtocol, zoneRequired: Bool = true) {
        var reader = Digits(Array(text.utf8))
        guard let year = reader.number(4), reader.literal("-"), let month = reader.number(2), reader.literal("-"),
            let day = reader.number(2), reader.literal("T") || reader.literal("t"),
            let hour = reader.number(2), reader.literal(":"), let minute = reader.number(2), reader.literal(":"),
            let second = reader.number(2),
            let civil = Timestamp(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        var nanoseconds: Int32 = 0
        if reader.literal(".") {
            guard let fraction = reader.fraction() else { return nil }
            nanoseconds = fraction
        }
        var offset = 0
        if reader.literal("Z") || reader.literal("z") {
        } else if let sign = reader.sign() {
            guard let hours = reader.number(2), reader.literal(":"), let minutes = reader.number(2), hours < 24,
                minutes < 60
            else { return nil }
            offset = sign * (hours * 3600 + minutes * 60)
        } else if zoneRequired {
            return nil
        }
        guard reader.isAtEnd else { return nil }
        self.init(seconds: civil.seconds - Int64(offset), nanoseconds: nanoseconds)
    }

    /// RFC 3339 in UTC with milliseconds: `2026-01-02T03:04:05.678Z`.
    package var rfc3339: String {
        let past = seconds % 86_400
        let (date, clock) = (civilDate, Int(past < 0 ? past + 86_400 : past))
        return Self.padded(date.year, 4) + "-" + Self.padded(date.month, 2) + "-" + Self.padded(date.day, 2) + "T"
            + Self.padded(clock / 3600, 2) + ":" + Self.padded(clock / 60 % 60, 2) + ":" + Self.padded(clock % 60, 2)
            + "."
            + Self.padded(Int(nanoseconds) / 1_000_000, 3) + "Z"
    }

    /// The UTC date in the proleptic Gregorian calendar.
    package var civilDate: (year: Int, month: Int, day: Int) {
        // Howard Hinnant's civil_from_days. Years begin in March, so that the leap day is the last day of a year.
        let shifted = Self.floorDivide(seconds, 86_400) + 719_468
        let era = Self.floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (Int(year), Int(month), Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1))
    }

    private static func days(toYear year: Int, month: Int, day: Int) -> Int64 {
        let shiftedYear = Int64(month <= 2 ? year - 1 : year)
        let era = floorDivide(shiftedYear, 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        // Round down for negative values, too, because a clock may show a date before 1970.
        value / divisor - (value % divisor < 0 ? 1 : 0)
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

/// Reads fixed-width numbers and single letters from the start of a text.
private struct Digits {
    private var letters: ArraySlice<UInt8>

    init(_ letters: [UInt8]) { self.letters = letters[...] }

    var isAtEnd: Bool { letters.isEmpty }

    mutating func number(_ width: Int) -> Int? {
        let digits = letters.prefix(width)
        guard digits.count == width, digits.allSatisfy(isDigit) else { return nil }
        letters = letters.dropFirst(width)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    mutating func literal(_ letter: Unicode.Scalar) -> Bool {
        guard letters.first == UInt8(ascii: letter) else { return false }
        letters = letters.dropFirst()
        return true
    }

    mutating func sign() -> Int? {
        if literal("+") { return 1 }
        return literal("-") ? -1 : nil
    }

    mutating func fraction() -> Int32? {
        let digits = letters.prefix(while: isDigit)
        guard !digits.isEmpty else { return nil }
        letters = letters.dropFirst(digits.count)
        return (0..<9).reduce(0) { value, place in
            let index = digits.startIndex + place
            return value * 10 + (index < digits.endIndex ? Int32(digits[index] - UInt8(ascii: "0")) : 0)
        }
    }

    private func isDigit(_ letter: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(letter) }
}
