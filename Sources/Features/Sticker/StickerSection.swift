package import Encoding
import Kiosk
package import Settings

/// `[sticker]`: a printed code with one long-lived key, for a gate without a display.
package struct StickerSection: ConfigurationSection, Hashable {
    /// The section before this one.
    package static let follows = "tuvali"

    /// The risk of a printed code, in words for the operator.
    package static let warning =
        "uses one key for days. Phones compare 40 bits of it: an attacker who spends some hundred core-hours can "
        + "impersonate the gate and read what phones send. An attacker who imitates the gate's radio, for which "
        + "the printed key is enough, can keep what phones send, unread, and present each message once to the "
        + "gate while the key is valid"
    /// The advice about the risk of a printed code.
    package static let care =
        "Prefer a display. Otherwise keep the time short, and print a new key for the next "
        + "period."

    /// The file with the key of the printed code, made by `gatehouse sticker`. The book of the code's
    /// sessions is in the same folder. Nil if the gate has no printed code.
    package var key: String?
    /// The last day on which the key of the printed code is valid, as the beginning of that day in UTC.
    package var until: Timestamp?

    /// Reads the section.
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

    /// The files of the section.
    package var files: [SectionFile] {
        guard let key else { return [] }
        return [
            .init("sticker.key", key, .prepared), .init("sticker.key", StickerKey.sessions(of: key), .companion),
        ]
    }

    /// Returns the problem of the printed code's key file, or of its last day, at the time `now`. Returns nil
    /// if no problem exists, or if the gate has no printed code.
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
