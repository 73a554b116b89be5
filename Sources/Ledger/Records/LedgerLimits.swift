import Encoding

/// The limits for the size of a record. A longer text is truncated and not refused, so that an unusual credential
/// cannot prevent the record of its visit. With the default limits every record is smaller than 24 KiB; most have about
/// 700 bytes.
package struct LedgerLimits: Hashable, Sendable {
    /// The largest number of reasons in an outcome; the most important ones come first.
    package var reasons = 16
    /// The largest number of types that are recorded for the credential of a visit.
    package var types = 16
    /// The largest number of further credentials that are recorded for a visit.
    package var others = 4
    /// The largest number of types that are recorded for each further credential.
    package var otherTypes = 4
    /// The largest length of an identifier in UTF-8 bytes: the name of the gate, the boot, an issuer, a type, a JSON
    /// pointer.
    package var identifierBytes = 256
    /// The largest length of a code, a format, a name or a version in UTF-8 bytes.
    var codeBytes = 96
    /// The largest length of the id of a visit or intent in UTF-8 bytes. A UUID has 36.
    var visitBytes = 64
    /// The largest number of intents without an outcome. More of them are a programming error of the caller: even a
    /// crowd of visitors does not reach this number.
    package var openVisits = 256

    /// Creates a value whose properties have their defaults.
    package init() {}

    /// Returns `text`, truncated to at most `bytes` UTF-8 bytes at the end of a character. A truncated text ends with
    /// "…".
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
