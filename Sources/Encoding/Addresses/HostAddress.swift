import Glibc

/// An IP address, for example the result of a name lookup.
package struct HostAddress: Hashable, Sendable {
    /// The address: 4 bytes (IPv4) or 16 (IPv6), most significant first.
    package let bytes: [UInt8]

    /// Creates an address of 4 or 16 bytes; nil for any other number of bytes.
    package init?(bytes: [UInt8]) {
        guard [4, 16].contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Reads an address (RFC 5952, RFC 6943 section 3.1.1 strict); nil for any other text, such as a name.
    package init?(_ text: String) {
        // `inet_pton` would stop at a zero byte.
        guard !text.utf8.contains(0) else { return nil }
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            bytes = withUnsafeBytes(of: v4, Array.init)
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            bytes = withUnsafeBytes(of: v6, Array.init)
        } else {
            return nil
        }
    }

    /// The address as text.
    package var text: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// Whether the address belongs to the public Internet. Not public are the addresses of private and local networks,
    /// of this machine and of a link, and the addresses reserved for documentation, benchmarks, multicast or future
    /// use (IANA special-purpose registries). For an IPv6 address that contains an IPv4 address, the IPv4 address
    /// determines the result.
    package var isPublic: Bool { bytes.count == 4 ? Self.isPublic(v4: bytes) : Self.isPublic(v6: bytes) }

    /// Whether the address is a loopback address: 127.0.0.0/8 (RFC 1122) or ::1 (RFC 4291).
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// A network: the first bytes of its addresses, and the number of significant bits.
    private typealias Network = (prefix: [UInt8], bits: Int)

    private static func isPublic(v4 bytes: [UInt8]) -> Bool { !reservedV4.contains { contains($0, bytes) } }

    private static func isPublic(v6 bytes: [UInt8]) -> Bool {
        // Packets to ::ffff:a.b.c.d or 64:ff9b::a.b.c.d go to the IPv4 address in it.
        if wrappingV6.contains(where: { contains($0, bytes) }) { return isPublic(v4: Array(bytes.suffix(4))) }
        return contains(globalUnicast, bytes) && !reservedV6.contains { contains($0, bytes) }
    }

    private static func contains(_ network: Network, _ address: [UInt8]) -> Bool {
        var bits = network.bits
        for (want, have) in zip(network.prefix, address) where bits > 0 {
            let mask: UInt8 = bits >= 8 ? 0xFF : ~(0xFF >> UInt8(bits))
            if want & mask != have & mask { return false }
            bits -= 8
        }
        return true
    }

    private static let reservedV4: [Network] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
        ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
        ([203, 0, 113], 24), ([224], 4), ([240], 4),
    ]
    private static let wrappingV6: [Network] = [
        ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96), ([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], 96),
    ]
    /// The addresses assigned for the Internet, 2000::/3. All others (::1, fc00::/7, fe80::/10, ff00::/8, …) are not
    /// public.
    private static let globalUnicast: Network = ([0x20], 3)
    /// The parts of 2000::/3 that are not public: protocols (including Teredo and ORCHID), documentation, 6to4, and a
    /// second range for documentation.
    private static let reservedV6: [Network] = [
        ([0x20, 0x01, 0x00, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16), ([0x3F, 0xFF, 0x00], 20),
    ]
}
