package import Encoding

/// The decoded bits of a Bitstring Status List 1.0 (or StatusList2021) credential.
package struct BitstringStatusList: Sendable {
    /// The list cannot be used.
    package struct Malformed: Error, Hashable, Sendable {}

    private let bits: [UInt8]

    /// Entries of one bit.
    package var count: Int { bits.count * 8 }

    /// Decodes `encodedList`: base64url of gzip, after a multibase `u` or, as StatusList2021 and MOSIP write it, without.
    package init(encoded: Text, limits: Limits = Limits()) throws(Malformed) {
        let text = encoded.string
        // gzip starts with 1F 8B 08, in base64url "H4sI": a list with multibase prefix starts with "uH4sI".
        let digits = encoded.hasPrefix("u") ? text.dropFirst() : text[...]
        guard let compressed = Base64.decodeURL(digits) ?? Base64.decodeAny(digits) else { throw Malformed() }
        do throws(Gzip.Failure) {
            bits = try Gzip.inflate(compressed, limit: limits.statusListBytes)
        } catch { throw Malformed() }
        guard bits.count * 8 >= limits.statusListEntries else { throw Malformed() }
    }

    /// Whether the bit of that index is set, counted from the most significant bit of the first byte; nil beyond the end.
    package subscript(index: Int) -> Bool? {
        guard index >= 0, index / 8 < bits.count else { return nil }
        return bits[index / 8] & (0x80 >> UInt8(index % 8)) != 0
    }

    /// The indices whose bit is set, in order.
    package var set: [Int] { (0..<count).filter { self[$0] == true } }
}
