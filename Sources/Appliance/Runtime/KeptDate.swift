package import Encoding
package import Kiosk

/// What the gate knows of the date since the start of the machine (``ClockGuard/memory``), as the database keeps it for the next start of
/// the program: the name of the start of the machine, then for each date `DATE NANOSECONDS`, or `- -` for none; the nanoseconds are
/// those of the monotonic clock, which begins anew with each start of the machine.
package enum KeptDate {
    /// The name of the setting.
    package static let setting: Text = "confirmed-date"

    /// What is kept.
    package static func bytes(_ memory: ClockMemory, boot: Text) -> [UInt8] {
        let dates = [memory.confirmed, memory.highest, memory.limit].map { date in
            date.map { "\($0.utc.rfc3339) \($0.at.nanoseconds)" } ?? "- -"
        }
        return Array((boot.string + " " + dates.joined(separator: " ")).utf8)
    }

    /// What was kept in this start of the machine; nil: nothing.
    package static func read(_ bytes: [UInt8]?, boot: Text, at now: Instant) -> ClockMemory? {
        let words = String(decoding: bytes ?? [], as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        func date(_ place: Int) -> DatedInstant? {
            guard let utc = Timestamp(rfc3339: words[place]), let at = Int64(words[place + 1]),
                (0...now.nanoseconds).contains(at)
            else { return nil }
            return DatedInstant(utc: utc, at: Instant(nanoseconds: at))
        }
        guard words.count == 7, words[0] == boot.string, now >= .zero, let confirmed = date(1) else { return nil }
        return ClockMemory(confirmed: confirmed, highest: date(3), limit: date(5))
    }
}
