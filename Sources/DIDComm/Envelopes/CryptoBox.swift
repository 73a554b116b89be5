import CSodium

/// NaCl's public-key encryption (`crypto_box`: X25519, HSalsa20, XSalsa20-Poly1305), as DIDComm v1 uses it.
enum CryptoBox {
    /// The number of bytes by which a box is longer than its content.
    static let overhead = 16
    /// The size of a box's nonce, in bytes.
    static let nonceLength = 24
    /// The size of the seed for ``seal(_:to:seed:)``, in bytes.
    static let seedLength = 32

    /// Returns a box that contains `message` for `recipient`, authenticated by `sender`. Returns nil if a key or the
    /// nonce has a wrong size, or if the two keys have no shared secret.
    static func box(
        _ message: UnsafeRawBufferPointer, nonce: [UInt8], to recipient: [UInt8], from sender: Secret
    ) -> [UInt8]? {
        guard nonce.count == nonceLength, recipient.count == 32, sender.count == 32 else { return nil }
        var output = [UInt8](repeating: 0, count: message.count + overhead)
        let status = sender.withBytes { sender in
            sender.octets.map { key in
                crypto_box_easy(&output, message.octets, UInt64(message.count), nonce, recipient, key)
            }
        }
        return status == 0 ? output : nil
    }

    /// Returns the content of `box`; nil if the box was not made by `sender` for `recipient`.
    static func open(_ box: [UInt8], nonce: [UInt8], from sender: [UInt8], to recipient: Secret) -> Secret? {
        guard box.count >= overhead, nonce.count == nonceLength, sender.count == 32, recipient.count == 32
        else { return nil }
        var status: Int32? = -1
        let message = Secret(count: box.count - overhead) { output in
            status = recipient.withBytes { recipient in
                guard let key = recipient.octets, let out = output.octets else { return -1 }
                return crypto_box_open_easy(out, box, UInt64(box.count), nonce, sender, key)
            }
        }
        return status == 0 ? message : nil
    }

    /// Returns a sealed box: an ephemeral public key, and a box from this key with the nonce BLAKE2b-192(ephemeral key
    /// ‖ recipient key).
    ///
    /// libsodium's `crypto_box_seal` draws a random ephemeral key. This function derives the ephemeral key from `seed`,
    /// so that equal arguments result in equal boxes. `crypto_box_seal_open` opens these boxes, too.
    static func seal(_ message: UnsafeRawBufferPointer, to recipient: [UInt8], seed: Secret) -> [UInt8]? {
        guard seed.count == seedLength, recipient.count == 32 else { return nil }
        var ephemeral = [UInt8](repeating: 0, count: 32)
        let secret = Secret(count: 32) { output in
            seed.withBytes { seed in
                guard let out = output.octets, let seed = seed.octets else { return }
                crypto_box_seed_keypair(&ephemeral, out, seed)
            }
        }
        let keys = ephemeral + recipient
        var nonce = [UInt8](repeating: 0, count: nonceLength)
        guard crypto_generichash(&nonce, nonce.count, keys, UInt64(keys.count), nil, 0) == 0,
            let box = box(message, nonce: nonce, to: recipient, from: secret)
        else { return nil }
        return ephemeral + box
    }

    /// Returns the content of a sealed box; nil if the box was not made for the key pair `publicKey` and `secretKey`.
    static func openSeal(_ sealed: [UInt8], publicKey: [UInt8], secretKey: Secret) -> Secret? {
        let overhead = overhead + 32
        guard sealed.count >= overhead, publicKey.count == 32, secretKey.count == 32 else { return nil }
        var status: Int32 = -1
        let message = Secret(count: sealed.count - overhead) { output in
            status = secretKey.withBytes { secret in
                guard let key = secret.octets, let out = output.octets else { return -1 }
                return crypto_box_seal_open(out, sealed, UInt64(sealed.count), publicKey, key)
            }
        }
        return status == 0 ? message : nil
    }
}
