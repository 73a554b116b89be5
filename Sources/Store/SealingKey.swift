import Crypto
import Encoding

/// The row of the database in which a sealed value is stored. A value sealed for one row cannot be opened for another
/// row.
enum SealedPlace: Hashable, Sendable {
    /// The value is the snapshot of a connection to a destination.
    case connection(id: Text, destination: Text)
    /// The value is the setting with the given name.
    case setting(Text)

    /// The bytes that name the row. They are authenticated with the value. Each part is preceded by its length.
    fileprivate var bytes: [UInt8] {
        let parts: [Text] =
            switch self {
            case .connection(let id, let destination): ["connection", id, destination]
            case .setting(let name): ["setting", name]
            }
        var bytes: [UInt8] = []
        for part in parts {
            bytes.appendBE(UInt64(part.utf8.count))
            bytes += Array(part.utf8)
        }
        return bytes
    }
}

/// The reason why a sealed value cannot be opened.
enum SealingError: Error, Hashable, Sendable {
    /// The value is not sealed, or has an unknown form.
    case notSealed
    /// The key that sealed the value is not available.
    case otherKey
    /// The value was changed, or copied from another row.
    case altered
}

/// The key that encrypts other secret keys in the database. An attacker who has only the database cannot read those
/// keys.
///
/// A sealed value consists of `GHk`, the version (1), the key's name (``idBytes`` bytes), a nonce (``nonceBytes``
/// bytes), the ciphertext and a tag of 16 bytes: ChaCha20-Poly1305 (RFC 8439). The tag also authenticates the fields
/// before the nonce, and the row (``SealedPlace``).
struct SealingKey: Sendable {
    /// The length in bytes of the nonce, a random number that is used for one sealed value only.
    static let nonceBytes = 12
    /// The length in bytes of a key's name.
    static let idBytes = 8
    private static let mark = Array("GHk".utf8) + [1]

    /// The name of the key, which reveals nothing about the key.
    let id: [UInt8]
    private let key: SymmetricKey

    /// Derives the key from a secret of ``SecretFile/byteCount`` random bytes. Nil for a secret of another length.
    init?(_ secret: [UInt8]) {
        guard secret.count == SecretFile.byteCount else { return nil }
        func derive(_ label: String) -> [UInt8] {
            Array(HMAC<SHA256>.authenticationCode(for: Array(label.utf8), using: SymmetricKey(data: secret)))
        }
        key = SymmetricKey(data: derive("gatehouse/keys/seal/1"))
        id = Array(derive("gatehouse/keys/name/1").prefix(Self.idBytes))
    }

    /// Returns whether a value begins like a sealed value.
    static func isSealed(_ value: [UInt8]) -> Bool { value.starts(with: mark) }

    /// Seals a value. `nonce`: ``nonceBytes`` random bytes that were never used before. Returns nil if `nonce` has
    /// another length.
    func seal(_ value: [UInt8], for place: SealedPlace, nonce: [UInt8]) -> [UInt8]? {
        let header = Self.mark + id
        guard let nonce = try? ChaChaPoly.Nonce(data: nonce),
            let box = try? ChaChaPoly.seal(value, using: key, nonce: nonce, authenticating: header + place.bytes)
        else { return nil }
        return header + Array(box.combined)
    }

    /// Opens a value that ``seal(_:for:nonce:)`` has sealed for the same row.
    func open(_ sealed: [UInt8], for place: SealedPlace) throws(SealingError) -> [UInt8] {
        guard Self.isSealed(sealed) else { throw .notSealed }
        let header = sealed.prefix(Self.mark.count + id.count)
        guard header.dropFirst(Self.mark.count).elementsEqual(id) else { throw .otherKey }
        guard let box = try? ChaChaPoly.SealedBox(combined: sealed.dropFirst(header.count)),
            let value = try? ChaChaPoly.open(box, using: key, authenticating: header + place.bytes)
        else { throw .altered }
        return Array(value)
    }
}
