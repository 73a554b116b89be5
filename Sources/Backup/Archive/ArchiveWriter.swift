import Glibc
import LinuxIO

/// Writes a tar archive with mode 0600 under a temporary name. Renames it when it is complete and durable.
final class ArchiveWriter {
    let path: String
    private let partial: String
    private let file: OpenFile
    private var isFinished = false
    private var isKept = false
    private let role: OwnerRole?

    /// Returns the temporary name of an archive that is not complete.
    static func partial(of path: String) -> String { path + ".partial" }

    /// Throws if a file exists at `path`.
    static func checkName(_ path: String) throws(BackupFailure) {
        guard (try? FileStatus(path)) == nil else {
            throw BackupFailure("\(path) already exists", remedy: "name a file that does not exist, or remove it")
        }
    }

    /// Begins an archive. Throws if a file exists at `path`. Removes the incomplete file that an interrupted attempt
    /// left. If root runs the command and acts as the owner of the gate's files (`role`), the archive belongs to
    /// root, except in a folder of that owner, where it belongs to the owner.
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
        // Close the file before its removal: NFS keeps the blocks of a removed file while it is open.
        file.close()
        role.at(path) { _ = unlink(partial) }
    }

    /// Prevents `deinit` from removing the archive even if it does not get its final name. The archive may be the
    /// only copy of a ledger that has ended.
    func keep() { isKept = true }

    /// Returns whether users other than the owner can read the file, as on a file system without owners.
    static func isOpenToOthers(_ path: String) -> Bool {
        (try? FileStatus(path, links: .followed))?.isOpenToOthers == true
    }

    /// Whether users other than the owner can read the finished archive.
    var isOpenToOthers: Bool { role.at(path) { Self.isOpenToOthers(path) } }

    /// The number of free bytes on the archive's file system.
    var room: Int {
        var status = statvfs()
        guard fstatvfs(file.descriptor, &status) == 0 else { return .max }
        return Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
            .partialValue
    }

    /// Adds a file with the given name and content.
    func add(_ name: String, _ bytes: [UInt8]) throws(BackupFailure) {
        try begin(name, bytes.count)
        try write(bytes)
        try write([UInt8](repeating: 0, count: padding(bytes.count)))
    }

    /// Adds the copy of the database, of `size` bytes. After each piece, calls `progress` with the number of bytes
    /// written so far.
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

    /// Writes the end of the archive. Returns when everything is durable.
    func sync() throws(BackupFailure) {
        try write([UInt8](repeating: 0, count: 2 * ArchiveHeader.blockBytes))
        try Self.attempt { () throws(SystemError) in try file.sync() }
    }

    /// Reads the archive back from the disk. Throws if it differs from what was written.
    func prove(_ manifest: BackupManifest) throws(BackupFailure) {
        // Remove the pages from the cache, so that the read comes from the disk and not from memory.
        posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED)
        let found: BackupManifest
        do throws(BackupFailure) {
            // Read through the descriptor: the path may lead to another file by now.
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

    /// Gives the final name to an archive that is complete and durable.
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
