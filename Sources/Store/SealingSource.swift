import Encoding

/// The place of the key under which the database stores its other keys: the keys of connections, and the site
/// key.
package struct SealingSource: Hashable, Sendable {
    /// The file with the secret, 64 hex digits or 32 bytes, readable only by its owner. The file is created
    /// if it is absent and no value is sealed yet.
    package var path: String
    /// Whether another program makes the key: systemd hands it over as a credential.
    package var isHandedOver: Bool
    /// Files with earlier keys, any of which may be absent. A value sealed under one of them is sealed again
    /// under the present key.
    package var oldPaths: [String]

    /// Creates the place of a key in its own file, with the earlier key in the file `.old` next to it.
    package init(path: String) { self.init(path: path, isHandedOver: false, oldPaths: [path + ".old"]) }

    /// Creates the place of a key and of earlier keys.
    package init(path: String, isHandedOver: Bool, oldPaths: [String]) {
        (self.path, self.isHandedOver, self.oldPaths) = (path, isHandedOver, oldPaths)
    }

    /// Reads the keys. When the present key is absent, a new one is made if `mayBeMade`, called with the
    /// earlier keys, returns true.
    func keys(mayBeMade: (SealingKeys) -> Bool) -> SealingKeys {
        let old = oldPaths.compactMap { path in
            (try? SecretFile.read(path, isHandedOver: isHandedOver)).flatMap { SealingKey($0) }
        }
        do throws(StoreError) {
            if let secret = try SecretFile.read(path, isHandedOver: isHandedOver) {
                return SealingKeys(current: SealingKey(secret), old: old)
            }
            guard !isHandedOver, mayBeMade(SealingKeys(old: old)) else {
                throw .keyless(path: path, detail: "it does not exist, and keys in the database are sealed under it")
            }
            return SealingKeys(current: SealingKey(try SecretFile.make(path)), old: old)
        } catch .keyless(let path, let detail) {
            return SealingKeys(old: old, failure: .keyless(path: path, detail: detail))
        } catch {
            return SealingKeys(old: old, failure: .keyless(path: path, detail: error.text))
        }
    }
}

/// The keys with which a run opens and seals the other keys in the database.
struct SealingKeys: Sendable {
    /// The key that seals values; nil if no key is available.
    var current: SealingKey?
    /// Earlier keys. They open values that were sealed under them.
    var old: [SealingKey] = []
    /// The reason why no current key is available.
    var failure: StoreError?
    /// Whether values in plain form are accepted: only in a database that was never sealed.
    var takesOpen = false

    /// Returns the sealed value, for storage in the database.
    func seal(_ value: [UInt8], for place: SealedPlace) throws(StoreError) -> [UInt8] {
        let nonce = (0..<SealingKey.nonceBytes).map { _ in UInt8.random(in: 0...255) }
        guard let sealed = current?.seal(value, for: place, nonce: nonce) else {
            throw failure ?? .unexpected(code: 0, detail: "a key cannot be sealed")
        }
        return sealed
    }

    /// Opens a value from the database.
    func open(_ value: [UInt8], for place: SealedPlace) throws(SealingError) -> [UInt8] {
        guard SealingKey.isSealed(value) else {
            if takesOpen { return value }
            throw .notSealed
        }
        for key in [current].compactMap(\.self) + old {
            do {
                return try key.open(value, for: place)
            } catch .otherKey {
                continue
            }
        }
        throw .otherKey
    }

    /// Returns whether a value is sealed under the current key for the place `place`.
    func isCurrent(_ value: [UInt8], for place: SealedPlace) -> Bool {
        (try? current?.open(value, for: place)) != nil
    }
}
