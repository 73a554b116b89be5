import CSodium

/// ChaCha20-Poly1305 of RFC 8439 with a 12-byte nonce: the content cipher of DIDComm v1, whatever the header's `enc` says.
enum ContentCipher {
    /// Bytes of a key.
    static let keyLength = 32
    /// Bytes of a nonce.
    static let nonceLength = 12
    /// Bytes of a tag.
    static let tagLength = 16

    /// Encrypts `plaintext`; `authenticated` is covered by the tag and not encrypted.
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

    /// Decrypts, or returns nil when the tag does not fit.
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
