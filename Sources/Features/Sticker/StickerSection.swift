package import Encoding
import Kiosk
package import Settings

/// `[sticker]`: a printed code for a gate without a display. Its key is valid for weeks.
package struct StickerSection: ConfigurationSection, Hashable {
    /// The section that precedes this one in the list of all keys.
    package static let follows = "tuvali"

    /// The risk of a printed code, as a text for the operator.
    package static let warning =
        "uses one key for days. Phones compare 40 bits of it: an attacker who spends some hundred core-hours can "
        + "impersonate the gate and read what phones send. An attacker who imitates the gate's radio, for which "
        + "the printed key is enough, can keep what phones send, unread, and present each message once to the "
        + "gate while the key is valid"
    /// The advice about the risk of a printed code, as a text for the operator.
    package static let care =
        "Prefer a display. Otherwise keep the time short, and print a new key for the next "
        + "period."

    /// The path of the file with the key of the printed code, which `gatehouse sticker` creates. The log of used
    /// sessions is in the same folder. Nil if the gate has no printed code.
    package var key: String?
    /// The last day on which the key of the printed code is valid, as the beginning of that day in UTC; nil if the
    /// gate has no printed code.
    package var until: Timestamp?

    /// Reads `[sticker]`.
    package init(_ reader: inout ConfigurationReader, of configuration: Configuration, in folder: ConfigurationFolder) {
        key = reader.optional("sticker.key").map { resolve($0, in: folder) }
        let day = reader.optional("sticker.until")
        until = day.flatMap { StickerDay.parse($0) }
        if let day, until == nil {
            reader.reject(
                "sticker.until", "\"\(day.prefix(60))\" is not a day", "Write the last day: until = \"2026-12-31\"")
        }
        if key != nil, day == nil {
            reader.reject("sticker.until", "is missing", "Write the last day: until = \"2026-12-31\"")
        }
        if day != nil, key == nil {
            reader.reject("sticker.key", "is missing", "Write key = \"/var/lib/gatehouse/sticker.key\"")
        }
        guard key != nil else { return }
        if configuration.gate.whenLedgerFails == .open {
            reader.reject(
                "sticker.key", "cannot be combined with gate.whenLedgerFails = \"open\"",
                "With a printed key no visitor may pass whose session is not on the disk: choose one of the two.")
        }
        reader.warn("sticker.key", Self.warning, Self.care)
    }

    /// The key's file and the log of used sessions.
    package var files: [SectionFile] {
        guard let key else { return [] }
        return [
            .init("sticker.key", key, .prepared), .init("sticker.key", StickerKey.sessions(of: key), .companion),
        ]
    }

    /// Returns the problem of the key's file or of the last day at the time `now`. Returns nil if there is no
    /// problem, or if the gate has no printed code.
    package func problem(at now: Timestamp) -> StickerFailure? {
        guard let key, let until else { return nil }
        do throws(StickerFailure) {
            try StickerKey(reading: key).check(until: until, at: now)
            return nil
        } catch {
            return error
        }
    }
}
