import Foundation
import Glibc
import LinuxIO

/// The files of a database, which only one process at a time may own: private files in a safe folder.
///
/// The owner locks a separate file, `PATH.lock`, while the store is open. The kernel releases this lock at any end of
/// the process. The database file itself is not locked in this way: when a process closes *any* descriptor of a file,
/// it loses all of SQLite's locks on that file.
final class StoreFile {
    private let path: String
    private let lock: OpenFile
    /// The status of each file at the last check, by the ending of its path.
    private var seen: [String: FileStatus] = [:]

    /// Checks the folder, takes the lock and creates the database file. If `mayMake` is false, a non-empty database
    /// must exist; otherwise the call throws `absent` and creates no file.
    init(path: String, mayMake: Bool = true) throws(StoreError) {
        if !mayMake, let obstacle = Self.obstacle(path) { throw obstacle }
        let folder = Self.folder(of: path)
        try Self.makeSafe(folder)
        lock = try Self.lock(path + ".lock", for: path)
        self.path = path
        try Self.makePrivate(path, in: folder)
        if let foreign = Self.foreignCompanion(path) { throw foreign }
        seen[".lock"] = try? lock.status()
    }

    /// Throws `replaced` if the path of a database file no longer leads to the open file, or if the file became
    /// shorter. SQLite does not notice this, and would continue to write into a deleted file. Call this function
    /// before each transaction; it makes only four calls of `stat`.
    ///
    /// An open database and its write-ahead log never become shorter: the database is not vacuumed, and the
    /// write-ahead log is truncated only when the database is opened or closed.
    func check() throws(StoreError) {
        for suffix in ["", "-wal", "-shm", ".lock"] {
            let now: FileStatus
            do throws(SystemError) { now = try FileStatus(path + suffix, links: .followed) } catch {
                if seen[suffix] == nil { continue }
                throw .replaced(
                    path: path + suffix, detail: error.code == ENOENT ? "was deleted" : "cannot be reached")
            }
            if let before = seen[suffix] {
                guard before.identity == now.identity else {
                    throw .replaced(path: path + suffix, detail: "was replaced")
                }
                guard now.size >= before.size || suffix == ".lock" else {
                    throw .replaced(path: path + suffix, detail: "was truncated")
                }
            }
            seen[suffix] = now
        }
    }

    func release() { lock.close() }

    /// Checks that this user or root owns the folder and that other users cannot write to it. Creates an absent
    /// folder with mode 0700.
    private static func makeSafe(_ folder: String) throws(StoreError) {
        let status: FileStatus
        do throws(SystemError) { status = try FileStatus(folder, links: .followed) } catch {
            guard error.code == ENOENT else { throw failure(folder, error.code) }
            guard mkdir(folder, 0o700) == 0 else { throw failure(folder) }
            try sync(folder: Self.folder(of: folder))
            status = try with(folder) { () throws(SystemError) in try FileStatus(folder, links: .followed) }
        }
        guard status.kind == .folder else { throw .unsafeFolder(path: folder, detail: "is not a folder") }
        if let lack = LedgerFolder.lack(owner: status.owner, mode: status.mode, for: geteuid()) {
            throw .unsafeFolder(path: folder, detail: lack)
        }
    }

    private static func lock(_ lockPath: String, for path: String) throws(StoreError) -> OpenFile {
        let file = try with(lockPath) { () throws(SystemError) in try OpenFile(lockPath, .keeping(mode: 0o600)) }
        do throws(SystemError) { try file.lock() } catch {
            guard error.code == EWOULDBLOCK else { throw failure(lockPath, error.code) }
            let owner = try? file.read(16, at: 0)
            throw .locked(path: path, owner: owner.flatMap { Int32(String(decoding: $0, as: UTF8.self)) })
        }
        // The process id is only information for the operator. The lock is valid without it, so ignore a failure to
        // write it.
        if (try? file.resize(to: 0)) != nil { try? file.write(String(getpid()).utf8, at: 0) }
        return file
    }

    /// Returns the path of the courier's database next to the ledger at `ledger`.
    static func courier(of ledger: String) -> String { ledger + ".courier" }

    /// Returns whether `path` is the path of a courier's database.
    static func isCourier(_ path: String) -> Bool { path.hasSuffix(courier(of: "")) }

    /// Returns whether a non-empty file is at the path.
    static func hasContent(_ path: String) -> Bool {
        ((try? FileStatus(path, links: .followed))?.size ?? 0) > 0
    }

    /// The words before the number in the names of renamed files.
    private static let renamedFileMarks = [PastLedgers.word, "found", "replaced"]

    /// Returns the paths of the files next to the database that earlier starts or restores renamed or copied, with
    /// their write-ahead logs.
    static func putAside(of path: String) -> [String] {
        let name = String(path.split(separator: "/").last ?? "")
        let found = (try? FileManager.default.contentsOfDirectory(atPath: folder(of: path))) ?? []
        return found.filter { file in Self.renamedFileMarks.contains { file.hasPrefix("\(name).\($0)-") } }.sorted()
            .map { "\(folder(of: path))/\($0)" }
    }

    /// Returns the existing files `PATH.WORD-N`, ordered by number; none if the folder cannot be listed.
    static func numbered(_ path: String, _ word: String) -> [String] { (try? listed(path, word)) ?? [] }

    /// Returns the existing files `PATH.WORD-N`, ordered by number. Throws if the folder cannot be listed: it may
    /// contain such files.
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

    /// Returns the name `PATH.WORD-N` with a number above all existing ones.
    static func unused(_ path: String, _ word: String) -> String {
        "\(path).\(word)-\(((try? numbers(path, word))?.last ?? 0) + 1)"
    }

    /// Gives a file a second name, `PATH.WORD-N`, with a number above all existing ones. Returns that name.
    static func link(_ path: String, as word: String) throws(StoreError) -> String {
        let name = unused(path, word)
        guard Glibc.link(path, name) == 0 else { throw failure(name) }
        return name
    }

    /// Returns whether both names lead to the same file.
    static func isSame(_ one: String, _ other: String) -> Bool {
        guard let first = try? FileStatus(one), let second = try? FileStatus(other) else { return false }
        return first.identity == second.identity
    }

    /// Creates an empty database file with mode 0600 and makes its entry in the folder durable, which SQLite does not
    /// do. The files that SQLite adds (`-wal`, `-shm`) inherit the mode.
    static func makePrivate(_ path: String, in folder: String) throws(StoreError) {
        var status: FileStatus?
        do throws(SystemError) { status = try FileStatus(path) } catch {
            guard error.code == ENOENT else { throw failure(path, error.code) }
        }
        if let status {
            guard status.kind == .file else { throw .foreign(path: path) }
            if status.isOpenToOthers, chmod(path, 0o600) != 0 { throw failure(path) }
            return
        }
        try with(path) { () throws(SystemError) in try OpenFile(path, .making(mode: 0o600)).close() }
        try sync(folder: folder)
    }

    static func sync(folder: String) throws(StoreError) {
        try with(folder) { () throws(SystemError) in try OpenFile(folder, .folder, links: .followed).sync() }
    }

    /// Runs `body`, and throws its error as a failure of the file or folder at `path`.
    static func with<Value>(_ path: String, _ body: () throws(SystemError) -> Value) throws(StoreError) -> Value {
        do throws(SystemError) { return try body() } catch { throw failure(path, error.code) }
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

    /// Returns why no usable database is at the path; nil for a usable database. A database is a regular, non-empty
    /// file whose companions (`-wal`, `-shm`, `-journal`) are regular files. An empty file, which an interrupted
    /// first start leaves, counts as absent. A path that this user may not examine does not.
    static func obstacle(_ path: String) -> StoreError? {
        do throws(SystemError) {
            let status = try FileStatus(path, links: .followed)
            return status.kind == .file && status.size > 0 ? foreignCompanion(path) : .absent(path: path)
        } catch {
            return [ENOENT, ENOTDIR].contains(error.code) ? .absent(path: path) : failure(path, error.code)
        }
    }

    /// Returns the error for a companion of the database that is not a regular file; nil if there is no such
    /// companion. SQLite opens the companions together with the database. If one were a pipe, SQLite would wait for a
    /// process at its other end.
    private static func foreignCompanion(_ path: String) -> StoreError? {
        for ending in ["-wal", "-shm", "-journal"] {
            if let status = try? FileStatus(path + ending), status.kind != .file {
                return .unusable(path: path + ending, detail: "it is not a file")
            }
        }
        return nil
    }

    /// Returns whether this user may read and write the file and add files to its folder.
    static func isWritable(_ path: String) -> Bool {
        access(path, R_OK | W_OK) == 0 && access(folder(of: path), W_OK | X_OK) == 0
    }

    /// Returns whether the file system of `path` has no free block for this process.
    static func hasNoSpace(_ path: String) -> Bool {
        var status = statvfs()
        return statvfs(folder(of: path), &status) == 0 && status.f_bavail == 0
    }
}
