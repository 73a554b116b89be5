import CSodium
package import Encoding

/// An Ed25519 public key (*verkey* in Aries) and the X25519 public key that is derived from it.
///
/// Only points of the prime-order group are accepted; libsodium refuses points of small or mixed order. So every verkey
/// can verify signatures and receive encrypted messages.
package struct Verkey: Sendable {
    /// The 32 bytes of the Ed25519 public key.
    package let bytes: [UInt8]
    /// The 32 bytes of the X25519 public key.
    package let agreement: [UInt8]

    /// Creates a key from its 32 bytes; nil for any other length, and for a point outside the prime-order group.
    package init?(bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == 32, Sodium.isReady else { return nil }
        var mapped = [UInt8](repeating: 0, count: 32)
        guard crypto_sign_ed25519_pk_to_curve25519(&mapped, bytes) == 0 else { return nil }
        self.bytes = bytes
        agreement = mapped
    }

    /// Reads a key in any form that agents write: base58 of the 32 bytes, `did:key:z6Mk…`, or such a DID with the
    /// fragment `#z6Mk…` of the same key. Nil for any other text.
    package init?(_ text: Text) {
        guard let path = text.behind("did:key:") else {
            guard let bytes = Base58.decode(text.string, maxLength: 64) else { return nil }
            self.init(bytes: bytes)
            return
        }
        let parts = path.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first else { return nil }
        if parts.count == 2, !parts[1].utf8.elementsEqual(name.utf8) { return nil }
        self.init(multibase: name)
    }

    /// Reads a key from multibase base58btc text that contains 0xed 0x01 (the multicodec `ed25519-pub`) and the 32
    /// bytes, as in `did:key` and `publicKeyMultibase`. Nil for any other text.
    package init?(multibase text: some StringProtocol) {
        guard text.utf8.first == UInt8(ascii: "z"), let bytes = Multibase.decode(text, maxLength: 64),
            bytes.starts(with: Self.multicodec)
        else { return nil }
        self.init(bytes: bytes.dropFirst(2))
    }

    private static let multicodec: [UInt8] = [0xED, 0x01]

    /// The key in base58, the form that envelopes contain.
    package var base58: Text { Text(Base58.encode(bytes)) }

    /// The key in multibase base58btc, with the prefix 0xed 0x01 (the multicodec `ed25519-pub`).
    package var multibase: Text { Text(Multibase.encodeBase58(Self.multicodec + bytes)) }

    /// The key as a did:key DID, without a fragment.
    package var didKey: Text { Text("did:key:" + multibase.string) }

    /// The unqualified DID of the key: the first 16 bytes of the key in base58.
    package var unqualifiedDID: Text { Text(Base58.encode(bytes.prefix(16))) }

    /// Returns whether `signature` is this key's Ed25519 signature (RFC 8032) over `message`.
    package func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        signature.count == 64
            && crypto_sign_verify_detached(signature, message, UInt64(message.count), bytes) == 0
    }
}

extension Verkey: Hashable {
    package static func == (left: Verkey, right: Verkey) -> Bool { left.bytes == right.bytes }
    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension Verkey: CustomStringConvertible {
    package var description: String { base58.string }
}
