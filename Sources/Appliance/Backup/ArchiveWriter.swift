import Glibc
import LinuxIO

/// Writes a tar archive under another name, mode 0600, and gives it its own once it is whole and on the disk.
final class ArchiveWriter {
    let path: String
    private let partial: String
    private var descriptor: Int32
    private var isKept = false
    private let role: OwnerRole?

    /// What it is called until it is whole.
    static func partial(of path: String) -> String { path + ".partial" }

    /// Throws where something has the name.
    static func checkName(_ path: String) throws(BackupFailure) {
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw BackupFailure("\(path) is there already", remedy: "name a file that is not, or remove it")
        }
    }

    /// Begins one, where nothing has the name yet. What an attempt that was cut off left is removed. Where `role` lets
    /// root act as the owner of what goes into it, the file is root's, but in a folder of that owner's it is his.
    init(_ path: String, _ role: OwnerRole? = nil) throws(BackupFailure) {
        (self.path, partial, self.role, descriptor) = (path, Self.partial(of: path), role, -1)
        let partial = partial
        descriptor = try role.at(path) { () throws(BackupFailure) in
            try Self.checkName(path)
            unlink(partial)
            let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw Self.failure("making \(partial)") }
            return descriptor
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        if !isKept { role.at(path) { _ = unlink(partial) } }
    }

    /// From now on it stays, whatever becomes of its name: it may be all that there is.
    func keep() { isKept = true }

    /// Whether others than the owner can read a file: on file systems that know no owners.
    static func isOpenToOthers(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
    }

    /// Whether others than the owner can read the file that has its name.
    var isOpenToOthers: Bool { role.at(path) { Self.isOpenToOthers(path) } }

    /// Bytes that find room behind what is written.
    var room: Int {
        var status = statvfs()
        guard fstatvfs(descriptor, &status) == 0 else { return .max }
        return Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
            .partialValue
    }

    /// Adds a file.
    func add(_ name: String, _ bytes: [UInt8]) throws(BackupFailure) {
        try begin(name, bytes.count)
        try write(bytes)
        try write([UInt8](repeating: 0, count: padding(bytes.count)))
    }

    /// Adds the copy of the database, of that many bytes. `progress` is told of each piece.
    func add(_ name: String, from source: BackupScratch, size: Int, progress: (Int) -> Void) throws(BackupFailure) {
        try begin(name, size)
        var done = 0
        try source.read(size) { bytes throws(BackupFailure) in
            try write(bytes)
            done += bytes.count
            progress(done)
        }
        try write([UInt8](repeating: 0, count: padding(size)))
    }

    private func padding(_ size: Int) -> Int { ArchiveHeader(name: "x", size: size)?.padding ?? 0 }

    private func begin(_ name: String, _ size: Int) throws(BackupFailure) {
        guard let header = ArchiveHeader(name: name, size: size) else {
            throw BackupFailure(
                "\(name) has no room in a backup", remedy: "use shorter names without spaces, and a ledger below 8 GB")
        }
        try write(header.block)
    }

    /// Ends it, and waits until it is on the disk.
    func sync() throws(BackupFailure) {
        try write([UInt8](repeating: 0, count: 2 * ArchiveHeader.blockBytes))
        guard fsync(descriptor) == 0 else { throw Self.failure("writing \(partial)") }
    }

    /// Reads what is on the disk: it must be what was meant to be written. Returns what was read.
    func prove(_ manifest: BackupManifest) throws(BackupFailure) -> BackupFile {
        // Else it would be read out of the memory that it was written from.
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        let found: BackupFile
        do throws(BackupFailure) {
            // By its descriptor: its name may lead elsewhere by now.
            found = try role.at(path) { () throws(BackupFailure) in
                try BackupFile("/proc/self/fd/\(descriptor)")
            }
        } catch {
            throw Self.unlike(error.text)
        }
        guard found.manifest.json == manifest.json else { throw Self.unlike("\(partial) holds another backup") }
        return found
    }

    private static func unlike(_ detail: String) -> BackupFailure {
        BackupFailure(
            "what was written is not what was meant to be: \(detail)",
            remedy: "take another stick or disk, and look at that of the ledger; nothing was ended or changed")
    }

    /// Gives it its name.
    func finish() throws(BackupFailure) {
        try role.at(path) { () throws(BackupFailure) in try Self.name(path) }
        close(descriptor)
        descriptor = -1
    }

    /// Gives one that is whole, and on the disk, its name.
    static func name(_ path: String) throws(BackupFailure) {
        guard rename(partial(of: path), path) == 0 else { throw failure("naming \(path)") }
        let folder = path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) : "."
        let above = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard above >= 0 else { throw failure("opening \(folder)") }
        defer { close(above) }
        // Some network file systems have nothing to sync there.
        guard fsync(above) == 0 || errno == EINVAL else { throw failure("writing \(folder)") }
    }

    private func write(_ bytes: [UInt8]) throws(BackupFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { throw Self.failure("writing \(partial)") }
            rest = rest.dropFirst(max(count, 0))
        }
    }

    private static func failure(_ what: String, _ code: Int32 = errno) -> BackupFailure {
        BackupFailure(SystemError(what, code: code))
    }
}
