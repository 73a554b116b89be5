import Foundation

/// Makes text safe for a terminal. Even the program's own messages may contain text from outside: an error of SQLite
/// quotes names from the database, and a notice names a file. Therefore every text passes through these functions
/// before it is printed.
extension Terminal {
    /// Returns a text from outside as a part of one line. Each character that controls a terminal or ends a line
    /// becomes "?".
    package static func printable(_ text: String) -> String { replacing(text) { _ in "?" } }

    /// Returns a text of one or more lines. Each character that controls a terminal becomes "?", except tabs. Line ends
    /// stay unless `isLine` is true. The styles of this program stay if `keepsStyles` is true.
    package static func safe(_ text: String, keepsStyles: Bool = hasColour, isLine: Bool = false) -> String {
        guard text.utf8.contains(where: isUnsure) else { return text }
        func safe(_ part: Substring) -> String { lines(part, isLine: isLine) }
        var result = ""
        var rest = text[...]
        while keepsStyles, let style = rest.firstMatch(of: /\u{1B}\[(?:0|[12]|3[1-4])(?:;(?:[12]|3[1-4]))*m/) {
            result += safe(rest[..<style.range.lowerBound]) + style.output
            rest = rest[style.range.upperBound...]
        }
        return result + safe(rest)
    }

    /// Returns a JSON text as one line in which each character that controls a terminal is escaped (RFC 8259, section
    /// 7). The JSON value does not change.
    package static func safe(json text: String) -> String {
        replacing(text) { scalar in
            scalar.utf16.map { "\\u" + String(format: "%04x", Int($0)) }.joined()
        }
    }

    private static func lines(_ text: Substring, isLine: Bool) -> String {
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        for (place, scalar) in scalars.enumerated() {
            let next = place + 1 < scalars.count ? scalars[place + 1] : nil
            let isEnd = scalar == "\n" || scalar == "\r" && next == "\n"
            let stays = isEnd ? !isLine : scalar == "\t" || !steers(scalar)
            result.append(stays ? scalar : "?")
        }
        return String(result)
    }

    private static func replacing(_ text: String, _ word: (Unicode.Scalar) -> String) -> String {
        guard text.utf8.contains(where: isUnsure) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if steers(scalar) { result.append(contentsOf: word(scalar).unicodeScalars) } else { result.append(scalar) }
        }
        return String(result)
    }

    /// Returns whether a byte may belong to a character that controls a terminal. Most texts contain no such byte, so
    /// the slower check of characters is skipped.
    private static func isUnsure(_ byte: UInt8) -> Bool { byte < 0x20 || byte >= 0x7F }

    /// Returns whether a character controls a terminal: control characters, direction marks, and characters that a
    /// terminal may treat as one of these.
    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
