import Crypto
import Glibc
import LinuxIO

/// A copy of the database in the database's folder. One backup at a time makes it, and no other code changes
/// it until ``end()``.
final class BackupScratch {
    /// The path of the copy.
    let path: String
    /// The folder, locked as long as this object lives.
    private let folder: Int32
    private var file: Int32 = -1

    /// Locks the folder of the database at `ledger`; throws if another backup holds the lock.
    init(beside ledger: String) throws(BackupFailure) {
        path = ledger + ".backup"
        let name = ledger.lastIndex(of: "/").map { String(ledger[..<$0]) } ?? "."
        // Lock the folder itself. A lock file would have to stay in the folder permanently: if it were
        // removed, two processes could each make and lock one.
        folder = open(name.isEmpty ? "/" : name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw BackupFailure(SystemError("opening \(name)", code: errno)) }
        guard flock(folder, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(folder)
            guard code == EWOULDBLOCK else { throw BackupFailure(SystemError("locking \(name)", code: code)) }
            throw BackupFailure(
                "another backup of this ledger is in progress",
                remedy: "wait until it finishes (gatehouse backup)")
        }
    }

    /// Removes the copy and releases the folder for the next backup. No other call may follow.
    func end() {
        unlink(path)
        if file >= 0 { close(file) }
        // Unlock explicitly: a child process that is just being spawned may still hold a copy of the
        // descriptor.
        flock(folder, LOCK_UN)
        close(folder)
    }

    /// Opens the finished copy, once for all further reads. Returns its size in bytes and its SHA-256 hash. The owner
    /// of the folder may have replaced the copy by another file. Therefore the call does not wait for a pipe, and
    /// refuses a file of more than `limit` bytes without reading it.
    func seal(atMost limit: Int) throws(BackupFailure) -> (size: Int, hash: [UInt8]) {
        file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { throw failure() }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) <= limit else {
            throw BackupFailure(
                "\(path) differs from the copy that was written",
                remedy: "find the program that writes to that folder, and make the backup again")
        }
        var hash = SHA256()
        let size = try read { bytes throws(BackupFailure) in hash.update(data: bytes) }
        return (size, Array(hash.finalize()))
    }

    /// Reads the opened copy from beginning to end. Returns the number of bytes.
    func read(_ body: ([UInt8]) throws(BackupFailure) -> Void) throws(BackupFailure) -> Int {
        var (piece, done) = ([UInt8](repeating: 0, count: 1 << 20), 0)
        while true {
            let count = pread(file, &piece, piece.count, off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure() }
            guard count > 0 else { return done }
            try body(Array(piece[..<count]))
            done += count
        }
    }

    private func failure(_ code: Int32 = errno) -> BackupFailure {
        BackupFailure(SystemError("reading \(path)", code: code))
    }
}
