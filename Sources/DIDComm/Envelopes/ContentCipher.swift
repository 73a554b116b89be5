import CSodium

/// ChaCha20-Poly1305 (RFC 8439) with a 12-byte nonce, which encrypts the content of DIDComm v1 envelopes. The
/// envelope's header names another cipher in `enc`, but agents use this one.
enum ContentCipher {
    /// The size of a key, in bytes.
    static let keyLength = 32
    /// The size of a nonce, in bytes.
    static let nonceLength = 12
    /// The size of an authentication tag, in bytes.
    static let tagLength = 16

    /// Encrypts `plaintext`. The tag also covers `authenticated`, which is not encrypted. Returns nil if the key or the
    /// nonce has another size.
    static func seal(
        _ plaintext: [UInt8], key: Secret, nonce: [UInt8], authenticated: [UInt8]
    ) -> (ciphertext: [UInt8], tag: [UInt8])? {
        guard key.count == keyLength, nonce.count == nonceLength else { return nil }
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
        var tag = [UInt8](repeating: 0, count: tagLength)
        let status = key.withBytes { key in
            key.octets.map { key in
                crypto_aead_chacha20poly1305_ietf_encrypt_detached(
                    &ciphertext, &tag, nil, plaintext, UInt64(plaintext.count), authenticated,
                    UInt64(authenticated.count), nil, nonce, key)
            }
        }
        return status == 0 ? (ciphertext, tag) : nil
    }

    /// Decrypts `ciphertext`. Returns nil if the tag is wrong, or if the key, the nonce or the tag has another size.
    static func open(
        _ ciphertext: [UInt8], tag: [UInt8], key: Secret, nonce: [UInt8], authenticated: [UInt8]
    ) -> [UInt8]? {
        guard key.count == keyLength, nonce.count == nonceLength, tag.count == tagLength else { return nil }
        var plaintext = [UInt8](repeating: 0, count: ciphertext.count)
        let status = key.withBytes { key in
            key.octets.map { key in
                crypto_aead_chacha20poly1305_ietf_decrypt_detached(
                    &plaintext, nil, ciphertext, UInt64(ciphertext.count), tag, authenticated,
                    UInt64(authenticated.count), nonce, key)
            }
        }
        return status == 0 ? plaintext : nil
    }
}
