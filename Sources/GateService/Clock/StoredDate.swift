package import Encoding
package import Kiosk

/// The gate's knowledge of the date (``ClockGuard/memory``), in the form in which the database keeps it for
/// the next start of the program. The stored text has these words: the name of the start of the machine; the
/// instant of the knowledge; ``ClockMemory/Suspicion``; then for each date `DATE NANOSECONDS`, or `- -` if
/// that date is unknown. The nanoseconds are those of the monotonic clock, which begins again at each start
/// of the machine.
package enum StoredDate {
    /// The name of the setting in the database.
    package static let setting: Text = "confirmed-date"

    /// Returns the text that is kept.
    package static func bytes(_ memory: ClockMemory, boot: Text) -> [UInt8] {
        let dates = [memory.confirmed, memory.highest, memory.limit, memory.earlier].map { date in
            date.map { "\($0.utc.rfc3339) \($0.at.nanoseconds)" } ?? "- -"
        }
        let words = [boot.string, "\(memory.at.nanoseconds)", memory.suspicion.rawValue] + dates
        return Array(words.joined(separator: " ").utf8)
    }

    /// Reads the text that was kept: the whole text if it is from the start of the machine with one of the
    /// names `boots`, otherwise the part that remains valid after a restart. Returns nil if no part is valid.
    package static func read(_ bytes: [UInt8]?, boots: [Text], at now: Instant) -> ClockMemory? {
        let words = String(decoding: bytes ?? [], as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        if words.count == 7 { return earlierForm(words, boots: boots, at: now) }
        guard words.count == 11, let kept = Int64(words[1]), kept >= 0 else { return nil }
        func date(_ place: Int) -> DatedInstant? {
            guard let utc = Timestamp(rfc3339: words[place]), let at = Int64(words[place + 1]), (0...kept).contains(at)
            else { return nil }
            return DatedInstant(utc: utc, at: Instant(nanoseconds: at))
        }
        let memory = ClockMemory(
            at: Instant(nanoseconds: kept), confirmed: date(3), highest: date(5), limit: date(7), earlier: date(9),
            suspicion: ClockMemory.Suspicion(rawValue: String(words[2])) ?? .all)
        guard boots.contains(where: { words[0] == $0.string }) else { return memory.afterRestart(at: now) }
        let isKnown = memory.confirmed != nil || memory.earlier != nil
        return isKnown && memory.at <= now ? memory : nil
    }

    /// Reads an earlier form of the text: the name of the start of the machine, the confirmed date, the
    /// newest date and the limit. A text in this form is valid only in the same start of the machine. This
    /// form is still read because a service that is upgraded while the machine runs must not forget a doubt
    /// about the date.
    private static func earlierForm(_ words: [Substring], boots: [Text], at now: Instant) -> ClockMemory? {
        func date(_ place: Int) -> DatedInstant? {
            guard let utc = Timestamp(rfc3339: words[place]), let at = Int64(words[place + 1]),
                at >= 0, at <= now.nanoseconds
            else { return nil }
            return DatedInstant(utc: utc, at: Instant(nanoseconds: at))
        }
        guard boots.contains(where: { words[0] == $0.string }), let confirmed = date(1) else { return nil }
        return ClockMemory(at: now, confirmed: confirmed, highest: date(3), limit: date(5))
    }
}
