import CSodium

/// An Ed25519 key pair of the gate, with the X25519 key that is derived from it.
package struct KeyPair: Sendable {
    /// The public key.
    package let verkey: Verkey
    /// The 32-byte seed, from which the key pair can be made again. It is stored.
    package let seed: Secret
    /// Seed and public key, 64 bytes: libsodium's form of an Ed25519 secret key.
    private let signing: Secret
    /// The X25519 secret key, 32 bytes: the clamped SHA-512 of the seed.
    let agreement: Secret

    /// Creates the key pair of a 32-byte seed (RFC 8032 section 5.1.5); nil for any other length.
    package init?(seed: Secret) {
        guard seed.count == 32, Sodium.isReady else { return nil }
        var publicKey = [UInt8](repeating: 0, count: 32)
        let signing = Secret(count: 64) { output in
            seed.withBytes { seed in
                guard let out = output.octets, let seed = seed.octets else { return }
                crypto_sign_seed_keypair(&publicKey, out, seed)
            }
        }
        let agreement = Secret(count: 32) { output in
            signing.withBytes { signing in
                guard let out = output.octets, let signing = signing.octets else { return }
                crypto_sign_ed25519_sk_to_curve25519(out, signing)
            }
        }
        guard let verkey = Verkey(bytes: publicKey) else { return nil }
        (self.verkey, self.seed, self.signing, self.agreement) = (verkey, seed, signing, agreement)
    }

    /// Returns the 64-byte Ed25519 signature over `message` (RFC 8032).
    package func sign(_ message: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: 64)
        signing.withBytes { signing in
            guard let key = signing.octets else { return }
            crypto_sign_detached(&signature, nil, message, UInt64(message.count), key)
        }
        return signature
    }
}

extension UnsafeRawBufferPointer {
    /// The start of the buffer as a pointer to bytes; nil if the buffer is empty.
    var octets: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawBufferPointer {
    /// The start of the buffer as a pointer to bytes; nil if the buffer is empty.
    var octets: UnsafeMutablePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

/// Two key pairs are equal if their public keys are equal. No secret is compared.
extension KeyPair: Equatable {
    package static func == (left: KeyPair, right: KeyPair) -> Bool { left.verkey == right.verkey }
}
