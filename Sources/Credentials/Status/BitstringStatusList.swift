package import Encoding

/// The decoded bits of a Bitstring Status List 1.0 (or StatusList2021) credential.
package struct BitstringStatusList: Sendable {
    /// The list is not gzip in base64url, is too short, or inflates beyond the limit.
    package struct Malformed: Error, Hashable, Sendable {}

    private let bits: [UInt8]

    /// The number of entries, if each entry has one bit.
    package var count: Int { bits.count * 8 }

    /// Decodes `encodedList`: base64url of one gzip member. The multibase prefix `u` may be missing, as in
    /// StatusList2021 and MOSIP's lists.
    package init(encoded: Text, limits: Limits = Limits()) throws(Malformed) {
        // A gzip stream begins with 1F 8B 08, "H4sI" in base64url. A list with multibase prefix therefore begins with
        // "uH4sI", and a first "u" is always the prefix.
        let digits = String(decoding: encoded.utf8.dropFirst(encoded.hasPrefix("u") ? 1 : 0), as: UTF8.self)
        guard let compressed = Base64.decodeURL(digits) ?? Base64.decodeAny(digits) else { throw Malformed() }
        do throws(Gzip.Failure) {
            bits = try Gzip.inflate(compressed, container: .gzipMember, limit: limits.statusListBytes)
        } catch { throw Malformed() }
        guard bits.count * 8 >= limits.statusListEntries else { throw Malformed() }
    }

    /// Returns whether the bit at an index is set; nil beyond the end of the list. Index 0 is the most significant bit
    /// of the first byte.
    package subscript(index: Int) -> Bool? { value(at: index, size: 1).map { $0 != 0 } }

    /// Returns the status of an entry of `size` bits (1 to 8); nil beyond the end of the list. The leftmost bit is the
    /// most significant.
    package func value(at index: Int, size: Int) -> UInt8? {
        guard (1...8).contains(size), index >= 0, index < count / size else { return nil }
        let first = index * size
        var value: UInt8 = 0
        for position in first..<first + size {
            let isSet = bits[position / 8] & (0x80 >> UInt8(position % 8)) != 0
            value = value << 1 | (isSet ? 1 : 0)
        }
        return value
    }
}
