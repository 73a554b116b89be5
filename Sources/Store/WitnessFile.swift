import Dispatch
import Encoding
import Glibc
import Ledger
import LinuxIO

/// The file of the witness. ``WitnessSlots`` defines its format.
struct WitnessFile: Sendable {
    /// The size of a disk sector in bytes. A disk writes only whole sectors.
    private static let sectorBytes = 512

    let path: String
    /// The function that makes written bytes durable; see ``WitnessSource/sync``.
    var sync: @Sendable (Int32, Int) -> Int32 = { descriptor, _ in OpenFile.syncData(descriptor) }

    func read(_ key: WitnessKey?) -> WitnessReading {
        // Do not block on opening: if a pipe were in place of the file, the start would wait for ever.
        do throws(SystemError) {
            let file = try OpenFile(path, .reading)
            guard file.isFile else { return .unusable("it is not a file") }
            // Read one byte more than a witness file has, to notice a longer file.
            return WitnessSlots.read(try file.read(WitnessSlots.fileBytes + 1, at: 0), key: key?.publicKey)
        } catch {
            return error.code == ENOENT ? .absent : .unusable(String(cString: strerror(error.code)))
        }
    }

    /// Writes a statement into its slot. Returns nil when the statement is durable, otherwise the error. The write
    /// runs on a separate thread, because a disk may take seconds.
    func write(_ signed: SignedHead) async -> StoreError? {
        await withCheckedContinuation { continuation in
            Self.queue.async { continuation.resume(returning: put(signed)) }
        }
    }

    static let queue = DispatchQueue(label: "witness")

    /// Writes a statement into its slot like ``write(_:)``, but blocks the calling thread.
    func put(_ signed: SignedHead) -> StoreError? {
        guard let slot = WitnessSlots.slot(signed) else { return .unexpected(code: 0, detail: "the head is too long") }
        do throws(StoreError) {
            let file = try openOrMake()
            let bytes = Self.changing(slot, in: file)
            try StoreFile.with(path) { () throws(SystemError) in try file.write(bytes, at: slot.offset) }
            guard withExtendedLifetime(file, { sync(file.descriptor, bytes.count) }) == 0 else {
                throw StoreFile.failure(path)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Returns the beginning of a slot that has to be written: it ends with the last sector that contains a byte
    /// other than zero before or after the write. About three quarters of a slot are always zero.
    private static func changing(_ slot: (offset: Int, bytes: [UInt8]), in file: OpenFile) -> ArraySlice<UInt8> {
        guard let old = try? file.read(slot.bytes.count, at: slot.offset), old.count == slot.bytes.count else {
            return slot.bytes[...]
        }
        let end = slot.bytes.indices.last { slot.bytes[$0] != 0 || old[$0] != 0 } ?? 0
        return slot.bytes.prefix((end / sectorBytes + 1) * sectorBytes)
    }

    /// Renames a file that contains no valid statement. Otherwise a later start could take its content for a torn
    /// statement.
    func putAside() { _ = rename(path, path + ".unusable") }

    /// Opens the file, and extends or shortens it to its proper length. Creates an absent file with mode 0600; its
    /// entry in the folder is then durable.
    private func openOrMake() throws(StoreError) -> OpenFile {
        let kept: OpenFile
        do throws(SystemError) { kept = try OpenFile(path, .updating) } catch {
            guard error.code == ENOENT else { throw StoreFile.failure(path, error.code) }
            return try make()
        }
        guard let status = try? kept.status(), status.kind == .file else {
            throw .unusable(path: path, detail: "it is not a file")
        }
        if status.size == WitnessSlots.fileBytes { return kept }
        // A file of another length does not have the format of a witness file. The next writes replace both slots,
        // one after the other.
        try StoreFile.with(path) { () throws(SystemError) in
            try kept.resize(to: WitnessSlots.fileBytes)
            try kept.sync()
        }
        return kept
    }

    private func make() throws(StoreError) -> OpenFile {
        let made = try StoreFile.with(path) { () throws(SystemError) in
            let made = try OpenFile(path, .making(mode: 0o600))
            try made.write([UInt8](repeating: 0, count: WitnessSlots.fileBytes))
            try made.sync()
            return made
        }
        try StoreFile.sync(folder: StoreFile.folder(of: path))
        return made
    }
}
