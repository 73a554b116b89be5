import Crypto
import CryptoExtras

/// Makes resolvable private addresses (Core Specification Vol 6 Part B 1.3.2.2).
///
/// Without the identity key, no device can resolve the addresses. If the key is discarded, phones see ordinary
/// addresses, and nothing connects the addresses of two visits.
package enum ResolvablePrivateAddress {
    /// The error for a key that does not have 16 bytes or a random part that does not have 3 bytes.
    package struct WrongSize: Error, Equatable, Sendable {}

    /// Returns the address for an identity resolving key of 16 bytes and 3 random bytes, both most significant byte
    /// first.
    ///
    /// The type mark 01 replaces the two highest bits of `random`. The specification forbids that the remaining 22 bits
    /// are all equal; in that case the lowest bit is inverted.
    package static func make(identityKey: [UInt8], random: [UInt8]) throws(WrongSize) -> DeviceAddress {
        guard random.count == 3 else { throw WrongSize() }
        var prand = UInt32(random[0] & 0x3F) << 16 | UInt32(random[1]) << 8 | UInt32(random[2])
        if prand == 0 || prand == 0x3FFFFF { prand ^= 1 }
        prand |= 0x400000
        let bytes = [UInt8(prand >> 16 & 0xFF), UInt8(prand >> 8 & 0xFF), UInt8(prand & 0xFF)]
        let hash = try hash(identityKey: identityKey, random: bytes)
        return DeviceAddress(bytes: (bytes + hash).reversed(), isRandom: true)
    }

    /// The random address hash function `ah` (Vol 3 Part H 2.2.2): the 3 least significant bytes of AES-128 over the
    /// zero-padded random part. All values begin with the most significant byte.
    static func hash(identityKey: [UInt8], random: [UInt8]) throws(WrongSize) -> [UInt8] {
        guard identityKey.count == 16, random.count == 3 else { throw WrongSize() }
        var block = [UInt8](repeating: 0, count: 13) + random
        do {
            try AES.permute(&block, key: SymmetricKey(data: identityKey))
        } catch {
            throw WrongSize()  // AES throws no other error.
        }
        return [UInt8](block.suffix(3))
    }
}
