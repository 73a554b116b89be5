import Dispatch
import Encoding
import Glibc
import Ledger

/// The witness file on its disk. ``WitnessSlots`` defines its format.
struct WitnessFile: Sendable {
    /// The size of a disk sector in bytes. A disk writes whole sectors.
    private static let sectorBytes = 512

    let path: String
    /// Makes written bytes durable (``WitnessSource/sync``).
    var sync: @Sendable (Int32, Int) -> Int32 = { descriptor, _ in fdatasync(descriptor) }

    /// Reads the file.
    func read(_ key: WitnessKey?) -> WitnessReading {
        // Open without blocking: a pipe in place of the file would block the start for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            return errno == ENOENT ? .absent : .unusable(String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        guard StoreFile.isFile(descriptor) else { return .unusable("it is not a file") }
        // Read one byte more than the permitted length in order to detect a longer file.
        var bytes = [UInt8](repeating: 0, count: WitnessSlots.fileBytes + 1)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { return .unusable(String(cString: strerror(errno))) }
        return WitnessSlots.read(Array(bytes.prefix(count)), key: key?.publicKey)
    }

    /// Writes a statement into its slot. Returns nil when the statement is on the disk, otherwise the error. The write
    /// runs on a separate thread, because a disk may take seconds.
    func write(_ signed: SignedHead) async -> StoreError? {
        await withCheckedContinuation { continuation in
            Self.queue.async { continuation.resume(returning: put(signed)) }
        }
    }

    static let queue = DispatchQueue(label: "witness")

    /// Writes a statement into its slot like ``write(_:)``, but blocks on the disk.
    func put(_ signed: SignedHead) -> StoreError? {
        guard let slot = WitnessSlots.slot(signed) else { return .unexpected(code: 0, detail: "the head is too long") }
        do throws(StoreError) {
            let descriptor = try openOrMake()
            defer { close(descriptor) }
            let bytes = Self.changing(slot, in: descriptor)
            let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(slot.offset)) }
            guard count == bytes.count, sync(descriptor, count) == 0 else { throw StoreFile.failure(path) }
            return nil
        } catch {
            return error
        }
    }

    /// Returns the beginning of a slot up to the last sector with a non-zero byte before or after the write. The rest
    /// of the slot, usually three quarters, is zero and need not be written.
    private static func changing(_ slot: (offset: Int, bytes: [UInt8]), in descriptor: Int32) -> ArraySlice<UInt8> {
        var old = [UInt8](repeating: 0, count: slot.bytes.count)
        guard pread(descriptor, &old, old.count, off_t(slot.offset)) == old.count else { return slot.bytes[...] }
        let end = slot.bytes.indices.last { slot.bytes[$0] != 0 || old[$0] != 0 } ?? 0
        return slot.bytes.prefix((end / sectorBytes + 1) * sectorBytes)
    }

    /// Renames a file without a valid statement. Otherwise a later start could mistake its slots for a torn statement.
    func putAside() { _ = rename(path, path + ".unusable") }

    /// Opens the file at its full length and makes its name durable. Creates an absent file with mode 0600.
    private func openOrMake() throws(StoreError) -> Int32 {
        let kept = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if kept >= 0 {
            guard StoreFile.isFile(kept) else {
                close(kept)
                throw .unusable(path: path, detail: "it is not a file")
            }
            var status = stat()
            if fstat(kept, &status) == 0, status.st_size == WitnessSlots.fileBytes { return kept }
            // The file has another length and therefore another format. Rewrite both slots, one after the other.
            if ftruncate(kept, off_t(WitnessSlots.fileBytes)) == 0, fsync(kept) == 0 { return kept }
            let reason = errno
            close(kept)
            throw StoreFile.failure(path, reason)
        }
        guard errno == ENOENT else { throw StoreFile.failure(path) }
        let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard made >= 0 else { throw StoreFile.failure(path) }
        do throws(StoreError) {
            let zeros = [UInt8](repeating: 0, count: WitnessSlots.fileBytes)
            guard Glibc.write(made, zeros, zeros.count) == zeros.count, fsync(made) == 0 else {
                throw StoreFile.failure(path)
            }
            try StoreFile.sync(folder: StoreFile.folder(of: path))
        } catch {
            close(made)
            throw error
        }
        return made
    }
}
