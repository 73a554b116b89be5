package import Encoding
package import Ledger
import LinuxIO

/// The files of a ledger's witness and of its key.
package struct WitnessSource: Sendable {
    /// The path of the witness file. It is outside the database, and preferably on another disk.
    package var path: String
    /// The path of the file with the key's secret, 64 hex digits or 32 bytes, readable only by its owner. An absent
    /// file is created.
    package var keyPath: String
    /// Whether the key's file comes from systemd as a credential. The program then never creates it.
    package var isHandedOver: Bool

    /// The reason code in the first record of a ledger that replaces a ledger contradicted by its witness.
    package var code: Text
    /// The reason code in the first record of a ledger that replaces a ledger restored from a backup.
    package var restoredCode: Text

    /// Makes the bytes that were just written to the witness file durable. Returns 0 on success. The test bench
    /// substitutes slower disks.
    package var sync: @Sendable (_ descriptor: Int32, _ bytes: Int) -> Int32 = { descriptor, _ in
        OpenFile.syncData(descriptor)
    }

    /// Creates the source of a witness from the paths of its files. If `restoredCode` is nil, `code` also applies to
    /// a restored ledger.
    package init(path: String, keyPath: String, isHandedOver: Bool = false, code: Text, restoredCode: Text? = nil) {
        (self.path, self.keyPath, self.isHandedOver) = (path, keyPath, isHandedOver)
        (self.code, self.restoredCode) = (code, restoredCode ?? code)
    }

    /// Reads the key; nil if it is absent.
    package func key() throws(StoreError) -> WitnessKey? {
        try SecretFile.read(keyPath, isHandedOver: isHandedOver).flatMap { WitnessKey($0) }
    }

    /// Reads the witness file. `key`: the key that must have signed the statements; nil: any key.
    package func reading(_ key: WitnessKey?) -> WitnessReading { WitnessFile(path: path).read(key) }

    /// Returns the error that the witness knows a ledger although no ledger is at `path`. Returns nil if a ledger is
    /// there, or if the witness knows none.
    package func contradiction(toAbsent path: String) -> StoreError? {
        guard case .absent? = StoreFile.obstacle(path) else { return nil }
        let standing = WitnessComparison.judge(.made, reading(try? key()), keyIsNew: true) { _ in nil }
        guard case .rewritten(let finding) = standing else { return nil }
        return .doubtful(path: path, detail: finding)
    }
}

/// The opened witness of a store: the signing key, the file, and the function to call after each write.
struct Witness: Sendable {
    let key: WitnessKey
    /// Whether this start made the key.
    let keyIsNew: Bool
    let file: WitnessFile
    let code: Text
    /// The function to call after each attempt to write a statement, with nil on success and the error otherwise. It
    /// is also called during an attempt that takes too long.
    let onWrite: @Sendable (StoreError?) -> Void

    /// Opens the witness of `source`. `mayMakeKey`: whether to make a key if its file is absent; if false, an absent
    /// key is an error.
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
