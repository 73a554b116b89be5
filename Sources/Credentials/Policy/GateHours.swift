package import Encoding

/// An interval of the day on certain days of the week, in the gate's local time.
package struct GateHours: Hashable, Sendable {
    /// The days on which the hours begin; 0 is Monday, 6 Sunday.
    package var days: Set<Int>
    /// The beginning of the hours, in minutes since midnight, 0 to 1439.
    package var from: Int
    /// The end of the hours, in minutes since midnight, 1 to 1440. If the end is not after `from`, the hours end on the
    /// next day.
    package var to: Int

    /// Returns whether the local time at an instant, in `zone`, is within the hours.
    package func contains(_ instant: Timestamp, in zone: CivilZone) -> Bool { contains(LocalTime(instant, in: zone)) }

    /// Returns whether a local time is within the hours.
    func contains(_ time: LocalTime) -> Bool {
        if from < to { return days.contains(time.weekday) && (from..<to).contains(time.minute) }
        let yesterday = (time.weekday + 6) % 7
        return days.contains(time.weekday) && time.minute >= from || days.contains(yesterday) && time.minute < to
    }
}

// MARK: - Reading

extension GateHours {
    private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    /// Reads the members of a TOML table that state hours: `days = ["mon-fri"]`, `from = "07:00"`, `to = "19:00"`. Each
    /// member is optional. Returns the hours (nil if they are unusable) and the problems found.
    package static func read(_ table: TOMLTable) -> (hours: GateHours?, problems: [PolicyFileError.Problem]) {
        var (source, problems) = (PolicyTable("the hours", table, line: 0), PolicyProblems())
        let hours = GateHours(&source, &problems)
        return (hours, problems.list)
    }

    init?(_ table: inout PolicyTable, _ problems: inout PolicyProblems) {
        var strange: Text?
        let days = table.take("days", "a list of days, [\"mon-fri\", \"sun\"]", &problems) { value -> Set<Int>? in
            let elements = value.array ?? [value]
            strange = elements.lazy.compactMap(\.string).first { Self.days($0) == nil }
            if strange != nil { return [] }
            let known = elements.map { $0.string.flatMap(Self.days) }
            return known.isEmpty || known.contains(nil) ? nil : Set(known.compactMap(\.self).joined())
        }
        if let strange {
            problems.note(
                table.line(of: "days"), "days does not know \"\(strange.string.prefix(60))\"",
                "Write \"\(Self.nearestDays(to: strange.string))\"; days are mon, tue, wed, thu, fri, sat, sun, or \"mon-fri\"."
            )
        }
        let (isFrom, isTo) = (table.has("from"), table.has("to"))
        let from =
            table.take("from", "a time, \"07:00\"", &problems) { $0.string.flatMap(Self.minute) } ?? (isFrom ? nil : 0)
        let to =
            table.take("to", "a time, \"19:00\"; \"24:00\" is midnight", &problems) { $0.string.flatMap(Self.minute) }
            ?? (isTo ? nil : 1440)
        guard let from, let to else { return nil }
        guard from != to, from < 1440, to > 0 else {
            problems.note(table.line, "the hours are empty", "Leave out from and to for whole days.")
            return nil
        }
        self.init(days: days ?? Set(0...6), from: from, to: to)
    }

    /// Reads a day such as `tue`, or a range of days such as `fri-mon`; nil for any other text. 0 is Monday.
    private static func days(_ text: Text) -> Set<Int>? {
        let ends = text.string.split(separator: "-", omittingEmptySubsequences: false).map { name in
            weekdays.firstIndex { $0.utf8.elementsEqual(name.utf8) }
        }
        guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else { return nil }
        return Set((0...((last - first + 7) % 7)).map { (first + $0) % 7 })
    }

    /// Returns the day, or the first and last day, that a misspelt word probably means. A day whose name begins with
    /// the word takes precedence over the day with the nearest spelling.
    private static func nearestDays(to word: String) -> String {
        word.lowercased().split(separator: "-").prefix(2).map { part in
            let start = String(part.prefix(8))
            return weekdays.first { start.hasPrefix($0) }
                ?? weekdays.min { $0.spellingDistance(to: start) < $1.spellingDistance(to: start) } ?? weekdays[0]
        }.joined(separator: "-")
    }

    /// Returns the time of day `text` in minutes since midnight, 0 to 1440; nil if `text` is not a time.
    private static func minute(_ text: Text) -> Int? {
        let letters = Array(text.utf8)
        guard letters.count == 5, letters[2] == UInt8(ascii: ":") else { return nil }
        let digits = [letters[0], letters[1], letters[3], letters[4]].map { Int($0) - Int(UInt8(ascii: "0")) }
        guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        return minute < 60 && (hour < 24 || hour == 24 && minute == 0) ? hour * 60 + minute : nil
    }
}
