import Encoding

/// A Bluetooth device address: 48 bits, public or random (Core Specification Vol 6 Part B 1.3).
package struct DeviceAddress: Hashable, Sendable {
    /// The 6 bytes of the address, least significant byte first, as in HCI packets.
    package let bytes: [UInt8]
    /// Whether the address is random (static or private). Otherwise the address is public.
    package let isRandom: Bool

    /// Creates an address from 6 bytes, least significant byte first. Missing bytes are zero; surplus bytes are
    /// ignored.
    package init(bytes: some Collection<UInt8>, isRandom: Bool) {
        let bytes = [UInt8](bytes.prefix(6))
        self.bytes = bytes + [UInt8](repeating: 0, count: 6 - bytes.count)
        self.isRandom = isRandom
    }
}

extension DeviceAddress: CustomStringConvertible {
    /// The address in the usual notation, most significant byte first: `70:81:94:0d:fb:aa`.
    package var description: String {
        bytes.reversed().map { Hex.encode([$0]) }.joined(separator: ":")
    }
}
