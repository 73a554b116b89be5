import Encoding

/// Limits on the size of a record. A longer text is truncated, never refused: an unusual credential must not prevent
/// the record of its visit. With the default limits, a record is smaller than 24 KiB for any input. An ordinary record
/// has about 700 bytes.
package struct LedgerLimits: Hashable, Sendable {
    /// The maximum number of reasons recorded for one outcome, most important first.
    package var reasons = 16
    /// The maximum number of types recorded for one credential.
    package var types = 16
    /// The maximum number of further credentials recorded for one visit.
    package var others = 4
    /// The maximum number of types recorded for each further credential of the visit.
    package var otherTypes = 4
    /// The maximum number of UTF-8 bytes of an identifier: kiosk, boot, issuer, type, JSON pointer.
    package var identifierBytes = 256
    /// The maximum number of UTF-8 bytes of a code, a format, a name or a version.
    var codeBytes = 96
    /// The maximum number of UTF-8 bytes of a visit id; a UUID has 36.
    var visitBytes = 64
    /// The maximum number of open visits. Exceeding the limit is a programming error of the caller; a crowd of visitors
    /// does not reach it.
    package var openVisits = 256

    /// Creates the documented default limits.
    package init() {}

    /// Returns `text` truncated to at most `bytes` UTF-8 bytes at a character boundary. A truncated text ends in "…".
    static func clip(_ text: Text, to bytes: Int) -> Text {
        guard text.utf8.count > bytes else { return text }
        let mark = "…"
        var kept = ""
        var room = bytes - mark.utf8.count
        for character in text.string.unicodeScalars {
            room -= UTF8.width(character)
            if room < 0 { break }
            kept.unicodeScalars.append(character)
        }
        return Text(kept + mark)
    }
}
