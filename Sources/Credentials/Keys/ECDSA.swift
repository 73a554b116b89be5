import Crypto

/// ECDSA over raw r‖s signatures (RFC 7518 section 3.4).
enum ECDSA {
    /// The key's octets are no point of the curve.
    struct NoPoint: Error {}

    /// Returns whether `signature` over `message` is valid with the hash of the curve: SHA-384 for P-384, otherwise
    /// SHA-256. A signature of another length, or with r or s outside 1 to n − 1, never matches.
    static func verify(
        _ signature: [UInt8], over message: [UInt8], curve: PublicKey.Curve, point: [UInt8]
    ) throws(NoPoint) -> Bool {
        switch curve {
        case .p256: try p256(signature, message, point)
        case .p384: try p384(signature, message, point)
        case .secp256k1: try Secp256k1.verify(signature, over: message, point: point)
        }
    }

    private static func p256(_ signature: [UInt8], _ message: [UInt8], _ point: [UInt8]) throws(NoPoint) -> Bool {
        let key = try P256.Signing.PublicKey(sec1: point)
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
        return key.isValidSignature(signature, for: Digest.sha256Value(message))
    }

    private static func p384(_ signature: [UInt8], _ message: [UInt8], _ point: [UInt8]) throws(NoPoint) -> Bool {
        let key = try P384.Signing.PublicKey(sec1: point)
        guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
        return key.isValidSignature(signature, for: Digest.sha384Value(message))
    }
}

extension P256.Signing.PublicKey {
    /// Creates the key from a point in SEC 1 encoding, compressed or not.
    init(sec1 point: [UInt8]) throws(ECDSA.NoPoint) {
        do {
            self =
                point.first == 4
                ? try Self(x963Representation: point) : try Self(compressedRepresentation: point)
        } catch { throw ECDSA.NoPoint() }
    }
}

extension P384.Signing.PublicKey {
    /// Creates the key from a point in SEC 1 encoding, compressed or not.
    init(sec1 point: [UInt8]) throws(ECDSA.NoPoint) {
        do {
            self =
                point.first == 4
                ? try Self(x963Representation: point) : try Self(compressedRepresentation: point)
        } catch { throw ECDSA.NoPoint() }
    }
}
