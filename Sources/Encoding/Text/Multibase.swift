/// Self-describing base encodings (Multibase, W3C Controlled Identifiers section 2.4): `z` base58btc, `u` base64url.
package enum Multibase {
    /// Returns the bytes of a `z…` or `u…` text; nil for another prefix, a letter outside the alphabet, or more than
    /// `maxLength` letters.
    package static func decode(_ text: some StringProtocol, maxLength: Int = 4096) -> [UInt8]? {
        guard text.utf8.count <= maxLength else { return nil }
        // Drop the prefix as a byte. Swift joins the prefix and a following combining mark to one character, and would
        // drop both.
        let digits = String(decoding: text.utf8.dropFirst(), as: UTF8.self)
        switch text.utf8.first {
        case UInt8(ascii: "z"): return Base58.decode(digits, maxLength: maxLength)
        case UInt8(ascii: "u"): return Base64.decodeURL(digits)
        default: return nil
        }
    }

    /// Returns `z` and the base58btc text of `bytes`.
    package static func encodeBase58(_ bytes: some Collection<UInt8>) -> String { "z" + Base58.encode(bytes) }

    /// Returns `u` and the unpadded base64url text of `bytes`.
    package static func encodeBase64URL(_ bytes: some Collection<UInt8>) -> String { "u" + Base64.encode(bytes, .url) }
}

/// Unsigned LEB128 numbers of the multiformats project: at most 9 bytes, in the shortest form.
package enum UnsignedVarint {
    /// Returns the bytes of `value`, 7 bits each, least significant first.
    package static func encode(_ value: UInt64) -> [UInt8] {
        var (rest, bytes) = (value, [UInt8]())
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    /// Returns the number at the start of `bytes` and the remaining bytes; nil if the number is truncated, longer than
    /// 9 bytes, or not in the shortest form.
    package static func decode(_ bytes: ArraySlice<UInt8>) -> (value: UInt64, rest: ArraySlice<UInt8>)? {
        var value: UInt64 = 0
        for (count, byte) in bytes.prefix(9).enumerated() {
            value |= UInt64(byte & 0x7F) << UInt64(7 * count)
            if byte & 0x80 == 0 {
                if byte == 0, count > 0 { return nil }
                return (value, bytes.dropFirst(count + 1))
            }
        }
        return nil
    }
}
