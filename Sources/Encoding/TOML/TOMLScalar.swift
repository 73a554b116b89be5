/// The unquoted values of TOML 1.0.0: numbers, dates and times, `true` and `false`.
enum TOMLScalar {
    /// Parses a value; nil if the letters match no grammar of a value.
    static func read(_ letters: ArraySlice<UInt8>) -> TOML? {
        let text = String(decoding: letters, as: UTF8.self)
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "inf", "+inf": return .float(.infinity)
        case "-inf": return .float(-.infinity)
        case "nan", "+nan", "-nan": return .float(.nan)
        default: break
        }
        if let integer = integer(letters) { return .integer(integer) }
        if let float = float(letters) { return .float(float) }
        return isDateTime(letters) ? .dateTime(Text(text)) : nil
    }

    private static func integer(_ letters: ArraySlice<UInt8>) -> Int64? {
        for (mark, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where letters.starts(with: mark.utf8) {
            guard let digits = digits(letters.dropFirst(2), radix: radix) else { return nil }
            return Int64(digits, radix: radix)
        }
        let sign = letters.first == UInt8(ascii: "-") ? "-" : ""
        let unsigned = letters.dropFirst(isSign(letters.first) ? 1 : 0)
        guard let digits = digits(unsigned, radix: 10), digits == "0" || !digits.hasPrefix("0") else { return nil }
        return Int64(sign + digits)
    }

    private static func float(_ letters: ArraySlice<UInt8>) -> Double? {
        let sign = letters.first == UInt8(ascii: "-") ? "-" : ""
        var rest = letters.dropFirst(isSign(letters.first) ? 1 : 0)
        let whole = rest.prefix { $0 != UInt8(ascii: ".") && $0 | 0x20 != UInt8(ascii: "e") }
        guard let wholeDigits = digits(whole, radix: 10), wholeDigits == "0" || !wholeDigits.hasPrefix("0") else {
            return nil
        }
        rest = rest.dropFirst(whole.count)
        var text = sign + wholeDigits
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix { $0 | 0x20 != UInt8(ascii: "e") }
            guard let fractionDigits = digits(fraction, radix: 10) else { return nil }
            text += "." + fractionDigits
            rest = rest.dropFirst(1 + fraction.count)
        } else if rest.isEmpty {
            return nil
        }
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            let exponent = rest.dropFirst()
            let exponentSign = exponent.first == UInt8(ascii: "-") ? "-" : ""
            guard let exponentDigits = digits(exponent.dropFirst(isSign(exponent.first) ? 1 : 0), radix: 10) else {
                return nil
            }
            text += "e" + exponentSign + exponentDigits
            rest = []
        }
        return rest.isEmpty ? Double(text) : nil
    }

    /// Returns the digits without underscores; nil if an underscore is not between two digits.
    private static func digits(_ letters: ArraySlice<UInt8>, radix: Int) -> String? {
        var digits = ""
        var afterDigit = false
        for letter in letters {
            if letter == UInt8(ascii: "_") {
                guard afterDigit else { return nil }
                afterDigit = false
            } else {
                let character = Character(Unicode.Scalar(letter))
                guard let value = character.hexDigitValue, value < radix else { return nil }
                digits.append(character)
                afterDigit = true
            }
        }
        return afterDigit ? digits : nil
    }

    private static func isSign(_ letter: UInt8?) -> Bool {
        letter == UInt8(ascii: "+") || letter == UInt8(ascii: "-")
    }

    // MARK: - Dates

    /// Returns whether the letters are a date of RFC 3339 (`full-date`).
    static func isDate(_ letters: ArraySlice<UInt8>) -> Bool { letters.count == 10 && isDateTime(letters) }

    /// Returns whether the letters are an offset date-time, a local date-time, a local date or a local time (RFC
    /// 3339).
    private static func isDateTime(_ letters: ArraySlice<UInt8>) -> Bool {
        var text = String(decoding: letters, as: UTF8.self)
        if letters.count == 10 {
            text += "T00:00:00"
        } else if letters.dropFirst(2).first == UInt8(ascii: ":") {
            guard !text.contains(where: { "Zz+-".contains($0) }) else { return false }
            text = "2000-01-01T" + text
        } else {
            text = text.replacing(" ", with: "T", maxReplacements: 1)
        }
        return Timestamp(rfc3339: text, zoneRequired: false) != nil
    }
}
