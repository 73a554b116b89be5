import Encoding

/// A UUID of an attribute type or a service. UUIDs in the Bluetooth base range have a short form (Core Specification
/// Vol 3 Part B 2.5.1).
package struct BluetoothUUID: Hashable, Sendable {
    /// The 16 bytes, most significant first.
    private let high: UInt64
    private let low: UInt64

    private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates the UUID `0000xxxx-0000-1000-8000-00805F9B34FB` from its 16-bit form.
    package init(short: UInt16) {
        self.init(high: UInt64(short) << 32 | 0x1000, low: Self.baseLow)
    }

    /// Reads the usual text of 36 characters in either case; nil for any other text.
    package init?(_ text: String) {
        let characters = Array(text.utf8)
        guard characters.count == 36 else { return nil }
        var digits: [UInt8] = []
        for (index, character) in characters.enumerated() {
            let isDash = [8, 13, 18, 23].contains(index)
            guard isDash == (character == UInt8(ascii: "-")) else { return nil }
            if !isDash { digits.append(character) }
        }
        guard let bytes = Hex.decode(String(decoding: digits, as: UTF8.self)) else { return nil }
        self.init(littleEndian: bytes.reversed())
    }

    /// Reads 2 or 16 bytes, least significant byte first, as in ATT PDUs; nil for any other number of bytes.
    package init?(littleEndian bytes: some Collection<UInt8>) {
        let bytes = bytes.reversed()
        switch bytes.count {
        case 2:
            self.init(short: bytes.reduce(0) { $0 << 8 | UInt16($1) })
        case 16:
            self.init(
                high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
                low: bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) })
        default:
            return nil
        }
    }

    /// The 16-bit short form; nil if the UUID has no short form.
    package var short: UInt16? {
        guard low == Self.baseLow, high & 0xFFFF_0000_FFFF_FFFF == 0x1000 else { return nil }
        return UInt16(truncatingIfNeeded: high >> 32)
    }

    /// The bytes of the UUID in ATT PDUs, least significant byte first: 2 bytes for a UUID with a short form, otherwise
    /// 16.
    var littleEndian: [UInt8] {
        var bytes: [UInt8] = []
        if let short {
            bytes.appendLE(short)
        } else {
            bytes.appendLE(low)
            bytes.appendLE(high)
        }
        return bytes
    }
}

extension BluetoothUUID: CustomStringConvertible {
    /// `0x2902`, or the usual 36 characters in lower case.
    package var description: String {
        if let short { return "0x" + Hex.encode([UInt8(short >> 8), UInt8(short & 0xFF)]) }
        var bytes: [UInt8] = []
        bytes.appendBE(high)
        bytes.appendBE(low)
        let digits = Array(Hex.encode(bytes))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}

/// The attribute types that the server interprets (Core Specification Vol 3 Part G table 3.2; Assigned Numbers 3).
extension BluetoothUUID {
    static let primaryService = BluetoothUUID(short: 0x2800)
    static let secondaryService = BluetoothUUID(short: 0x2801)
    static let characteristic = BluetoothUUID(short: 0x2803)
    static let clientCharacteristicConfiguration = BluetoothUUID(short: 0x2902)
    static let genericAccessService = BluetoothUUID(short: 0x1800)
    static let genericAttributeService = BluetoothUUID(short: 0x1801)
    static let deviceName = BluetoothUUID(short: 0x2A00)
    static let appearance = BluetoothUUID(short: 0x2A01)
    static let serviceChanged = BluetoothUUID(short: 0x2A05)
}
