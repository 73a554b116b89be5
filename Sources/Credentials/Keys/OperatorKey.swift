import CSodium
import Crypto
package import Encoding

/// The Ed25519 key by which a gate identifies its operator. The installer pins the key on the gate.
package struct OperatorKey: Hashable, Sendable {
    /// The key (RFC 8032 section 5.1.5), 32 bytes.
    package let bytes: [UInt8]

    /// Reads a Multikey (`z6Mk…`), with or without the prefix `did:key:`; nil if it is not an Ed25519 key.
    package init?(_ text: Text) {
        let prefix: Text = "did:key:"
        let value = Text(
            String(decoding: text.utf8.dropFirst(text.hasPrefix(prefix) ? prefix.utf8.count : 0), as: UTF8.self))
        guard value.hasPrefix("z"), case .ed25519(let bytes) = try? KeyEncoding.multibase(value) else { return nil }
        self.bytes = bytes
    }

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The key as a Multikey.
    package var text: String { Multibase.encodeBase58([0xED, 0x01] + bytes) }

    func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        bytes.count == 32 && signature.count == 64
            && crypto_sign_verify_detached(signature, message, UInt64(message.count), bytes) == 0
    }
}

/// The operator's private key. The key is on the machine that makes bundles, never on a gate.
package struct OperatorSigningKey: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    /// Creates the key from 32 random bytes; nil for any other number of bytes.
    package init?(seed: [UInt8]) {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else { return nil }
        self.key = key
    }

    /// Reads PEM (`PRIVATE KEY`, RFC 8410), as written by this program and by `openssl genpkey -algorithm ed25519`.
    package init?(pem: [UInt8]) {
        let lines = pem.split { [0x0A, 0x0D].contains($0) }.map { String(decoding: $0, as: UTF8.self) }
        guard lines.count == 3, lines[0] == Self.begin, lines[2] == Self.end,
            let der = Base64.decodeAny(lines[1]), der.count == 48, der.starts(with: Self.prefix)
        else { return nil }
        self.init(seed: Array(der.dropFirst(Self.prefix.count)))
    }

    /// The key in PEM.
    package var pem: String {
        let der = Self.prefix + key.rawRepresentation
        return [Self.begin, Base64.encode(der, .standard), Self.end].joined(separator: "\n") + "\n"
    }

    /// The public key.
    package var publicKey: OperatorKey { OperatorKey(bytes: Array(key.publicKey.rawRepresentation)) }

    func signature(over message: [UInt8]) -> [UInt8]? { (try? key.signature(for: message)).map(Array.init) }

    private static let begin = "-----BEGIN PRIVATE KEY-----"
    private static let end = "-----END PRIVATE KEY-----"
    /// The bytes before the seed in the PKCS #8 encoding of an Ed25519 key (RFC 8410 section 7).
    private static let prefix: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]
}
