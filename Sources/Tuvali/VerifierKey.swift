package import Crypto

/// The verifier's X25519 key pair, shared by the sessions of all wallets that read the same invitation. The memory of
/// the private key is zeroed when the last copy of the value is released.
package struct VerifierKey: Sendable {
    /// The error for a private key that does not have 32 bytes.
    package struct WrongLength: Error, Hashable, Sendable {}

    private let privateKey: Curve25519.KeyAgreement.PrivateKey

    /// The public key, 32 bytes, as advertised (RFC 7748 section 5).
    package let publicKey: [UInt8]

    /// Creates a key pair from 32 random bytes, which are clamped (RFC 7748 section 5). The caller must wipe its copy
    /// of the bytes.
    package init(privateBytes: [UInt8]) throws(WrongLength) {
        guard privateBytes.count == 32,
            let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: privateBytes)
        else { throw WrongLength() }
        self.init(key)
    }

    /// Wraps a key pair that was made elsewhere.
    package init(_ key: Curve25519.KeyAgreement.PrivateKey) {
        privateKey = key
        publicKey = Array(key.publicKey.rawRepresentation)
    }

    /// Returns the shared secret with a wallet's public key of 32 bytes; nil for a key of low order, with which the
    /// secret would be zero.
    func sharedSecret(with walletKey: ArraySlice<UInt8>) -> SharedSecret? {
        guard let peer = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: Array(walletKey)),
            let secret = try? privateKey.sharedSecretFromKeyAgreement(with: peer),
            secret.withUnsafeBytes({ $0.contains { $0 != 0 } })
        else { return nil }
        return secret
    }
}

extension VerifierKey: CustomStringConvertible, CustomReflectable {
    /// The description of a key, without any part of the private key.
    package var description: String { "VerifierKey" }
    /// Has no children: a dump of a session must not show the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
