import Encoding

/// The name and public key that a verifier shows to wallets, in the advertisement and as the text of a QR code.
///
/// The wallet compares the name and the first 5 key bytes in the advertisement with those in the QR code, and then uses
/// the key from the advertisement. The comparison authenticates only 40 bits, which is a known weakness of the
/// protocol. Keys therefore have a short lifetime.
package struct Invitation: Hashable, Sendable {
    /// The name of the verifier.
    package let identifier: Identifier
    /// The X25519 public key, 32 bytes.
    package let publicKey: [UInt8]

    /// Creates the invitation to a session with `key`.
    package init(identifier: Identifier, key: VerifierKey) {
        self.init(identifier: identifier, publicKey: key.publicKey)
    }

    init(identifier: Identifier, publicKey: [UInt8]) {
        self.identifier = identifier
        self.publicKey = publicKey
    }

    /// Returns the payload of the advertising PDU (ADV_IND) for wallets of `generation`, at most 31 bytes: flags, the
    /// service's UUID, and the service data (name, `_`, first 5 key bytes). Wallets match the service data byte for
    /// byte and filter by the UUID list. The data of two generations does not fit into one PDU.
    package func advertisingData(for generation: Generation) -> [UInt8] {
        let generalDiscoverableLEOnly: UInt8 = 0x06
        let uuid = Self.littleEndian(generation.serviceUUID)
        return Self.structure(.flags, [generalDiscoverableLEOnly])
            + Self.structure(.completeListOf16BitUUIDs, uuid)
            + Self.structure(
                .serviceData16, uuid + identifier.bytes + [UInt8(ascii: "_")] + publicKey.prefix(5))
    }

    /// Returns the payload of the scan response for wallets of `generation`, exactly 31 bytes, with the remaining 27
    /// key bytes.
    ///
    /// The scan response must be on the air together with ``advertisingData(for:)``: an iPhone that receives only the
    /// scan response crashes.
    package func scanResponseData(for generation: Generation) -> [UInt8] {
        Self.structure(
            .serviceData16, Self.littleEndian(generation.scanResponseUUID) + publicKey.dropFirst(5))
    }

    /// The text of the QR code. Wallets accept only a scheme in upper case followed by `://`.
    package var uri: String {
        "OPENID4VP://connect?name=\(Self.percentEncoded(identifier.bytes))&key=\(Hex.encode(publicKey))"
    }

    /// AD types, Assigned Numbers 2.3.
    private enum ADType: UInt8 {
        case flags = 0x01
        case completeListOf16BitUUIDs = 0x03
        case serviceData16 = 0x16
    }

    /// Returns one AD structure: length, type, value (Core Specification Vol 3 Part C 11). All values are far below 255
    /// bytes.
    private static func structure(_ type: ADType, _ value: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value.count + 1), type.rawValue] + value
    }

    private static func littleEndian(_ value: UInt16) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLE(value)
        return bytes
    }

    /// Escapes all characters except the unreserved characters of RFC 2396 section 2.3, like Android's URI builder. A
    /// space becomes `%20`, because phones interpret `+` differently.
    private static func percentEncoded(_ bytes: [UInt8]) -> String {
        let unreserved = Array("-_.!~*'()".utf8)
        return bytes.map { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                String(Unicode.Scalar(byte))
            case _ where unreserved.contains(byte): String(Unicode.Scalar(byte))
            default: "%" + Hex.encode([byte]).uppercased()
            }
        }.joined()
    }
}
