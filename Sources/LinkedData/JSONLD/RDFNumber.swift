import Encoding
import Glibc

/// Converts JSON numbers to the text of RDF literals (JSON-LD 1.1 API section 8.2, steps 10 and 11, and section 8.6).
enum RDFNumber {
    /// Returns the canonical lexical form of a number, and whether the number is a double.
    ///
    /// A number without a fraction and below 10^21 is an integer, with all its decimal digits. Every other number is a
    /// double. With `asDouble`, for the datatype `xsd:double`, every number is a double.
    static func text(_ number: JSONNumber, asDouble: Bool) -> (text: String, isDouble: Bool) {
        if !asDouble, let integer = integer(number.text) { return (integer, false) }
        return (double(number.double), true)
    }

    /// The range of exponents that an integer below 10^21 can have. No text has enough digits for an exponent outside
    /// this range, and such an exponent could overflow an `Int`.
    private static let exponents = -(1 << 32)...(1 << 32)

    /// Returns the decimal digits of a number without a fraction and below 10^21; nil for any other number.
    private static func integer(_ text: String) -> String? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let parts = text.utf8.dropFirst(isNegative ? 1 : 0)
            .split(omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
        let mantissa = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let fraction = mantissa.count > 1 ? Array(mantissa[1]) : []
        var digits = Array(mantissa[0]) + fraction
        let zero = UInt8(ascii: "0")
        guard digits.contains(where: { $0 != zero }) else { return "0" }
        guard let exponent = parts.count > 1 ? Int(String(parts[1]) ?? "") : 0, exponents.contains(exponent) else {
            return nil
        }
        // value = digits × 10^scale
        var scale = exponent - fraction.count
        digits = Array(digits.drop { $0 == zero })
        while digits.last == zero {
            digits.removeLast()
            scale += 1
        }
        guard scale >= 0, scale <= 21, digits.count + scale <= 21 else { return nil }
        return (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self) + String(repeating: "0", count: scale)
    }

    /// Returns a double in the form of `printf("%1.15E")` without trailing zeros, for example `5.3E0`. The C library
    /// rounds exactly, as signatures require.
    static func double(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-INF" : "INF" }
        let sign = value.sign == .minus ? "-" : ""
        var buffer = [CChar](repeating: 0, count: 32)
        let length = withVaList([value.magnitude]) { vsnprintf(&buffer, buffer.count, "%.15E", $0) }
        // The text has the form "5.300000000000000E+00".
        let text = buffer[..<Int(length)].map { UInt8(bitPattern: $0) }
        var fraction = text[2..<17]
        while fraction.count > 1, fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        let exponent = Int(String(decoding: text[18...], as: UTF8.self)) ?? 0
        return "\(sign)\(Unicode.Scalar(text[0])).\(String(decoding: fraction, as: UTF8.self))E\(exponent)"
    }

    /// Returns the absolute value of `e`, where `value` is an odd integer times 2^e. The work of writing `value` in
    /// decimal is proportional to it.
    static func powers(of value: Double) -> Int {
        guard value.isFinite, value != 0 else { return 0 }
        // A subnormal number has the smallest exponent and a significand below 1.
        let exponent = value.isNormal ? Int(value.exponent) : -1022
        let whole = value.significandBitPattern | (value.isNormal ? 1 << 52 : 0)
        return abs(exponent - 52 + whole.trailingZeroBitCount)
    }
}
