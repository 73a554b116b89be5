/// Base 64, RFC 4648 sections 4 and 5.
package enum Base64 {
    /// Which of the two 64-letter alphabets, and whether `=` fills the last group.
    package enum Form: Sendable {
        /// `+` and `/`, padded (section 4).
        case standard
        /// `-` and `_`, not padded (section 5, as JOSE and multibase `u` write it).
        case url
    }

    private static let standardAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The text of `bytes` in `form`.
    package static func encode(_ bytes: some Collection<UInt8>, _ form: Form = .url) -> String {
        let alphabet = form == .url ? urlAlphabet : standardAlphabet
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var (buffer, bits) = (UInt32(0), 0)
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(buffer >> UInt32(bits)) & 63])
            }
        }
        if bits > 0 { text.append(alphabet[Int(buffer << UInt32(6 - bits)) & 63]) }
        if form == .standard { while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) } }
        return String(decoding: text, as: UTF8.self)
    }

    /// Strict decoding of unpadded base64url (RFC 7515 section 2): no other letter, no padding, unused bits zero; else nil.
    package static func decodeURL(_ text: some StringProtocol) -> [UInt8]? {
        decode(text.utf8, strict: true) { letter in
            switch letter {
            case UInt8(ascii: "-"): 62
            case UInt8(ascii: "_"): 63
            default: nil
            }
        }
    }

    /// Forgiving decoding for agents that mix forms: either alphabet, padded or not; else nil.
    package static func decodeAny(_ text: some StringProtocol) -> [UInt8]? {
        var letters = Array(text.utf8)[...]
        for _ in 0..<2 where letters.last == UInt8(ascii: "=") { letters.removeLast() }
        return decode(letters, strict: false) { letter in
            switch letter {
            case UInt8(ascii: "-"), UInt8(ascii: "+"): 62
            case UInt8(ascii: "_"), UInt8(ascii: "/"): 63
            default: nil
            }
        }
    }

    private static func decode(
        _ letters: some Collection<UInt8>, strict: Bool, _ special: (UInt8) -> UInt32?
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count * 3 / 4)
        var (buffer, bits) = (UInt32(0), 0)
        for letter in letters {
            let value: UInt32
            switch letter {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(letter - UInt8(ascii: "A"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(letter - UInt8(ascii: "a")) + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(letter - UInt8(ascii: "0")) + 52
            default:
                guard let other = special(letter) else { return nil }
                value = other
            }
            buffer = buffer << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        if bits >= 6 { return nil }  // a group of one letter carries no byte
        if strict, buffer & (1 << UInt32(bits) - 1) != 0 { return nil }
        return bytes
    }
}
