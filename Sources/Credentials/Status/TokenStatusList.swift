package import Encoding

/// The decoded entries of an IETF Token Status List (draft-ietf-oauth-status-list section 4). Each entry has 1, 2, 4 or
/// 8 bits. The first entry is in the least significant bits of the first byte.
package struct TokenStatusList: Sendable {
    /// The list has an invalid size of entries, is not encoded as zlib, or inflates beyond the limit.
    package struct Malformed: Error, Hashable, Sendable {}

    /// The number of bits of one entry.
    package let bits: Int
    private let bytes: [UInt8]

    /// Inflates `compressed`, a zlib stream (RFC 1950).
    package init(bits: Int, compressed: [UInt8], limits: Limits = Limits()) throws(Malformed) {
        guard [1, 2, 4, 8].contains(bits) else { throw Malformed() }
        self.bits = bits
        do throws(Gzip.Failure) {
            bytes = try Gzip.inflate(compressed, container: .zlib, limit: limits.statusListBytes)
        } catch { throw Malformed() }
    }

    /// Reads the `status_list` claim of a JWT (section 4.2): `bits`, and `lst` in base64url without padding.
    package init(_ json: JSON?, limits: Limits = Limits()) throws(Malformed) {
        guard let bits = json?["bits"]?.int, let list = json?["lst"]?.string,
            let compressed = Base64.decodeURL(list.string)
        else { throw Malformed() }
        try self.init(bits: bits, compressed: compressed, limits: limits)
    }

    /// Reads the claim 65533 of a CWT (section 4.3): `bits` and `lst`, a byte string.
    package init(_ cbor: CBOR?, limits: Limits = Limits()) throws(Malformed) {
        guard let cbor, let number = cbor["bits"]?.unsigned, let bits = Int(exactly: number),
            let list = cbor["lst"]?.bytes
        else { throw Malformed() }
        try self.init(bits: bits, compressed: Array(list), limits: limits)
    }

    /// The number of entries, including the entries that only fill the last byte.
    package var count: Int { bytes.count * (8 / bits) }

    /// Returns the status of an entry; nil beyond the end.
    package subscript(index: Int) -> UInt8? {
        guard index >= 0, index < count else { return nil }
        let perByte = 8 / bits
        let shifted = bytes[index / perByte] >> UInt8(index % perByte * bits)
        return bits == 8 ? shifted : shifted & (1 << UInt8(bits) - 1)
    }
}
