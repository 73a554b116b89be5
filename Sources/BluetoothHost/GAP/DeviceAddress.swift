import Encoding

/// A Bluetooth device address: 48 bits, public or random (Core Specification Vol 6 Part B 1.3).
package struct DeviceAddress: Hashable, Sendable {
    /// Always 6 bytes, least significant first, as HCI carries them.
    package let bytes: [UInt8]
    /// Whether it is a random address (static or private) rather than a public one.
    package let isRandom: Bool

    /// An address from 6 bytes in the order of HCI, least significant first. Missing bytes are zero, surplus ones are cut.
    package init(bytes: some Collection<UInt8>, isRandom: Bool) {
        let bytes = [UInt8](bytes.prefix(6))
        self.bytes = bytes + [UInt8](repeating: 0, count: 6 - bytes.count)
        self.isRandom = isRandom
    }
}

extension DeviceAddress: CustomStringConvertible {
    /// Most significant byte first, as people write it: `70:81:94:0d:fb:aa`.
    package var description: String {
        bytes.reversed().map { Hex.encode([$0]) }.joined(separator: ":")
    }
}
