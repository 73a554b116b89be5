package import Encoding

/// The gate's civil time zone: the offset of local time from UTC, and the changes of the offset.
///
/// A fixed offset needs no changes. For a zone with summer time, the composition root supplies the changes from the
/// zone database.
package struct CivilZone: Hashable, Sendable {
    /// A change of the offset at an instant.
    package struct Change: Hashable, Sendable {
        /// The instant of the change, in seconds since 1970-01-01T00:00:00Z.
        package let at: Int64
        /// The new offset in seconds east of UTC.
        package let offset: Int

        /// Creates a change of the offset.
        package init(at: Int64, offset: Int) {
            (self.at, self.offset) = (at, offset)
        }
    }

    /// The name of the zone in the policy.
    package let name: Text
    private let offset: Int
    private let changes: [Change]

    /// The zone UTC.
    package static let utc = CivilZone(name: "Z", offset: 0)

    /// Creates a zone with `offset` seconds east of UTC before the first change. The changes may be in any order. An
    /// offset of more than one day is reduced to one day, in either direction.
    package init(name: Text, offset: Int, changes: [Change] = []) {
        self.name = name
        self.offset = Self.bounded(offset)
        self.changes = changes.map { Change(at: $0.at, offset: Self.bounded($0.offset)) }.sorted { $0.at < $1.at }
    }

    /// Reads a fixed offset in RFC 3339 form: `Z`, `+02:00`, `-05:30`; nil for any other text.
    package init?(offset text: Text) {
        guard text == "Z" || text.utf8.count == 6, let date = Timestamp(rfc3339: "1970-01-02T00:00:00" + text.string)
        else { return nil }
        self.init(name: text, offset: Int(86_400 - date.seconds))
    }

    /// Returns the offset in seconds east of UTC at an instant.
    package func offset(at instant: Timestamp) -> Int {
        changes.last { $0.at <= instant.seconds }?.offset ?? offset
    }

    private static func bounded(_ offset: Int) -> Int { min(max(offset, -86_400), 86_400) }
}

/// A day of the proleptic Gregorian calendar, without a time zone.
package struct CivilDate: Hashable, Comparable, Sendable {
    /// The year, 0 to 9999.
    package let year: Int
    /// The month, 1 to 12.
    package let month: Int
    /// The day of the month, 1 to 31.
    package let day: Int

    private init(_ date: (year: Int, month: Int, day: Int)) {
        (year, month, day) = (date.year, date.month, date.day)
    }

    /// Creates the day of an instant in a zone.
    package init(_ instant: Timestamp, in zone: CivilZone) {
        self.init(LocalTime.shifted(instant, in: zone).civilDate)
    }

    /// Reads a full-date of RFC 3339 (`2026-02-28`), or the same date with slashes, as MOSIP writes dates of birth; nil
    /// for any other text and for a day that does not exist.
    package init?(_ text: Text) {
        let letters = Array(text.utf8)
        guard letters.count == 10, letters[4] == letters[7],
            letters[4] == UInt8(ascii: "-") || letters[4] == UInt8(ascii: "/")
        else { return nil }
        let spelling = text.string.replacing("/", with: "-")
        guard let midnight = Timestamp(rfc3339: spelling + "T00:00:00Z") else { return nil }
        self.init(midnight.civilDate)
    }

    /// Reads the day of a full-date or a date-time as written, without conversion to another zone: a birthday does not
    /// depend on the gate's zone.
    package init?(asWritten text: Text) {
        if let date = CivilDate(text) {
            self = date
            return
        }
        guard Timestamp(rfc3339: text.string, zoneRequired: false) != nil,
            let day = Text(utf8: text.utf8.prefix(10)).flatMap({ CivilDate($0) })
        else { return nil }
        self = day
    }

    package static func < (left: CivilDate, right: CivilDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    /// Returns the age, in completed years on `day`, of a person born on this day. The age is negative before the
    /// birth. A person born on 29 February completes a year on 1 March in years of 365 days, so the age is never too
    /// high.
    package func age(on day: CivilDate) -> Int {
        day.year - year - ((day.month, day.day) < (month, self.day) ? 1 : 0)
    }
}

/// A local time of day at the gate.
struct LocalTime: Hashable {
    /// The time of day in minutes since midnight, 0 to 1439.
    let minute: Int
    /// The day of the week: 0 is Monday, 6 Sunday.
    let weekday: Int

    init(_ instant: Timestamp, in zone: CivilZone) {
        let seconds = Self.shifted(instant, in: zone).seconds
        let inDay = ((seconds % 86_400) + 86_400) % 86_400
        minute = Int(inDay / 60)
        let days = (seconds - inDay) / 86_400
        weekday = Int(((days % 7) + 7 + 3) % 7)  // 1970-01-01 was a Thursday.
    }

    /// Returns the instant whose date and time in UTC equal the local date and time at `instant`.
    static func shifted(_ instant: Timestamp, in zone: CivilZone) -> Timestamp {
        let (sum, overflow) = instant.seconds.addingReportingOverflow(Int64(zone.offset(at: instant)))
        return Timestamp(seconds: overflow ? instant.seconds : sum, nanoseconds: instant.nanoseconds)
    }
}
