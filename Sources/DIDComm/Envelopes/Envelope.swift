package import Encoding

/// DIDComm v1 encrypted envelopes (Aries RFC 0019).
package enum Envelope {
    /// The limits for reading an envelope.
    package struct Limits: Sendable {
        /// The largest size of an envelope in bytes: 2 MiB, the default limit of ACA-Py.
        package var bytes = 2 * 1024 * 1024
        /// The largest number of recipients of one envelope.
        package var recipients = 64
        /// The largest nesting depth of the JSON, both in the envelope and in its protected header.
        package var depth = 32

        /// Creates a value whose properties have their defaults.
        package init() {}
    }

    /// Why an envelope could not be opened. The texts are constant: they contain no part of the message or of a key.
    package enum Failure: String, Error, Hashable, Sendable {
        /// The envelope is longer than ``Limits/bytes``.
        case tooLarge = "the message is too large"
        /// The bytes are not JSON in the form of an envelope, for example because the message is not encrypted.
        case malformed = "the message is not a DIDComm v1 envelope"
        /// The header's `alg` or `enc` has an unknown value.
        case unsupportedAlgorithm = "the envelope uses an unknown algorithm"
        /// The envelope has more than ``Limits/recipients`` recipients.
        case tooManyRecipients = "the envelope has too many recipients"
        /// No recipient of the envelope is one of the given keys.
        case notForUs = "the envelope is addressed to other keys"
        /// The envelope is for one of the given keys, but it cannot be decrypted with this key: it was altered or
        /// truncated, or the named sender did not make it.
        case unauthentic = "the envelope does not open with our key"
    }

    /// The content of an opened envelope.
    package struct Content: Sendable {
        /// The message, byte for byte.
        package let plaintext: [UInt8]
        /// The key that authenticated the message; nil for an anonymous envelope.
        package let sender: Verkey?
        /// The recipient key with which the envelope was opened.
        package let recipient: Verkey
    }

    /// The values of `alg`: with an authenticated sender, and without a sender.
    enum Algorithm: String {
        case authcrypt = "Authcrypt"
        case anoncrypt = "Anoncrypt"
    }

    /// The value of the header's `enc`. It names another cipher than the one that is used (``ContentCipher``).
    static let contentEncryption: Text = "xchacha20poly1305_ietf"

    /// Opens the envelope `bytes` with the first of its recipient keys that is in `keys`.
    package static func unpack(
        _ bytes: [UInt8], with keys: [KeyPair], limits: Limits = Limits()
    ) throws(Failure) -> Content {
        guard bytes.count <= limits.bytes else { throw .tooLarge }
        return try unpack(try parse(bytes, limits), with: keys, limits: limits)
    }

    /// Opens an envelope that is part of another message, such as the `msg` of a forward message.
    package static func unpack(
        _ envelope: JSON, with keys: [KeyPair], limits: Limits = Limits()
    ) throws(Failure) -> Content {
        guard let protected = envelope["protected"]?.string,
            let nonce = envelope["iv"]?.string.flatMap({ Base64.decodeAny($0.string) }),
            let ciphertext = envelope["ciphertext"]?.string.flatMap({ Base64.decodeAny($0.string) }),
            let tag = envelope["tag"]?.string.flatMap({ Base64.decodeAny($0.string) }),
            nonce.count == ContentCipher.nonceLength, tag.count == ContentCipher.tagLength,
            let headerBytes = Base64.decodeAny(protected.string)
        else { throw .malformed }
        let header = try parse(headerBytes, limits)
        guard let algorithm = header["alg"]?.string.flatMap({ Algorithm(rawValue: $0.string) }),
            header["enc"]?.string == contentEncryption
        else { throw header["alg"]?.string == nil ? .malformed : .unsupportedAlgorithm }
        guard let recipients = header["recipients"]?.array else { throw .malformed }
        guard recipients.count <= limits.recipients else { throw .tooManyRecipients }

        for recipient in recipients {
            guard let kid = recipient["header"]?["kid"]?.string else { throw .malformed }
            guard let key = keys.first(where: { $0.verkey.base58 == kid }) ?? named(kid, keys) else { continue }
            let opened = try contentKey(of: recipient, algorithm, key)
            guard
                let plaintext = ContentCipher.open(
                    ciphertext, tag: tag, key: opened.key, nonce: nonce, authenticated: Array(protected.utf8))
            else { throw .unauthentic }
            return Content(plaintext: plaintext, sender: opened.sender, recipient: key.verkey)
        }
        throw .notForUs
    }

    static func parse(_ bytes: [UInt8], _ limits: Limits) throws(Failure) -> JSON {
        var json = JSON.Limits()
        (json.depth, json.bytes) = (limits.depth, limits.bytes)
        do {
            let value = try JSON.parse(bytes, limits: json)
            guard value.object != nil else { throw Failure.malformed }
            return value
        } catch {
            throw .malformed
        }
    }

    /// Returns the key pair of `keys` that `kid` names in a form other than base58; nil if there is none.
    private static func named(_ kid: Text, _ keys: [KeyPair]) -> KeyPair? {
        guard let verkey = Verkey(kid) else { return nil }
        return keys.first { $0.verkey == verkey }
    }

    private static func contentKey(
        of recipient: JSON, _ algorithm: Algorithm, _ key: KeyPair
    ) throws(Failure) -> (key: Secret, sender: Verkey?) {
        guard let box = recipient["encrypted_key"]?.string.flatMap({ Base64.decodeAny($0.string) }) else {
            throw .malformed
        }
        let content: Secret?
        var sender: Verkey?
        switch algorithm {
        case .anoncrypt:
            content = CryptoBox.openSeal(box, publicKey: key.verkey.agreement, secretKey: key.agreement)
        case .authcrypt:
            guard let sealedSender = recipient["header"]?["sender"]?.string.flatMap({ Base64.decodeAny($0.string) }),
                let nonce = recipient["header"]?["iv"]?.string.flatMap({ Base64.decodeAny($0.string) })
            else { throw .malformed }
            // The sealed box with the sender's key proves nothing, because anyone can make it. Only opening the next
            // box with that key proves the sender.
            guard
                let name = CryptoBox.openSeal(
                    sealedSender, publicKey: key.verkey.agreement, secretKey: key.agreement),
                let verkey = name.withBytes({ Text(utf8: $0) }).flatMap({ Verkey($0) })
            else { throw .unauthentic }
            content = CryptoBox.open(box, nonce: nonce, from: verkey.agreement, to: key.agreement)
            sender = verkey
        }
        guard let content, content.count == ContentCipher.keyLength else { throw .unauthentic }
        return (content, sender)
    }
}
