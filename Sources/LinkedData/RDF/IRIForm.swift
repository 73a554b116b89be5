import Encoding

/// Checks the rules of RFC 3987 section 2.2 that depend on the position of a character: two digits must follow a
/// percent sign, brackets must surround an IP address, and characters beyond ASCII must be in the allowed ranges.
enum IRIForm {
    /// Returns whether an IRI is well-formed. The caller must have checked that it has at most one `#` and no byte that
    /// no IRI may contain.
    static func isWellFormed(_ text: Text) -> Bool {
        let bytes = Array(text.utf8)
        let mark = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        return encodesWhole(bytes) && bracketsAddress(bytes, before: mark)
            && (bytes.allSatisfy { $0 < 0x80 } || hasLetters(text))
    }

    /// Returns whether two hexadecimal digits follow each `%`.
    private static func encodesWhole(_ bytes: [UInt8]) -> Bool {
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "%") {
            guard index + 2 < bytes.count, isHex(bytes[index + 1]), isHex(bytes[index + 2]) else { return false }
        }
        return true
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        IRI.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    /// Returns whether there are no brackets, or one pair of them around the host of the authority (RFC 3986 section
    /// 3.2.2).
    private static func bracketsAddress(_ bytes: [UInt8], before mark: Int) -> Bool {
        let places = bytes.indices.filter { bytes[$0] == UInt8(ascii: "[") || bytes[$0] == UInt8(ascii: "]") }
        if places.isEmpty { return true }
        guard places.count == 2, bytes[places[0]] == UInt8(ascii: "["), bytes[places[1]] == UInt8(ascii: "]"),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].dropFirst().starts(with: "//".utf8)
        else { return false }
        let start = colon + 3
        let end = bytes[start..<mark].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? mark
        let authority = bytes[start..<end]
        guard authority.contains(places[0], places[1]) else { return false }
        let before = authority[..<places[0]]
        let after = authority[(places[1] + 1)...]
        let inside = authority[(places[0] + 1)..<places[1]]
        return (before.isEmpty || before.last == UInt8(ascii: "@")) && !inside.isEmpty
            && (after.isEmpty || after.first == UInt8(ascii: ":") && after.dropFirst().allSatisfy(IRI.isDigit))
    }

    /// Returns whether all characters beyond ASCII are in `ucschar` or, inside the query, in the private use ranges.
    private static func hasLetters(_ text: Text) -> Bool {
        var isQuery = false
        for scalar in text.string.unicodeScalars where scalar.value >= 0x3F {
            switch scalar.value {
            case 0x3F: isQuery = true
            case 0x40..<0x80, 0xA0...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFEF: continue
            case 0xE000...0xF8FF, 0xF0000...0xFFFFD, 0x100000...0x10FFFD: guard isQuery else { return false }
            case 0x10000...0xDFFFD, 0xE1000...0xEFFFD:
                // The last two code points of each plane are not characters.
                guard scalar.value & 0xFFFF <= 0xFFFD else { return false }
            default: return false
            }
        }
        return true
    }
}

extension ArraySlice<UInt8> {
    /// Returns whether both indices are in the slice.
    fileprivate func contains(_ first: Int, _ last: Int) -> Bool { first >= startIndex && last < endIndex }
}
