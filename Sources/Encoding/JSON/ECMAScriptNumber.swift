/// The text of a number in ECMAScript (ECMA-262 `Number::toString` with radix 10), as required by RFC 8785 section
/// 3.2.2.3.
package enum ECMAScriptNumber {
    /// Returns the text of `value`; nil for infinities and NaN, which JSON cannot express.
    package static func text(_ value: Double) -> String? {
        guard value.isFinite else { return nil }
        if value == 0 { return "0" }
        let (digits, point) = shortestDigits(value.magnitude)
        let sign = value < 0 ? "-" : ""
        let count = digits.count
        if count <= point, point <= 21 { return sign + digits + String(repeating: "0", count: point - count) }
        if 0 < point, point <= 21 { return sign + digits.prefix(point) + "." + digits.dropFirst(point) }
        if -6 < point, point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + digits }
        let exponent = (point > 0 ? "+" : "-") + String((point - 1).magnitude)
        return sign + digits.prefix(1) + (count > 1 ? "." : "") + digits.dropFirst() + "e" + exponent
    }

    /// Returns the shortest decimal digits that identify `value` (positive, finite), and the position of the decimal
    /// point: value = 0.digits × 10^point. The digits have no zeros at either end, and no other digits of that length
    /// are nearer to `value`.
    ///
    /// Swift's `description` has exactly these digits in another layout.
    private static func shortestDigits(_ value: Double) -> (digits: String, point: Int) {
        let parts = value.description.split(separator: "e")
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let whole = mantissa[0]
        let fraction = mantissa.count > 1 ? mantissa[1] : ""
        var point = whole.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        var digits = Substring(whole + fraction)
        let leading = digits.prefix { $0 == "0" }.count
        digits = digits.dropFirst(leading)
        point -= leading
        while digits.last == "0" { digits.removeLast() }
        return (String(digits), point)
    }
}
