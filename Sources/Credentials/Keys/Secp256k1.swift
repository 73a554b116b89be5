import CLibcrypto

/// ECDSA on secp256k1 with SHA-256 (ES256K, RFC 8812) by the system's libcrypto. No Swift package offers this curve.
enum Secp256k1 {
    /// Returns whether a raw r‖s signature of 64 bytes is valid. The point is in SEC 1 encoding, compressed or not.
    /// Throws if the point is not on the curve.
    static func verify(
        _ signature: [UInt8], over message: [UInt8], point: [UInt8]
    ) throws(ECDSA.NoPoint) -> Bool {
        // libcrypto checks that the point is on the curve, but would accept the point at infinity and the hybrid form.
        guard (point.count == 33 && [2, 3].contains(point[0])) || (point.count == 65 && point[0] == 4),
            let key = libcrypto_ec_public_key("secp256k1", point, point.count)
        else { throw ECDSA.NoPoint() }
        defer { EVP_PKEY_free(key) }
        guard let der = derSignature(signature), let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
            && EVP_DigestVerify(context, der, der.count, message, message.count) == 1
    }

    /// Encodes `SEQUENCE { INTEGER r, INTEGER s }` in DER; nil unless `raw` has 64 bytes with r and s in 1 to n − 1.
    private static func derSignature(_ raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 64 else { return nil }
        var content: [UInt8] = []
        for half in [raw.prefix(32), raw.suffix(32)] {
            guard half.contains(where: { $0 != 0 }), half.lexicographicallyPrecedes(order) else { return nil }
            let digits = half.drop { $0 == 0 }
            let sign: [UInt8] = (digits.first ?? 0) >= 0x80 ? [0] : []
            content += [0x02, UInt8(truncatingIfNeeded: sign.count + digits.count)] + sign + digits
        }
        // At most 2 · (2 + 33) bytes, so the length has the short form.
        return [0x30, UInt8(truncatingIfNeeded: content.count)] + content
    }

    /// The order n of the curve (SEC 2 section 2.4.1).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE,
        0xBA, 0xAE, 0xDC, 0xE6, 0xAF, 0x48, 0xA0, 0x3B, 0xBF, 0xD2, 0x5E, 0x8C, 0xD0, 0x36, 0x41, 0x41,
    ]
}
