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

    /// Makes what was just written to the witness, that many bytes, durable: 0 when it is. The bench has slower disks.
    package var sync: @Sendable (_ descriptor: Int32, _ bytes: Int) -> Int32 = { descriptor, _ in fdatasync(descriptor)
    }

    /// The files of a witness.
    package init(path: String, keyPath: String, isHandedOver: Bool = false, code: Text) {
        (self.path, self.keyPath, self.isHandedOver, self.code) = (path, keyPath, isHandedOver, code)
    }

    /// The key that is there; nil when none is.
    package func key() throws(StoreError) -> WitnessKey? {
        try SecretFile.read(keyPath, isHandedOver: isHandedOver).flatMap { WitnessKey($0) }
    }

    /// What the witness file says. `key`: the one that counts; nil: whichever signed.
    package func reading(_ key: WitnessKey?) -> WitnessReading { WitnessFile(path: path).read(key) }
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

    init(_ source: WitnessSource, onWrite: @escaping @Sendable (StoreError?) -> Void) throws(StoreError) {
        let kept = try source.key()
        if kept == nil, source.isHandedOver { throw .absent(path: source.keyPath) }
        let made: [UInt8] = if kept == nil { try SecretFile.make(source.keyPath) } else { [] }
        guard let key = kept ?? WitnessKey(made) else { throw .unexpected(code: 0, detail: "no key can be made") }
        self.key = key
        keyIsNew = kept == nil
        file = WitnessFile(path: source.path, sync: source.sync)
        code = source.code
        self.onWrite = onWrite
    }
}
