import Foundation
import Glibc

/// The files of the database: private files in a safe folder, owned by one process.
///
/// The owner locks a separate file, `PATH.lock`, for as long as the store is open. The kernel releases the lock at any
/// end of the process. The database file itself cannot be locked: closing *any* descriptor of a file drops SQLite's
/// locks on the file in the same process.
final class StoreFile {
    /// A file as last seen.
    private struct Sighting {
        var device: dev_t
        var number: ino_t
        var size: off_t
    }

    private let path: String
    private var descriptor: Int32
    private var seen: [String: Sighting] = [:]

    /// Checks the folder, takes the lock and creates the database file. Without `mayMake` a non-empty database must
    /// exist; otherwise `absent` is thrown before any file is created.
    init(path: String, mayMake: Bool = true) throws(StoreError) {
        if !mayMake, let obstacle = Self.obstacle(path) { throw obstacle }
        let folder = Self.folder(of: path)
        try Self.makeSafe(folder)
        let lock = try Self.lock(path + ".lock", for: path)
        do throws(StoreError) {
            try Self.makePrivate(path, in: folder)
            if let foreign = Self.foreignCompanion(path) { throw foreign }
        } catch {
            close(lock)
            throw error
        }
        self.path = path
        descriptor = lock
        var status = stat()
        if fstat(lock, &status) == 0 { seen[".lock"] = Self.sighting(status) }
    }

    /// Throws `replaced` if the path of a database file no longer leads to the open file. SQLite would continue to
    /// write into a deleted file without noticing. Call this function before each transaction; it needs only four calls
    /// of `stat`.
    ///
    /// An open database and its log never shrink: the database is not vacuumed, and the log is truncated only on
    /// closing.
    func check() throws(StoreError) {
        for suffix in ["", "-wal", "-shm", ".lock"] {
            var status = stat()
            guard stat(path + suffix, &status) == 0 else {
                if seen[suffix] == nil { continue }
                throw .replaced(path: path + suffix, detail: errno == ENOENT ? "was deleted" : "cannot be reached")
            }
            let now = Self.sighting(status)
            if let before = seen[suffix] {
                guard before.device == now.device, before.number == now.number else {
                    throw .replaced(path: path + suffix, detail: "was replaced")
                }
                guard now.size >= before.size || suffix == ".lock" else {
                    throw .replaced(path: path + suffix, detail: "was truncated")
                }
            }
            seen[suffix] = now
        }
    }

    private static func sighting(_ status: stat) -> Sighting {
        Sighting(device: status.st_dev, number: status.st_ino, size: status.st_size)
    }

    deinit { release() }

    /// Releases the lock.
    func release() {
        if descriptor >= 0 {
            // Unlock explicitly: a child process that is being spawned may still have a copy of the descriptor.
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        descriptor = -1
    }

    /// Checks that the user or root owns the folder and that other users cannot write to it. Creates an absent folder
    /// with mode 0700.
    private static func makeSafe(_ folder: String) throws(StoreError) {
        var status = stat()
        if stat(folder, &status) != 0 {
            guard errno == ENOENT, mkdir(folder, 0o700) == 0 else { throw failure(folder) }
            try sync(folder: Self.folder(of: folder))
            guard stat(folder, &status) == 0 else { throw failure(folder) }
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .unsafeFolder(path: folder, detail: "is not a folder") }
        if let lack = LedgerFolder.lack(owner: status.st_uid, mode: status.st_mode, for: geteuid()) {
            throw .unsafeFolder(path: folder, detail: lack)
        }
    }

    private static func lock(_ lockPath: String, for path: String) throws(StoreError) -> Int32 {
        let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(lockPath) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            let owner = owner(descriptor)
            close(descriptor)
            guard reason == EWOULDBLOCK else { throw failure(lockPath, reason) }
            throw .locked(path: path, owner: owner)
        }
        // The process id only helps the operator. The lock does not depend on it, so ignore a failure on a full disk.
        let number = Array(String(getpid()).utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, number, number.count, 0) }
        return descriptor
    }

    private static func owner(_ descriptor: Int32) -> Int32? {
        var digits = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &digits, digits.count, 0)
        return count > 0 ? Int32(String(decoding: digits.prefix(count), as: UTF8.self)) : nil
    }

    /// Whether a non-empty file exists.
    static func hasContent(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }

    /// The part before the number in the names of moved-aside files.
    private static let renamedFileMarks = [PastLedgers.word, "found", "replaced"]

    /// Returns the files next to the database that starts moved aside, with their logs.
    static func putAside(of path: String) -> [String] {
        let name = String(path.split(separator: "/").last ?? "")
        let found = (try? FileManager.default.contentsOfDirectory(atPath: folder(of: path))) ?? []
        return found.filter { file in Self.renamedFileMarks.contains { file.hasPrefix("\(name).\($0)-") } }.sorted()
            .map { "\(folder(of: path))/\($0)" }
    }

    /// Returns the existing files `PATH.WORD-N`, ordered by number; none if the folder cannot be listed.
    static func numbered(_ path: String, _ word: String) -> [String] { (try? listed(path, word)) ?? [] }

    /// Returns the existing files `PATH.WORD-N`, ordered by number. Throws if the folder cannot be listed, because it
    /// may contain such files.
    static func listed(_ path: String, _ word: String) throws(StoreError) -> [String] {
        do {
            return try numbers(path, word).map { "\(path).\(word)-\($0)" }
        } catch {
            throw .unusable(path: folder(of: path), detail: "cannot be listed")
        }
    }

    private static func numbers(_ path: String, _ word: String) throws -> [Int] {
        let start = "\(path.split(separator: "/").last ?? "").\(word)-"
        let found = try FileManager.default.contentsOfDirectory(atPath: folder(of: path))
        return found.compactMap { name in
            guard name.hasPrefix(start), let number = Int(name.dropFirst(start.count)), (1..<Int(Int32.max)) ~= number,
                name == start + String(number)
            else { return nil }
            return number
        }.sorted()
    }

    /// Gives a file a second name, `PATH.WORD-N` with a number above all existing numbers. Returns the name.
    static func link(_ path: String, as word: String) throws(StoreError) -> String {
        let name = "\(path).\(word)-\(((try? numbers(path, word))?.last ?? 0) + 1)"
        guard Glibc.link(path, name) == 0 else { throw failure(name) }
        return name
    }

    /// Returns whether both names lead to the same file.
    static func isSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return lstat(one, &first) == 0 && lstat(other, &second) == 0 && first.st_dev == second.st_dev
            && first.st_ino == second.st_ino
    }

    /// Creates the database file with mode 0600 and makes its folder entry durable, which SQLite does not do. The files
    /// that SQLite adds (`-wal`, `-shm`) inherit the mode.
    static func makePrivate(_ path: String, in folder: String) throws(StoreError) {
        var status = stat()
        if lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else { throw .foreign(path: path) }
            if status.st_mode & 0o077 != 0, chmod(path, 0o600) != 0 { throw failure(path) }
            return
        }
        guard errno == ENOENT else { throw failure(path) }
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure(path) }
        close(file)
        try sync(folder: folder)
    }

    static func sync(folder: String) throws(StoreError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(folder) }
    }

    static func failure(_ path: String, _ reason: Int32 = errno) -> StoreError {
        switch reason {
        case ENOSPC, EDQUOT: .diskFull(path: path)
        case EIO: .inputOutput(path: path, code: 10)
        case EACCES, EPERM, EROFS: .notPermitted(path: path, detail: String(cString: strerror(reason)))
        default: .unusable(path: path, detail: String(cString: strerror(reason)))
        }
    }

    /// Returns the part of the path before the last "/".
    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The reason why no usable database is at the path; nil for a usable database. A database is a regular, non-empty
    /// file with only regular files as companions. A path that this user may not examine does not count as absent. An
    /// empty file, which an interrupted first start leaves, is not a database.
    static func obstacle(_ path: String) -> StoreError? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .absent(path: path) : failure(path)
        }
        let isThere = status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
        return isThere ? foreignCompanion(path) : .absent(path: path)
    }

    /// The error for a companion of the database that is not a regular file; nil if there is no such companion. SQLite
    /// opens companions together with the database. If a companion is a pipe, SQLite waits for a process at the other
    /// end.
    private static func foreignCompanion(_ path: String) -> StoreError? {
        var status = stat()
        for ending in ["-wal", "-shm", "-journal"] {
            guard lstat(path + ending, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
                return .unusable(path: path + ending, detail: "it is not a file")
            }
        }
        return nil
    }

    /// Returns whether the descriptor belongs to a regular file.
    static func isFile(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Returns whether the permissions allow the use of the file and its folder.
    static func isWritable(_ path: String) -> Bool {
        access(path, R_OK | W_OK) == 0 && access(folder(of: path), W_OK | X_OK) == 0
    }

    /// Whether the file system of `path` has no free block for this process.
    static func hasNoSpace(_ path: String) -> Bool {
        var status = statvfs()
        return statvfs(folder(of: path), &status) == 0 && status.f_bavail == 0
    }
}
