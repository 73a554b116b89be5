package import Encoding
import Glibc
package import Ledger

/// Where the witness of a ledger and its key are.
package struct WitnessSource: Sendable {
    /// The witness file; not the database, best not even its disk.
    package var path: String
    /// The file with the key's secret, 64 hex digits or 32 bytes, readable by its owner only; made when it is absent.
    package var keyPath: String
    /// Whether the key is somebody else's to make: systemd hands it over as a credential.
    package var isHandedOver: Bool

    /// The reason code of the first record of a ledger that takes the place of one that its witness contradicts.
    package var code: Text
    /// The same, of a ledger that takes the place of one that was put back from a backup.
    package var restoredCode: Text

    /// Makes what was just written to the witness, that many bytes, durable: 0 when it is. The bench has slower disks.
    package var sync: @Sendable (_ descriptor: Int32, _ bytes: Int) -> Int32 = { descriptor, _ in fdatasync(descriptor)
    }

    /// The files of a witness. `restoredCode`: nil: that of the other case.
    package init(path: String, keyPath: String, isHandedOver: Bool = false, code: Text, restoredCode: Text? = nil) {
        (self.path, self.keyPath, self.isHandedOver) = (path, keyPath, isHandedOver)
        (self.code, self.restoredCode) = (code, restoredCode ?? code)
    }

    /// The key that is there; nil when none is.
    package func key() throws(StoreError) -> WitnessKey? {
        try SecretFile.read(keyPath, isHandedOver: isHandedOver).flatMap { WitnessKey($0) }
    }

    /// What the witness file says. `key`: the one that counts; nil: whichever signed.
    package func reading(_ key: WitnessKey?) -> WitnessReading { WitnessFile(path: path).read(key) }

    /// What the witness says against a ledger at `path` that is not there, or is empty; nil where there was none, or
    /// one is.
    package func contradiction(toAbsent path: String) -> StoreError? {
        guard case .absent? = StoreFile.obstacle(path) else { return nil }
        let standing = LedgerStanding.judge(.made, reading(try? key()), keyIsNew: true) { _ in nil }
        guard case .rewritten(let finding) = standing else { return nil }
        return .doubtful(path: path, detail: finding)
    }
}

/// The opened witness of a store: what it signs with, where it writes, and who is told how that went.
struct Witness: Sendable {
    let key: WitnessKey
    /// Whether the key was made just now.
    let keyIsNew: Bool
    let file: WitnessFile
    let code: Text
    /// Told after each attempt to write, nil when it succeeded, else why not; and during one that takes too long.
    let onWrite: @Sendable (StoreError?) -> Void

    /// `mayMakeKey`: whether a key is made where there is none.
    init(
        _ source: WitnessSource, mayMakeKey: Bool, onWrite: @escaping @Sendable (StoreError?) -> Void
    ) throws(StoreError) {
        let kept = try source.key()
        if kept == nil, source.isHandedOver || !mayMakeKey {
            throw .unusable(path: source.keyPath, detail: "it is not there")
        }
        let made: [UInt8] = if kept == nil { try SecretFile.make(source.keyPath) } else { [] }
        guard let key = kept ?? WitnessKey(made) else { throw .unexpected(code: 0, detail: "no key can be made") }
        self.key = key
        keyIsNew = kept == nil
        file = WitnessFile(path: source.path, sync: source.sync)
        code = source.code
        self.onWrite = onWrite
    }
}
