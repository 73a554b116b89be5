package import Encoding

/// Numbers as RDF literals (JSON-LD 1.1 API section 8.2, steps 10 and 11, and section 8.6).
package enum RDFNumber {
    /// Returns the canonical lexical form of a number, and whether it is that of a double.
    ///
    /// A number without fraction below 10^21 is an integer and is written exactly, by its decimal digits.
    /// Every other number, and every number with datatype `xsd:double`, is a double.
    package static func text(_ number: JSONNumber, asDouble: Bool) -> (text: String, isDouble: Bool) {
        if !asDouble, let integer = integer(number.text) { return (integer, false) }
        return (double(number.double), true)
    }

    /// The exponents for which the digits of a text could still make an integer; no text is long enough for
    /// others. Computing with larger exponents could overflow an `Int`.
    private static let exponents = -(1 << 32)...(1 << 32)

    /// Returns the digits of a number without fraction below 10^21; nil for any other number.
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

    /// Returns the result of `printf("%1.15E")` without padding zeros, such as `5.3E0`.
    static func double(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-INF" : "INF" }
        let sign = value.sign == .minus ? "-" : ""
        if value == 0 { return sign + "0.0E0" }
        var (digits, exponent) = DecimalExpansion(value.magnitude).rounded(to: 16)
        while digits.count > 2, digits.last == 0 { digits.removeLast() }
        let letters = digits.map { Character(Unicode.Scalar(UInt8(ascii: "0") + $0)) }
        if letters.count == 1 { return sign + "\(letters[0]).0E\(exponent)" }
        return sign + "\(letters[0])." + String(letters.dropFirst()) + "E\(exponent)"
    }
}

/// The exact decimal digits of a double, by long multiplication. Doubles are rare in credentials, and a
/// signature needs exact digits.
struct DecimalExpansion {
    /// All decimal digits of the number, most significant first. The first digit is not zero.
    private var digits: [UInt8]
    /// The power of ten that belongs to the first digit.
    private var exponent: Int

    /// Returns the number of powers of two or five by which the digits must be multiplied.
    static func powers(of value: Double) -> Int {
        value.isFinite && value != 0 ? Int(parts(of: value.magnitude).power.magnitude) : 0
    }

    /// Splits a value into whole × 2^power, with an odd whole.
    private static func parts(of value: Double) -> (whole: UInt64, power: Int) {
        // A subnormal number has the smallest exponent and a significand below 1.
        let exponent = value.isNormal ? Int(value.exponent) : -1022
        let whole = value.significandBitPattern | (value.isNormal ? 1 << 52 : 0)
        let zeros = whole.trailingZeroBitCount
        return (whole >> UInt64(zeros), exponent - 52 + zeros)
    }

    /// Expands a positive finite number.
    init(_ value: Double) {
        let (significand, power) = Self.parts(of: value)
        var limbs: [UInt64] = []  // base 10^9, least significant first
        var whole = significand
        while whole > 0 {
            limbs.append(whole % 1_000_000_000)
            whole /= 1_000_000_000
        }
        // A negative power of two means division by 2^n. That is multiplication by 5^n and a shift of the
        // decimal point by n. Each step uses as many factors as keep the product of a limb and the factor
        // below 2^64.
        var left = Int(power.magnitude)
        while left > 0 {
            var factor: UInt64 = 1
            for _ in 0..<min(left, power > 0 ? 33 : 14) { factor *= power > 0 ? 2 : 5 }
            left -= power > 0 ? 33 : 14
            var carry: UInt64 = 0
            for index in limbs.indices {
                let product = limbs[index] * factor + carry
                limbs[index] = product % 1_000_000_000
                carry = product / 1_000_000_000
            }
            while carry > 0 {
                limbs.append(carry % 1_000_000_000)
                carry /= 1_000_000_000
            }
        }
        var text: [UInt8] = []
        for limb in limbs {
            var rest = limb
            for _ in 0..<9 {
                text.append(UInt8(rest % 10))
                rest /= 10
            }
        }
        while text.last == 0 { text.removeLast() }
        digits = text.reversed()
        exponent = digits.count - 1 + min(power, 0)
    }

    /// Returns the first `count` digits, rounded to nearest (ties to even), and the power of ten of the first
    /// digit.
    func rounded(to count: Int) -> (digits: [UInt8], exponent: Int) {
        guard digits.count > count else { return (digits, exponent) }
        var kept = Array(digits[..<count])
        let rest = digits[count...]
        let isAboveHalf = rest.first.map { $0 > 5 || ($0 == 5 && rest.dropFirst().contains { $0 != 0 }) } ?? false
        let isHalf = rest.first == 5 && !rest.dropFirst().contains { $0 != 0 }
        guard isAboveHalf || (isHalf && (kept.last ?? 0) % 2 == 1) else { return (kept, exponent) }
        var index = count - 1
        while index >= 0, kept[index] == 9 {
            kept[index] = 0
            index -= 1
        }
        if index >= 0 {
            kept[index] += 1
            return (kept, exponent)
        }
        return ([1] + kept.dropLast(), exponent + 1)
    }
}
