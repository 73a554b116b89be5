/// Version 4 UUIDs (RFC 9562 section 5.4). The caller supplies the random bytes, because deterministic cores have no
/// random source.
package enum RandomUUID {
    /// Returns the lower-case text of the UUID made from the first 16 bytes of `random`; nil if `random` has fewer
    /// bytes.
    package static func text(_ random: [UInt8]) -> String? {
        guard random.count >= 16 else { return nil }
        var bytes = Array(random.prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hex = Array(Hex.encode(bytes))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(hex[$0]) }.joined(separator: "-")
    }
}
