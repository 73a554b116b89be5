/// Base 58 in the Bitcoin alphabet, as used by DIDs, verkeys and multibase `z`. The conversion takes time quadratic in
/// the length, so decoding checks a length limit first.
package enum Base58 {
    private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)
    private static let values: [Int8] = {
        var table = [Int8](repeating: -1, count: 256)
        for (value, letter) in alphabet.enumerated() { table[Int(letter)] = Int8(value) }
        return table
    }()

    /// Returns the text of `bytes`. Each leading zero byte becomes a leading `1`.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var digits: [UInt8] = []  // least significant first
        for byte in bytes.drop(while: { $0 == 0 }) {
            var carry = Int(byte)
            for index in digits.indices {
                carry += Int(digits[index]) << 8
                digits[index] = UInt8(carry % 58)
                carry /= 58
            }
            while carry > 0 {
                digits.append(UInt8(carry % 58))
                carry /= 58
            }
        }
        let zeros = [UInt8](repeating: alphabet[0], count: bytes.prefix { $0 == 0 }.count)
        return String(decoding: zeros + digits.reversed().map { alphabet[Int($0)] }, as: UTF8.self)
    }

    /// Returns the bytes of `text`; nil for a letter outside the alphabet or for more than `maxLength` letters.
    package static func decode(_ text: some StringProtocol, maxLength: Int = 4096) -> [UInt8]? {
        let letters = Array(text.utf8)
        guard letters.count <= maxLength else { return nil }
        let digits = letters.drop { $0 == alphabet[0] }
        // Convert five letters at a time: the product of a limb and 58^5, plus the carry, fits into 64 bits.
        var limbs: [UInt32] = []  // least significant first
        var index = digits.startIndex
        while index < digits.endIndex {
            var (carry, factor) = (0 as UInt64, 1 as UInt64)
            for letter in digits[index...].prefix(5) {
                guard values[Int(letter)] >= 0 else { return nil }
                carry = carry * 58 + UInt64(values[Int(letter)])
                factor *= 58
            }
            for limb in limbs.indices {
                carry += UInt64(limbs[limb]) * factor
                limbs[limb] = UInt32(truncatingIfNeeded: carry)
                carry >>= 32
            }
            if carry > 0 { limbs.append(UInt32(truncatingIfNeeded: carry)) }
            index += min(5, digits.endIndex - index)
        }
        var bytes = [UInt8](repeating: 0, count: letters.count - digits.count)
        let zeros = bytes.count
        bytes.reserveCapacity(zeros + 4 * limbs.count)
        for limb in limbs.reversed() {
            for shift: UInt32 in [24, 16, 8, 0] {
                let byte = UInt8(truncatingIfNeeded: limb >> shift)
                if byte != 0 || bytes.count > zeros { bytes.append(byte) }
            }
        }
        return bytes
    }
}
