import Encoding

/// Limits on the size of a record. A longer text is cut, never refused: an unusual credential must not
/// prevent the record of its visit. With the defaults a record is smaller than 24 KiB whatever was received;
/// an ordinary one has about 700 bytes.
package struct LedgerLimits: Hashable, Sendable {
    /// Reasons kept for one outcome, most important first.
    package var reasons = 16
    /// Types kept for one credential.
    package var types = 16
    /// Other credentials kept for one visit.
    package var others = 4
    /// Types kept for each of the other credentials.
    package var otherTypes = 4
    /// UTF-8 bytes of an identifier: kiosk, boot, issuer, type, JSON pointer.
    package var identifierBytes = 256
    /// UTF-8 bytes of a code, a format, a name or a version.
    package var codeBytes = 96
    /// UTF-8 bytes of a visit id; a UUID has 36.
    package var visitBytes = 64
    /// Visits that may be open at the same time. Exceeding the limit is a programming error of the caller; a
    /// crowd of visitors does not reach it.
    package var openVisits = 256

    /// The documented defaults.
    package init() {}

    /// `text` cut to at most `bytes` UTF-8 bytes at a character boundary; a cut text ends in "…".
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
