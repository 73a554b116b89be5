package import Encoding

extension Envelope {
    /// Returns an envelope that contains `plaintext` for `recipients`, authenticated by `sender`, or without a sender
    /// if `sender` is nil.
    ///
    /// The content key, the nonces and the ephemeral keys come from `random`, so two calls return different envelopes.
    /// Binary members are base64url without padding. Packing does not fail for valid keys. If libsodium refuses a key
    /// nevertheless, that recipient is left out of the envelope.
    package static func pack(
        _ plaintext: [UInt8], to recipients: [Verkey], from sender: KeyPair?, random: inout RandomStream
    ) -> JSON {
        let contentKey = random.drawSecret(ContentCipher.keyLength)
        var entries: [JSON] = []
        for recipient in recipients {
            let entry =
                if let sender {
                    authenticated(contentKey, to: recipient, from: sender, random: &random)
                } else {
                    anonymous(contentKey, to: recipient, random: &random)
                }
            if let entry { entries.append(entry) }
        }
        let header: JSON = [
            "enc": .string(contentEncryption),
            "typ": "JWM/1.0",
            "alg": .text((sender == nil ? Algorithm.anoncrypt : .authcrypt).rawValue),
            "recipients": .array(entries),
        ]
        let protected = Base64.encode(header.compactBytes)
        let nonce = random.draw(ContentCipher.nonceLength)
        let sealed = ContentCipher.seal(
            plaintext, key: contentKey, nonce: nonce, authenticated: Array(protected.utf8))
        return [
            "protected": .text(protected),
            "iv": .text(Base64.encode(nonce)),
            "ciphertext": .text(Base64.encode(sealed?.ciphertext ?? [])),
            "tag": .text(Base64.encode(sealed?.tag ?? [])),
        ]
    }

    /// Returns `envelope` wrapped for each mediator on a route (Aries RFC 0094).
    ///
    /// `routingKeys` are in the order of an invitation or DID document, from the mediator nearest to the recipient to
    /// the outermost one. The first forward message is addressed `to` the recipient, each further one to the preceding
    /// routing key.
    ///
    /// Each key makes the envelope a third larger. Throws ``Failure/tooLarge`` before a result or an intermediate
    /// result exceeds ``Limits/bytes``.
    package static func wrap(
        _ envelope: JSON, to recipient: Verkey, via routingKeys: [Verkey], typePrefix: Text = "https://didcomm.org/",
        random: inout RandomStream
    ) throws(Failure) -> JSON {
        var (wrapped, next) = (envelope, recipient)
        for routingKey in routingKeys {
            let forward: JSON = [
                "@type": .text(typePrefix.string + "routing/1.0/forward"),
                "@id": .text(RandomUUID.text(random.draw(16)) ?? ""),
                "to": .string(next.base58),
                "msg": wrapped,
            ]
            let plaintext = forward.compactBytes
            guard plaintext.count / 3 * 4 + frameBytes <= Limits().bytes else { throw .tooLarge }
            wrapped = pack(plaintext, to: [routingKey], from: nil, random: &random)
            next = routingKey
        }
        return wrapped
    }

    /// An upper bound, in bytes, of an anonymous envelope for one recipient, not counting the ciphertext.
    private static let frameBytes = 1024

    private static func authenticated(
        _ contentKey: Secret, to recipient: Verkey, from sender: KeyPair, random: inout RandomStream
    ) -> JSON? {
        let nonce = random.draw(CryptoBox.nonceLength)
        let seed = random.drawSecret(CryptoBox.seedLength)
        let name = Array(sender.verkey.base58.utf8)
        guard
            let box = contentKey.withBytes({
                CryptoBox.box($0, nonce: nonce, to: recipient.agreement, from: sender.agreement)
            }),
            let sealedName = name.withUnsafeBytes({ CryptoBox.seal($0, to: recipient.agreement, seed: seed) })
        else { return nil }
        return [
            "encrypted_key": .text(Base64.encode(box)),
            "header": [
                "kid": .string(recipient.base58),
                "iv": .text(Base64.encode(nonce)),
                "sender": .text(Base64.encode(sealedName)),
            ],
        ]
    }

    private static func anonymous(
        _ contentKey: Secret, to recipient: Verkey, random: inout RandomStream
    ) -> JSON? {
        let seed = random.drawSecret(CryptoBox.seedLength)
        guard let box = contentKey.withBytes({ CryptoBox.seal($0, to: recipient.agreement, seed: seed) })
        else { return nil }
        return ["encrypted_key": .text(Base64.encode(box)), "header": ["kid": .string(recipient.base58)]]
    }
}
