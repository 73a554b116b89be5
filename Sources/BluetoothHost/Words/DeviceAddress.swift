import Encoding

/// A Bluetooth device address: 48 bits, public or random (Core Specification Vol 6 Part B 1.3).
package struct DeviceAddress: Hashable, Sendable {
    /// The address: always 6 bytes, least significant byte first, as in HCI packets.
    package let bytes: [UInt8]
    /// Whether the address is random (static or private) rather than public.
    package let isRandom: Bool

    /// Creates an address from 6 bytes in the order of HCI, least significant byte first. Missing bytes are
    /// zero; surplus bytes are cut.
    package init(bytes: some Collection<UInt8>, isRandom: Bool) {
        let bytes = [UInt8](bytes.prefix(6))
        self.bytes = bytes + [UInt8](repeating: 0, count: 6 - bytes.count)
        self.isRandom = isRandom
    }
}

extension DeviceAddress: CustomStringConvertible {
    /// The address with its most significant byte first, as people write it: `70:81:94:0d:fb:aa`.
    package var description: String {
        bytes.reversed().map { Hex.encode([$0]) }.joined(separator: ":")
    }
}
