package import Encoding

/// A decimal number of any size. Comparison is exact: no binary rounding makes two different claims equal.
package struct DecimalNumber: Hashable, Comparable, Sendable {
    /// The sign of the number: −1, 0 or 1.
    private let sign: Int
    /// The significant digits, 0 to 9 each, without zeros at either end.
    private let digits: [UInt8]
    /// The exponent of ten. The value is `sign` × 0.`digits` × 10 to this power.
    private let power: Int

    /// The maximum length of a text that is read as a number, in bytes of UTF-8.
    private static let longest = 1024

    /// Reads a number of JSON (RFC 8259 section 6) or of an xsd numeric type: sign, digits with at most one point,
    /// exponent of at most six digits. Returns nil for a text of more than 1,024 letters and for any other text,
    /// including `INF` and `NaN`.
    package init?(_ text: Text) {
        var letters = Array(text.utf8.prefix(Self.longest + 1))[...]
        guard letters.count <= Self.longest else { return nil }
        var sign = 1
        if let first = letters.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            sign = first == UInt8(ascii: "-") ? -1 : 1
            letters = letters.dropFirst()
        }
        let whole = letters.prefix(while: Self.isDigit)
        letters = letters.dropFirst(whole.count)
        var fraction = letters.prefix(0)
        if letters.first == UInt8(ascii: ".") {
            fraction = letters.dropFirst().prefix(while: Self.isDigit)
            letters = letters.dropFirst(1 + fraction.count)
        }
        guard !whole.isEmpty || !fraction.isEmpty, let exponent = Self.exponent(letters) else { return nil }
        let all = whole + fraction
        let leading = all.prefix { $0 == UInt8(ascii: "0") }.count
        var significant = all.dropFirst(leading)
        while significant.last == UInt8(ascii: "0") { significant = significant.dropLast() }
        if significant.isEmpty {
            (self.sign, digits, power) = (0, [], 0)
        } else {
            self.sign = sign
            digits = significant.map { $0 - UInt8(ascii: "0") }
            power = whole.count - leading + exponent
        }
    }

    /// The number rounded to a double, in the spelling of ECMAScript; nil beyond the range of doubles.
    var asDouble: DecimalNumber? {
        if sign == 0 { return self }
        let text = (sign < 0 ? "-" : "") + "0." + digits.map(String.init).joined() + "e\(power)"
        return Double(text).flatMap { ECMAScriptNumber.text($0) }.flatMap { DecimalNumber(Text($0)) }
    }

    /// Whether a conversion to a double and back preserves the number. The number must be within ±2^53, where no two
    /// integers share a double, and must have at most 15 digits if it is not an integer.
    var isSafe: Bool {
        let isWhole = power >= digits.count
        let isInRange = sign < 0 ? self >= DecimalNumber(-1 << 53) : self <= DecimalNumber(1 << 53)
        return isInRange && (isWhole || digits.count <= 15) && asDouble == self
    }

    /// Creates an integer.
    package init(_ value: Int64) {
        self = Self(Text(String(value))) ?? Self.zero
    }

    private static let zero = DecimalNumber()

    private init() {
        (sign, digits, power) = (0, [], 0)
    }

    package static func < (left: DecimalNumber, right: DecimalNumber) -> Bool {
        guard left.sign == right.sign else { return left.sign < right.sign }
        let (small, large) = left.sign < 0 ? (right, left) : (left, right)
        if small.power != large.power { return small.power < large.power }
        return small.digits.lexicographicallyPrecedes(large.digits)
    }

    /// Returns the exponent that `letters` state, such as `e-3`: 0 for no letters, nil for letters that are not an
    /// exponent.
    private static func exponent(_ letters: ArraySlice<UInt8>) -> Int? {
        guard let mark = letters.first else { return 0 }
        guard mark | 0x20 == UInt8(ascii: "e") else { return nil }
        var rest = letters.dropFirst()
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        guard (1...6).contains(rest.count), rest.allSatisfy(isDigit) else { return nil }
        let value = rest.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return isNegative ? -value : value
    }

    private static func isDigit(_ letter: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(letter) }
}
