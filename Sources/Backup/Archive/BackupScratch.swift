import Crypto
import Glibc
import LinuxIO

/// The copy of the ledger's database from which a backup is made, in the database's folder. Only one backup at a time
/// makes such a copy.
final class BackupScratch {
    /// The path of the copy.
    let path: String
    /// The folder of the database. It stays locked until ``end()``.
    private let folder: OpenFile
    private var file: OpenFile?

    /// Locks the folder of the database at `ledger`. Throws if another backup has the lock.
    init(beside ledger: String) throws(BackupFailure) {
        path = ledger + ".backup"
        let name = ledger.lastIndex(of: "/").map { String(ledger[..<$0]) } ?? "."
        // Lock the folder itself. A lock file could never be removed: between its removal and a new one, two
        // processes could each lock a file of that name.
        do throws(SystemError) {
            folder = try OpenFile(name.isEmpty ? "/" : name, .folder, links: .followed)
            try folder.lock()
        } catch {
            guard error.code == EWOULDBLOCK else { throw BackupFailure(error) }
            throw BackupFailure(
                "another backup of this ledger is in progress",
                remedy: "wait until it finishes (gatehouse backup)")
        }
    }

    /// Removes the copy and the lock. No other call may follow.
    func end() {
        unlink(path)
        file?.close()
        folder.close()
    }

    /// Opens the finished copy; all later reads use this descriptor. Returns the size in bytes and the SHA-256 hash.
    /// The owner of the folder may have put another file in the place of the copy. Therefore the call does not wait
    /// for a pipe, and refuses a file of more than `limit` bytes without reading it.
    func seal(atMost limit: Int) throws(BackupFailure) -> (size: Int, hash: [UInt8]) {
        do throws(SystemError) { file = try OpenFile(path, .reading, operation: "reading") } catch {
            throw BackupFailure(error)
        }
        guard let status = try? file?.status(), status.kind == .file, status.size <= limit else {
            throw BackupFailure(
                "\(path) differs from the copy that was written",
                remedy: "find the program that writes to that folder, and make the backup again")
        }
        var hash = SHA256()
        let size = try read { bytes throws(BackupFailure) in hash.update(data: bytes) }
        return (size, Array(hash.finalize()))
    }

    /// Reads the opened copy from beginning to end and passes each piece to `body`. Returns the number of bytes.
    func read(_ body: ([UInt8]) throws(BackupFailure) -> Void) throws(BackupFailure) -> Int {
        var done = 0
        while true {
            let piece: [UInt8]
            do throws(SystemError) {
                guard let file else { throw SystemError("reading \(path)", code: EBADF) }
                piece = try file.read(1 << 20, at: done)
            } catch {
                throw BackupFailure(error)
            }
            guard !piece.isEmpty else { return done }
            try body(piece)
            done += piece.count
        }
    }
}
