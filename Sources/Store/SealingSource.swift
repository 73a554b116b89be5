import Encoding

/// The files of the sealing key, which seals the other secret keys in a database: the keys of connections, and the
/// site key.
package struct SealingSource: Hashable, Sendable {
    /// The path of the file with the key's secret, 64 hex digits or 32 bytes, readable only by its owner. An absent
    /// file is created, unless a value is sealed under a key that is not available.
    package var path: String
    /// Whether the file comes from systemd as a credential. The program then never creates it.
    package var isHandedOver: Bool
    /// The paths of the files with earlier keys, which may be absent. A value sealed under an earlier key is sealed
    /// again under the present key.
    package var oldPaths: [String]

    /// Creates the source of a key in the file `path`, with an earlier key in `PATH.old`.
    package init(path: String) { self.init(path: path, isHandedOver: false, oldPaths: [path + ".old"]) }

    /// Creates the source of a key and of earlier keys.
    package init(path: String, isHandedOver: Bool, oldPaths: [String]) {
        (self.path, self.isHandedOver, self.oldPaths) = (path, isHandedOver, oldPaths)
    }

    /// Reads the keys. If the present key is absent, `mayBeMade` gets the earlier keys and returns whether to make a
    /// new key.
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

/// The sealing keys of one run: the present key seals and opens values, earlier keys only open them.
struct SealingKeys: Sendable {
    /// The key for sealing; nil if none is available.
    var current: SealingKey?
    /// Earlier keys, which open the values sealed under them.
    var old: [SealingKey] = []
    /// The reason why no current key is available; nil if there is one.
    var failure: StoreError?
    /// Whether to return plain values unchanged. Only a database that was never sealed may contain them.
    var takesOpen = false

    /// Returns the sealed value, for storage in the database.
    func seal(_ value: [UInt8], for place: SealedPlace) throws(StoreError) -> [UInt8] {
        let nonce = (0..<SealingKey.nonceBytes).map { _ in UInt8.random(in: 0...255) }
        guard let sealed = current?.seal(value, for: place, nonce: nonce) else {
            throw failure ?? .unexpected(code: 0, detail: "a key cannot be sealed")
        }
        return sealed
    }

    /// Opens a value from the database with the key that sealed it.
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

    /// Returns whether a value is sealed under the current key for `place`.
    func isCurrent(_ value: [UInt8], for place: SealedPlace) -> Bool {
        (try? current?.open(value, for: place)) != nil
    }
}
