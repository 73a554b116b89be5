import CSodium
import CryptoExtras
import Encoding
import Reasons

/// A signature algorithm. The raw value is the first JOSE name (RFC 7518, 8037, 8812).
enum SignatureAlgorithm: String, Hashable, Sendable {
    case edDSA = "EdDSA"
    case es256 = "ES256"
    case es384 = "ES384"
    case es256k = "ES256K"
    case rs256 = "RS256"
    case ps256 = "PS256"

    /// Creates the algorithm with a JOSE name; nil if the name is unknown. `Ed25519` (RFC 9864) is a second name of
    /// `EdDSA`.
    init?(joseName name: Text) {
        if name == "Ed25519" { self = .edDSA } else { self.init(rawValue: name.string) }
    }

    /// Returns whether the algorithm uses keys of this kind.
    func fits(_ key: PublicKey) -> Bool {
        switch (self, key) {
        case (.edDSA, .ed25519), (.rs256, .rsa), (.ps256, .rsa): true
        case (.es256, .ellipticCurve(.p256, _)), (.es384, .ellipticCurve(.p384, _)): true
        case (.es256k, .ellipticCurve(.secp256k1, _)): true
        default: false
        }
    }

    /// Returns whether `key` made `signature` over `message`. Throws if the algorithm does not use keys of this kind or
    /// the signature has an impossible length: such a proof is malformed, and not a proof by another key.
    func verify(
        _ signature: [UInt8], over message: [UInt8], by key: PublicKey, at pointer: String
    ) throws(Rejection) -> Bool {
        guard fits(key) else { throw Rejection(.proofAlgorithm, at: pointer) }
        switch key {
        case .ed25519(let key):
            guard signature.count == 64 else { throw Rejection(.proofMalformed, at: pointer) }
            // libsodium refuses an S that is not reduced, and a key or R of small order (RFC 8032 section 5.1.7).
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
