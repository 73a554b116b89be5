/// Base 58 in the Bitcoin alphabet, as DIDs, verkeys and multibase `z` write it.
///
/// The conversion costs the square of the length, so decoding takes a limit before it does any work.
package enum Base58 {
    private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)
    private static let values: [Int8] = {
        var table = [Int8](repeating: -1, count: 256)
        for (value, letter) in alphabet.enumerated() { table[Int(letter)] = Int8(value) }
        return table
    }()

    /// The text of `bytes`; each leading zero byte is one leading `1`.
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

    /// The bytes of `text`, or nil for a letter outside the alphabet or more than `maxLength` letters.
    package static func decode(_ text: some StringProtocol, maxLength: Int = 4096) -> [UInt8]? {
        let letters = Array(text.utf8)
        guard letters.count <= maxLength else { return nil }
        var bytes: [UInt8] = []  // least significant first
        for letter in letters.drop(while: { $0 == alphabet[0] }) {
            var carry = Int(values[Int(letter)])
            guard carry >= 0 else { return nil }
            for index in bytes.indices {
                carry += Int(bytes[index]) * 58
                bytes[index] = UInt8(carry & 0xFF)
                carry >>= 8
            }
            while carry > 0 {
                bytes.append(UInt8(carry & 0xFF))
                carry >>= 8
            }
        }
        return [UInt8](repeating: 0, count: letters.prefix { $0 == alphabet[0] }.count) + bytes.reversed()
    }
}
