import Crypto
import Encoding

/// The data that a wallet sends: the bytes that identify the wallet, and the encrypted record.
package enum WalletSubmission: Equatable, Sendable {
    /// The wallet compresses and encrypts `record` (UTF-8 JSON). `privateKey`: the wallet's X25519 private key (32
    /// bytes). `nonce`: 12 bytes.
    case seal(record: [UInt8], privateKey: [UInt8], nonce: [UInt8])
    /// The wallet sends exactly the given bytes, recorded or invented: the Identify value and the encrypted bytes.
    case recorded(identify: [UInt8], encrypted: [UInt8])

    /// Returns a record to seal with a key pair and nonce derived from `seed`, for simulations only.
    package static func sealing(_ record: [UInt8], seed: UInt64) -> WalletSubmission {
        var random = SplitMix64(seed: seed)
        return .seal(record: record, privateKey: random.bytes(32), nonce: random.bytes(12))
    }

    /// Returns the Identify value and the encrypted bytes for a verifier with the public key `verifierKey` (32 bytes);
    /// nil if a key or nonce has a wrong length or no secret can be derived from the verifier's key.
    package func prepare(for verifierKey: [UInt8]) -> (identify: [UInt8], encrypted: [UInt8])? {
        switch self {
        case .recorded(let identify, let encrypted): return (identify, encrypted)
        case .seal(let record, let privateKey, let nonce):
            guard nonce.count == 12, let key = WalletKeys(privateKey: privateKey, verifierKey: verifierKey),
                let compressed = try? Gzip.deflate(record), let encrypted = key.seal(compressed, nonce: nonce)
            else { return nil }
            return (nonce + key.publicKey, encrypted)
        }
    }
}

/// The wallet's keys in Tuvali's key agreement: X25519, then HKDF-SHA256 with the text `SHA-256` as salt and the
/// receiver's name in the info.
package struct WalletKeys: Sendable {
    /// The wallet's X25519 public key, 32 bytes.
    package let publicKey: [UInt8]
    /// The key that encrypts data from the wallet to the verifier, 32 bytes.
    package let toVerifier: [UInt8]
    /// The key for data from the verifier to the wallet, 32 bytes, which Tuvali does not use.
    package let toWallet: [UInt8]

    /// Derives both keys; nil for keys of a wrong length or of low order.
    package init?(privateKey: [UInt8], verifierKey: [UInt8]) {
        guard let own = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: privateKey),
            let peer = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: verifierKey),
            let secret = try? own.sharedSecretFromKeyAgreement(with: peer)
        else { return nil }
        func derive(_ info: String) -> [UInt8] {
            secret.hkdfDerivedSymmetricKey(
                using: SHA256.self, salt: Array("SHA-256".utf8), sharedInfo: Array(info.utf8), outputByteCount: 32
            ).withUnsafeBytes { Array($0) }
        }
        publicKey = Array(own.publicKey.rawRepresentation)
        toVerifier = derive("SKVerifier")
        toWallet = derive("SKWallet")
    }

    /// Encrypts with AES-256-GCM and the key to the verifier, without associated data. The 16-byte tag follows the
    /// ciphertext.
    package func seal(_ plain: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        guard let nonce = try? AES.GCM.Nonce(data: nonce),
            let box = try? AES.GCM.seal(plain, using: SymmetricKey(data: toVerifier), nonce: nonce)
        else { return nil }
        return Array(box.ciphertext) + Array(box.tag)
    }
}
