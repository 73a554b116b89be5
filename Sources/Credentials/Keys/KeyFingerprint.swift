import CLibcrypto
import Crypto
import CryptoExtras
package import Encoding

/// The identity of a public key: the SHA-256 of its SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7, DER, points
/// uncompressed), as in the pins of RFC 7469. All encodings of a key have the same fingerprint. `openssl pkey -pubin
/// -outform DER | sha256sum` prints the fingerprint.
package struct KeyFingerprint: Hashable, Sendable {
    /// The fingerprint, 32 bytes.
    package let bytes: [UInt8]

    /// Reads `sha256:` and 64 hexadecimal digits; nil for any other text.
    package init?(_ text: Text) {
        guard text.hasPrefix("sha256:"), let bytes = Hex.decode(text.string.dropFirst(7)), bytes.count == 32 else {
            return nil
        }
        self.bytes = bytes
    }

    /// Computes the fingerprint of a key; nil if the point of the key is not on the curve. Such a key cannot sign.
    package init?(_ key: PublicKey) {
        guard let info = Self.subjectPublicKeyInfo(key) else { return nil }
        bytes = Digest.sha256(info)
    }

    /// Computes the fingerprint of a SubjectPublicKeyInfo from a certificate.
    package init(subjectPublicKeyInfo: [UInt8]) {
        bytes = Digest.sha256(subjectPublicKeyInfo)
    }

    /// The text form used in `issuers.toml`.
    package var text: String { "sha256:" + Hex.encode(bytes) }

    private static func subjectPublicKeyInfo(_ key: PublicKey) -> [UInt8]? {
        switch key {
        case .ed25519(let bytes): return ed25519Prefix + bytes
        case .rsa(let key): return Array(key.key.derRepresentation)
        case .ellipticCurve(.p256, let point):
            let key =
                point.count == 33
                ? try? P256.Signing.PublicKey(compressedRepresentation: point)
                : try? P256.Signing.PublicKey(x963Representation: point)
            return key.map { Array($0.derRepresentation) }
        case .ellipticCurve(.p384, let point):
            let key =
                point.count == 49
                ? try? P384.Signing.PublicKey(compressedRepresentation: point)
                : try? P384.Signing.PublicKey(x963Representation: point)
            return key.map { Array($0.derRepresentation) }
        case .ellipticCurve(.secp256k1, let point): return uncompressed(point).map { secp256k1Prefix + $0 }
        }
    }

    private static func uncompressed(_ point: [UInt8]) -> [UInt8]? {
        guard let key = libcrypto_ec_public_key("secp256k1", point, point.count) else { return nil }
        defer { EVP_PKEY_free(key) }
        var result: [UInt8] = [4]
        for name in ["qx", "qy"] {  // OSSL_PKEY_PARAM_EC_PUB_X and _Y
            var number: OpaquePointer?
            guard EVP_PKEY_get_bn_param(key, name, &number) == 1 else { return nil }
            defer { BN_free(number) }
            var coordinate = [UInt8](repeating: 0, count: 32)
            guard BN_bn2binpad(number, &coordinate, 32) == 32 else { return nil }
            result += coordinate
        }
        return result
    }

    /// The bytes before the key in a SubjectPublicKeyInfo for Ed25519 (RFC 8410 section 4).
    private static let ed25519Prefix: [UInt8] = [
        0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]
    /// The bytes before the uncompressed point in a SubjectPublicKeyInfo for secp256k1 (RFC 5480, SEC 2).
    private static let secp256k1Prefix: [UInt8] = [
        0x30, 0x56, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05, 0x2B, 0x81, 0x04,
        0x00, 0x0A, 0x03, 0x42, 0x00,
    ]
}
