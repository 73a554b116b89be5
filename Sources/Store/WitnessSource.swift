package import Encoding
package import Ledger
import LinuxIO

/// The places of a ledger's witness and its key.
package struct WitnessSource: Sendable {
    /// The witness file. The file is outside the database, and preferably on another disk.
    package var path: String
    /// The file with the key's secret, 64 hex digits or 32 bytes, readable only by its owner. An absent file is
    /// created.
    package var keyPath: String
    /// Whether another program makes the key: systemd supplies the key as a credential.
    package var isHandedOver: Bool

    /// The reason code in the first record of a ledger that replaces a ledger contradicted by its witness.
    package var code: Text
    /// The reason code in the first record of a ledger that replaces a ledger restored from a backup.
    package var restoredCode: Text

    /// Makes the bytes just written to the witness durable and returns 0 on success. The test bench
    /// substitutes slower disks.
    package var sync: @Sendable (_ descriptor: Int32, _ bytes: Int) -> Int32 = { descriptor, _ in
        OpenFile.syncData(descriptor)
    }

    /// Creates the source of a witness from the paths of its files. If `restoredCode` is nil, `code` is used for both
    /// purposes.
    package init(path: String, keyPath: String, isHandedOver: Bool = false, code: Text, restoredCode: Text? = nil) {
        (self.path, self.keyPath, self.isHandedOver) = (path, keyPath, isHandedOver)
        (self.code, self.restoredCode) = (code, restoredCode ?? code)
    }

    /// Reads the key; nil if it is absent.
    package func key() throws(StoreError) -> WitnessKey? {
        try SecretFile.read(keyPath, isHandedOver: isHandedOver).flatMap { WitnessKey($0) }
    }

    /// Reads the witness file. `key`: the key whose statements count; nil for any key.
    package func reading(_ key: WitnessKey?) -> WitnessReading { WitnessFile(path: path).read(key) }

    /// Returns the contradiction between the witness and an absent or empty ledger at `path`; nil if the witness knows
    /// no ledger or the ledger exists.
    package func contradiction(toAbsent path: String) -> StoreError? {
        guard case .absent? = StoreFile.obstacle(path) else { return nil }
        let standing = WitnessComparison.judge(.made, reading(try? key()), keyIsNew: true) { _ in nil }
        guard case .rewritten(let finding) = standing else { return nil }
        return .doubtful(path: path, detail: finding)
    }
}

/// The opened witness of a store: the signing key, the file, and the callback for results.
struct Witness: Sendable {
    let key: WitnessKey
    /// Whether this start made the key.
    let keyIsNew: Bool
    let file: WitnessFile
    let code: Text
    /// Called after each attempt to write a statement, with nil on success and the error otherwise. Also called during
    /// an attempt that takes too long.
    let onWrite: @Sendable (StoreError?) -> Void

    /// Opens the witness of `source`. `mayMakeKey`: whether to make a key if there is none.
    init(
        _ source: WitnessSource, mayMakeKey: Bool, onWrite: @escaping @Sendable (StoreError?) -> Void
    ) throws(StoreError) {
        let kept = try source.key()
        if kept == nil, source.isHandedOver || !mayMakeKey {
            throw .unusable(path: source.keyPath, detail: "it does not exist")
        }
        let made: [UInt8] = if kept == nil { try SecretFile.make(source.keyPath) } else { [] }
        guard let key = kept ?? WitnessKey(made) else { throw .unexpected(code: 0, detail: "no key can be created") }
        self.key = key
        keyIsNew = kept == nil
        file = WitnessFile(path: source.path, sync: source.sync)
        code = source.code
        self.onWrite = onWrite
    }
}
