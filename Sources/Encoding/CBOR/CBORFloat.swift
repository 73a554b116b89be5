/// The three widths of floating-point numbers in CBOR (RFC 8949 section 3.3 and appendix D).
enum CBORFloat {
    /// Returns the value of an IEEE 754 binary16 number. Some platforms have no type for such numbers.
    static func value(half bits: UInt16) -> Double {
        let sign = UInt64(bits >> 15) << 63
        let exponent = Int(bits >> 10 & 31)
        let fraction = UInt64(bits & 0x3FF)
        switch exponent {
        case 0:
            // Zero and subnormal numbers: multiples of 2^−24.
            let magnitude = Double(fraction) * 0x1p-24
            return sign == 0 ? magnitude : -magnitude
        case 31: return Double(bitPattern: sign | 0x7FF << 52 | fraction << 42)
        default: return Double(bitPattern: sign | UInt64(exponent - 15 + 1023) << 52 | fraction << 42)
        }
    }

    /// Appends the shortest form that preserves the value or, for NaN, the payload.
    static func append(_ value: Double, to output: inout [UInt8]) {
        if let half = half(value) {
            output.append(0xF9)
            output.appendBE(half)
        } else if let single = single(value) {
            output.append(0xFA)
            output.appendBE(single)
        } else {
            output.append(0xFB)
            output.appendBE(value.bitPattern)
        }
    }

    private static func single(_ value: Double) -> UInt32? {
        let single = Float(value).bitPattern
        return Double(Float(bitPattern: single)).bitPattern == value.bitPattern ? single : nil
    }

    private static func half(_ value: Double) -> UInt16? {
        let sign = UInt16(truncatingIfNeeded: value.bitPattern >> 63) << 15
        let exponent = Int(value.bitPattern >> 52 & 0x7FF) - 1023
        let fraction = UInt16(truncatingIfNeeded: value.bitPattern >> 42 & 0x3FF)
        let bits: UInt16 =
            switch exponent {
            case 1024: sign | 31 << 10 | fraction
            case -14...15: sign | UInt16(truncatingIfNeeded: exponent + 15) << 10 | fraction
            case -24 ..< -14: sign | UInt16(truncatingIfNeeded: Int((value.magnitude * 0x1p24).rounded(.towardZero)))
            default: sign
            }
        return self.value(half: bits).bitPattern == value.bitPattern ? bits : nil
    }
}
