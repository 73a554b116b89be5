import Glibc
import LinuxIO

/// Writes a tar archive, mode 0600, under a temporary name, and renames it once it is complete and on the
/// disk.
final class ArchiveWriter {
    let path: String
    private let partial: String
    private let file: OpenFile
    private var isFinished = false
    private var isKept = false
    private let role: OwnerRole?

    /// The temporary name of the archive until it is complete.
    static func partial(of path: String) -> String { path + ".partial" }

    /// Throws if a file of the name `path` exists.
    static func checkName(_ path: String) throws(BackupFailure) {
        guard (try? FileStatus(path)) == nil else {
            throw BackupFailure("\(path) already exists", remedy: "name a file that does not exist, or remove it")
        }
    }

    /// Begins an archive; throws if a file of that name exists. Removes the leftover of an interrupted
    /// attempt. If root runs the command and acts as the owner of the gate's files (`role`), the archive
    /// belongs to root. In a folder of that owner, the archive belongs to the owner.
    init(_ path: String, _ role: OwnerRole? = nil) throws(BackupFailure) {
        (self.path, partial, self.role) = (path, Self.partial(of: path), role)
        let partial = partial
        file = try role.at(path) { () throws(BackupFailure) in
            try Self.checkName(path)
            unlink(partial)
            return try Self.attempt { () throws(SystemError) in
                try OpenFile(partial, .making(mode: 0o600), operation: "making")
            }
        }
    }

    deinit {
        guard !isFinished, !isKept else { return }
        // NFS keeps the blocks of a file that is removed while it is open.
        file.close()
        role.at(path) { _ = unlink(partial) }
    }

    /// Prevents `deinit` from removing the archive, even if it never gets its final name: it may be the only
    /// copy of a ledger that has ended.
    func keep() { isKept = true }

    /// Returns whether users other than the owner can read a file, as on file systems without owners.
    static func isOpenToOthers(_ path: String) -> Bool {
        (try? FileStatus(path, links: .followed))?.isOpenToOthers == true
    }

    /// Whether users other than the owner can read the archive after it has its final name.
    var isOpenToOthers: Bool { role.at(path) { Self.isOpenToOthers(path) } }

    /// The free bytes on the archive's file system.
    var room: Int {
        var status = statvfs()
        guard fstatvfs(file.descriptor, &status) == 0 else { return .max }
        return Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
            .partialValue
    }

    /// Adds a file.
    func add(_ name: String, _ bytes: [UInt8]) throws(BackupFailure) {
        try begin(name, bytes.count)
        try write(bytes)
        try write([UInt8](repeating: 0, count: padding(bytes.count)))
    }

    /// Adds the copy of the database, `size` bytes. `progress` is called with the bytes written so far, after
    /// each piece.
    func add(_ name: String, from source: BackupScratch, size: Int, progress: (Int) -> Void) throws(BackupFailure) {
        try begin(name, size)
        var done = 0
        _ = try source.read { bytes throws(BackupFailure) in
            try write(bytes)
            done += bytes.count
            progress(done)
        }
        guard done == size else { throw BackupFailure(SystemError("reading \(source.path)", code: EIO)) }
        try write([UInt8](repeating: 0, count: padding(size)))
    }

    private func padding(_ size: Int) -> Int { ArchiveHeader(name: "x", size: size)?.padding ?? 0 }

    private func begin(_ name: String, _ size: Int) throws(BackupFailure) {
        guard let header = ArchiveHeader(name: name, size: size) else {
            throw BackupFailure(
                "\(name) does not fit into a backup",
                remedy: "use shorter names without spaces, and a ledger below 8 "
                    + "GB")
        }
        try write(header.block)
    }

    /// Writes the end of the archive, and waits until everything is on the disk.
    func sync() throws(BackupFailure) {
        try write([UInt8](repeating: 0, count: 2 * ArchiveHeader.blockBytes))
        try Self.attempt { () throws(SystemError) in try file.sync() }
    }

    /// Reads the archive back from the disk; throws if it differs from what was written.
    func prove(_ manifest: BackupManifest) throws(BackupFailure) {
        // Drop the cached pages: otherwise the read would come from memory and not from the disk.
        posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED)
        let found: BackupManifest
        do throws(BackupFailure) {
            // Read through the descriptor: the name may lead to another file by now.
            found = try role.at(path) { () throws(BackupFailure) in
                try BackupFile("/proc/self/fd/\(file.descriptor)").manifest
            }
        } catch {
            throw Self.unlike(error.text)
        }
        guard found.json == manifest.json else { throw Self.unlike("\(partial) holds another backup") }
    }

    private static func unlike(_ detail: String) -> BackupFailure {
        BackupFailure(
            "the written file differs from its source: \(detail)",
            remedy: "use another stick or disk, and check that of the ledger; nothing was ended or changed")
    }

    /// Gives the archive its final name.
    func finish() throws(BackupFailure) {
        try role.at(path) { () throws(BackupFailure) in try Self.name(path) }
        file.close()
        isFinished = true
    }

    /// Gives the final name to an archive that is complete and on the disk.
    static func name(_ path: String) throws(BackupFailure) {
        guard rename(partial(of: path), path) == 0 else {
            throw BackupFailure(SystemError("naming \(path)", code: errno))
        }
        let folder = path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) : "."
        let above = try attempt { () throws(SystemError) in
            try OpenFile(folder.isEmpty ? "/" : folder, .folder, links: .followed)
        }
        do throws(SystemError) { try above.sync() } catch {
            // Some network file systems cannot sync a folder.
            guard error.code == EINVAL else { throw BackupFailure(error) }
        }
    }

    private func write(_ bytes: [UInt8]) throws(BackupFailure) {
        try Self.attempt { () throws(SystemError) in try file.write(bytes) }
    }

    private static func attempt<Value>(_ body: () throws(SystemError) -> Value) throws(BackupFailure) -> Value {
        do throws(SystemError) { return try body() } catch { throw BackupFailure(error) }
    }
}
