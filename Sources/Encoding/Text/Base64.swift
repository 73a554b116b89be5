/// Base 64, RFC 4648 sections 4 and 5.
package enum Base64 {
    /// The choice of the 64-letter alphabet, and whether `=` pads the last group.
    package enum Form: Sendable {
        /// The alphabet with `+` and `/`, padded (section 4).
        case standard
        /// The alphabet with `-` and `_`, not padded (section 5, as used by JOSE and multibase `u`).
        case url
    }

    private static let standardAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Returns the text of `bytes` in `form`.
    package static func encode(_ bytes: some Collection<UInt8>, _ form: Form = .url) -> String {
        let alphabet = form == .url ? urlAlphabet : standardAlphabet
        return bytes.withContiguousStorageIfAvailable { encode($0, alphabet, padded: form == .standard) }
            ?? Array(bytes).withUnsafeBufferPointer { encode($0, alphabet, padded: form == .standard) }
    }

    private static func encode(_ bytes: UnsafeBufferPointer<UInt8>, _ alphabet: [UInt8], padded: Bool) -> String {
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
        if padded { while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) } }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes unpadded base64url strictly (RFC 7515 section 2). Returns nil for other letters, for padding, and for
    /// unused bits that are not zero.
    package static func decodeURL(_ text: some StringProtocol) -> [UInt8]? { decodeURL(text.utf8) }

    /// Decodes base64url from ASCII bytes, as ``decodeURL(_:)`` does from text.
    package static func decodeURL(_ letters: some Collection<UInt8>) -> [UInt8]? {
        withBytes(of: letters) { decode($0, urlValues, strict: true) }
    }

    /// Decodes base64url like ``decodeURL(_:)``, but accepts complete padding with `=` (RFC 4648 section 5), because
    /// some wallets write padding. Returns nil for any other text.
    package static func decodePaddedURL(_ letters: some BidirectionalCollection<UInt8>) -> [UInt8]? {
        let padding = letters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding == 0 || padding <= 2 && letters.count.isMultiple(of: 4) else { return nil }
        return decodeURL(letters.dropLast(padding))
    }

    /// Decodes base64 in either alphabet, padded or not, because agents mix the forms. Returns nil for any other text.
    package static func decodeAny(_ text: some StringProtocol) -> [UInt8]? {
        var letters = Array(text.utf8)[...]
        for _ in 0..<2 where letters.last == UInt8(ascii: "=") { letters.removeLast() }
        return withBytes(of: letters) { decode($0, anyValues, strict: false) }
    }

    /// The value of each letter. The value is 255 for a letter of no alphabet.
    private static let urlValues = values(of: [urlAlphabet])
    private static let anyValues = values(of: [urlAlphabet, standardAlphabet])

    private static func values(of alphabets: [[UInt8]]) -> [UInt8] {
        var values = [UInt8](repeating: 255, count: 256)
        for alphabet in alphabets {
            for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        }
        return values
    }

    private static func withBytes(
        of letters: some Collection<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> [UInt8]?
    ) -> [UInt8]? {
        letters.withContiguousStorageIfAvailable(body) ?? Array(letters).withUnsafeBufferPointer(body)
    }

    private static func decode(
        _ letters: UnsafeBufferPointer<UInt8>, _ values: [UInt8], strict: Bool
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count / 4 * 3 + 3)
        var (buffer, bits) = (UInt32(0), 0)
        for letter in letters {
            let value = values[Int(letter)]
            guard value < 64 else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        if bits >= 6 { return nil }  // a group of one letter encodes no byte
        if strict, buffer & (1 << UInt32(bits) - 1) != 0 { return nil }
        return bytes
    }
}
