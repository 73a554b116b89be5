import CSodium
import CryptoExtras
import Encoding

/// A signature algorithm by its JOSE name (RFC 7518, 8037). Further algorithms are cases here.
enum SignatureAlgorithm: String, Hashable, Sendable {
    case edDSA = "EdDSA"
    case rs256 = "RS256"
    case ps256 = "PS256"

    /// Checks `signature` over `message`. Throws when the key is of another kind or the length is impossible: that is
    /// no matter of keys that do not match but of a proof that is not what it says.
    func verify(
        _ signature: [UInt8], over message: [UInt8], by key: PublicKey, at pointer: String
    ) throws(Rejection) -> Bool {
        switch (self, key) {
        case (.edDSA, .ed25519(let key)):
            guard signature.count == 64 else { throw Rejection(.proofMalformed, at: pointer) }
            // libsodium refuses an S that is not reduced and keys or R of small order (RFC 8032 section 5.1.7).
            return crypto_sign_verify_detached(signature, message, UInt64(message.count), key) == 0
        case (.rs256, .rsa(let key)):
            return try verify(signature, over: message, by: key, padding: .insecurePKCS1v1_5, at: pointer)
        case (.ps256, .rsa(let key)):
            return try verify(signature, over: message, by: key, padding: .PSS, at: pointer)
        default: throw Rejection(.proofAlgorithm, at: pointer)
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
