package import Encoding
package import Kiosk

/// The format in which the database stores what the gate knows about the date (``ClockGuard/memory``), for the next
/// start of the program. The text consists of words: the name of the machine's boot; the instant at which the
/// knowledge was stored; the ``ClockMemory/Suspicion``; then for each of four dates `DATE NANOSECONDS`, or `- -` if
/// the date is unknown. The nanoseconds are a reading of the monotonic clock, which restarts at each boot.
package enum StoredDate {
    /// The name under which the database stores the text.
    package static let setting: Text = "confirmed-date"

    /// Returns the text to store. `boot` is the name of the machine's present boot.
    package static func bytes(_ memory: ClockMemory, boot: Text) -> [UInt8] {
        let dates = [memory.confirmed, memory.highest, memory.limit, memory.earlier].map { date in
            date.map { "\($0.utc.rfc3339) \($0.at.nanoseconds)" } ?? "- -"
        }
        let words = [boot.string, "\(memory.at.nanoseconds)", memory.suspicion.rawValue] + dates
        return Array(words.joined(separator: " ").utf8)
    }

    /// Reads a stored text. If the text is from the boot with one of the names `boots`, returns all that it contains.
    /// Otherwise returns only what remains valid after a reboot. Returns nil if nothing is valid.
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

    /// Reads the earlier format of the text: the name of the boot, the confirmed date, the newest date and the limit.
    /// A text in this format is valid only in the same boot. The format is still read because a service that is
    /// upgraded without a reboot must not forget its doubt about the date.
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
