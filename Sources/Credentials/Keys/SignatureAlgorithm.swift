import CSodium
import CryptoExtras
import Encoding

/// A signature algorithm by its first JOSE name (RFC 7518, 8037, 8812). Further algorithms are cases here.
enum SignatureAlgorithm: String, Hashable, Sendable {
    case edDSA = "EdDSA"
    case es256 = "ES256"
    case es384 = "ES384"
    case es256k = "ES256K"
    case rs256 = "RS256"
    case ps256 = "PS256"

    /// The algorithm of a JOSE name; RFC 9864 gave a fully specified one to what said less.
    init?(joseName name: Text) {
        if name == "Ed25519" { self = .edDSA } else { self.init(rawValue: name.string) }
    }

    /// Whether a key is of the kind that this algorithm takes.
    func fits(_ key: PublicKey) -> Bool {
        switch (self, key) {
        case (.edDSA, .ed25519), (.rs256, .rsa), (.ps256, .rsa): true
        case (.es256, .ellipticCurve(.p256, _)), (.es384, .ellipticCurve(.p384, _)): true
        case (.es256k, .ellipticCurve(.secp256k1, _)): true
        default: false
        }
    }

    /// Checks `signature` over `message`. Throws when the key is of another kind or the length is impossible: that is
    /// no matter of keys that do not match but of a proof that is not what it says.
    func verify(
        _ signature: [UInt8], over message: [UInt8], by key: PublicKey, at pointer: String
    ) throws(Rejection) -> Bool {
        guard fits(key) else { throw Rejection(.proofAlgorithm, at: pointer) }
        switch key {
        case .ed25519(let key):
            guard signature.count == 64 else { throw Rejection(.proofMalformed, at: pointer) }
            // libsodium refuses an S that is not reduced and keys or R of small order (RFC 8032 section 5.1.7).
            return crypto_sign_verify_detached(signature, message, UInt64(message.count), key) == 0
        case .rsa(let key):
            let padding: _RSA.Signing.Padding = self == .ps256 ? .PSS : .insecurePKCS1v1_5
            return try verify(signature, over: message, by: key, padding: padding, at: pointer)
        case .ellipticCurve(let curve, let point):
            guard signature.count == 2 * curve.coordinateBytes else { throw Rejection(.proofMalformed, at: pointer) }
            do throws(ECDSA.NoPoint) {
                return try ECDSA.verify(signature, over: message, curve: curve, point: point)
            } catch { throw Rejection(.keyMalformed, at: pointer) }
        }
    }

    private func verify(
        _ signature: [UInt8], over message: [UInt8], by key: RSAPublicKey, padding: _RSA.Signing.Padding,
        at pointer: String
    ) throws(Rejection) -> Bool {
        guard signature.count == key.modulusBytes else { throw Rejection(.proofMalformed, at: pointer) }
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        return key.key.isValidSignature(signature, for: Digest.sha256Value(message), padding: padding)
    }
}
