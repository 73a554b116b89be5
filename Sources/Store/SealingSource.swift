import Encoding

/// Where the key is under which the database holds other keys: those of connections, and the site key.
package struct SealingSource: Hashable, Sendable {
    /// The file with the secret, 64 hex digits or 32 bytes, readable by its owner only; made when it is absent and nothing is
    /// sealed yet.
    package var path: String
    /// Whether the key is somebody else's to make: systemd hands it over as a credential.
    package var isHandedOver: Bool
    /// Files with keys of before, of which any may be absent: what is sealed under one of them is sealed anew.
    package var oldPaths: [String]

    /// A key in a file of its own, and the one of before beside it.
    package init(path: String) { self.init(path: path, isHandedOver: false, oldPaths: [path + ".old"]) }

    /// A key and those of before.
    package init(path: String, isHandedOver: Bool, oldPaths: [String]) {
        (self.path, self.isHandedOver, self.oldPaths) = (path, isHandedOver, oldPaths)
    }

    /// The keys that are there. Where there is none, one is made if it `mayBeMade`, seeing those of before.
    func keys(mayBeMade: (SealingKeys) -> Bool) -> (keys: SealingKeys, isNew: Bool) {
        let old = oldPaths.compactMap { path in
            (try? SecretFile.read(path, isHandedOver: isHandedOver)).flatMap { SealingKey($0) }
        }
        do throws(StoreError) {
            if let secret = try SecretFile.read(path, isHandedOver: isHandedOver) {
                return (SealingKeys(current: SealingKey(secret), old: old), false)
            }
            guard !isHandedOver, mayBeMade(SealingKeys(old: old)) else {
                throw .keyless(path: path, detail: "it is not there, and keys in the database are sealed under it")
            }
            return (SealingKeys(current: SealingKey(try SecretFile.make(path)), old: old), true)
        } catch .keyless(let path, let detail) {
            return (SealingKeys(old: old, failure: .keyless(path: path, detail: detail)), false)
        } catch {
            return (SealingKeys(old: old, failure: .keyless(path: path, detail: error.text)), false)
        }
    }
}

/// The keys of a run that open and seal what the database holds of other keys.
struct SealingKeys: Sendable {
    /// Seals; nil when it cannot be had.
    var current: SealingKey?
    /// Open what was sealed before.
    var old: [SealingKey] = []
    /// Why there is no current one.
    var failure: StoreError?
    /// Whether values may lie open: in a database that was never sealed.
    var takesOpen = false

    /// The value for the database.
    func seal(_ value: [UInt8], for place: SealedPlace) throws(StoreError) -> [UInt8] {
        let nonce = (0..<SealingKey.nonceBytes).map { _ in UInt8.random(in: 0...255) }
        guard let sealed = current?.seal(value, for: place, nonce: nonce) else {
            throw failure ?? .unexpected(code: 0, detail: "a key cannot be sealed")
        }
        return sealed
    }

    /// The value that the database holds.
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

    /// Whether a value is sealed under the current key, for that place.
    func isCurrent(_ value: [UInt8], for place: SealedPlace) -> Bool {
        (try? current?.open(value, for: place)) != nil
    }
}
