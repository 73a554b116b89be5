import CLinuxShims
import Glibc

/// A folder that is held open. All operations use its descriptor and therefore this folder, even if its path
/// names another one later. Symbolic links in it are not followed.
final class HeldFolder {
    /// The flag `O_PATH`, which Swift's Glibc module does not import. With it, creating a file in the folder
    /// requires no right to read the folder.
    private static let unread: Int32 = 0o10000000

    private let descriptor: Int32
    /// The folder's path, for messages.
    private let path: String

    /// Opens a folder by its path. With `isListed`, the folder can be read and synced; this requires the
    /// right to read it.
    init(_ path: String, isListed: Bool = true) throws(SystemError) {
        self.path = path
        descriptor = open(path, (isListed ? O_RDONLY : Self.unread) | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("opening \(path)", code: errno) }
    }

    private init(_ name: String, in folder: HeldFolder) throws(SystemError) {
        path = folder.path(of: name)
        descriptor = openat(folder.descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw SystemError("opening \(path)", code: errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Returns the path of a name in the folder.
    func path(of name: String) -> String { path.hasSuffix("/") ? path + name : path + "/" + name }

    /// The names in the folder, in byte order.
    var names: [String] { Directory.names(of: descriptor) }

    /// Waits until the folder's entries are on the disk.
    func sync() throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw SystemError("writing \(path)", code: errno) }
    }

    /// Creates a folder that only this user and its group may read, and opens it; nil: the name exists
    /// already.
    func make(_ name: String, group: UInt32?) throws(SystemError) -> HeldFolder? {
        guard mkdirat(descriptor, name, 0o750) == 0 else {
            if errno == EEXIST { return nil }
            throw SystemError(
                "making \(path(of: name))", code: errno, remedy: "Check the path and its permissions.")
        }
        let made = try HeldFolder(name, in: self)
        adopt(made.descriptor, group, 0o750)
        return made
    }

    /// Writes a new file and waits until it is on the disk. Throws if the name exists already, even as a
    /// symbolic link.
    func write(
        _ name: String, _ bytes: [UInt8], group: UInt32?, onStep: (DurableFile.Step) -> Void
    ) throws(SystemError) {
        let path = path(of: name)
        let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard file >= 0 else {
            throw SystemError("creating \(path)", code: errno, remedy: "Check the path and its permissions.")
        }
        defer { close(file) }
        adopt(file, group, 0o640)
        onStep(.created)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, min($0.count, 1 << 20)) }
            guard count >= 0 || errno == EINTR else { throw SystemError("writing \(path)", code: errno) }
            rest = rest.dropFirst(max(count, 0))
            onStep(.written)
        }
        guard fsync(file) == 0 else { throw SystemError("writing \(path)", code: errno) }
        onStep(.synced)
    }

    /// Gives what root has just created the owner and group of this folder.
    private func adopt(_ made: Int32, _ group: UInt32?, _ mode: mode_t) {
        var status = stat()
        guard geteuid() == 0, fstat(descriptor, &status) == 0 else { return }
        _ = fchown(made, status.st_uid, group ?? status.st_gid)
        fchmod(made, mode)
    }

    /// Opens a file to overwrite it, without waiting if it is a pipe. The caller closes the descriptor.
    func openForWriting(_ name: String) -> Int32 {
        openat(descriptor, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    }

    /// Whether the folder has an entry of this name.
    func has(_ name: String) -> Bool {
        var status = stat()
        return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Renames `name` to `other`, replacing any file of that name.
    func rename(_ name: String, to other: String) throws(SystemError) {
        guard renameat(descriptor, name, descriptor, other) == 0 else {
            throw SystemError("renaming \(path(of: name))", code: errno)
        }
    }

    /// Exchanges two names in one step.
    func exchange(_ name: String, _ other: String) throws(SystemError) {
        let code = clinux_exchange(descriptor, name, other)
        guard code == 0 else { throw SystemError("exchanging \(path(of: other))", code: -code) }
    }

    /// Removes a file; a missing file is no error.
    func remove(_ name: String) throws(SystemError) {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
            throw SystemError("removing \(path(of: name))", code: errno)
        }
    }

    /// Removes a file, or a folder with all its content, as far as possible.
    func removeAll(_ name: String) {
        guard unlinkat(descriptor, name, 0) != 0, errno != ENOENT else { return }
        guard let folder = try? HeldFolder(name, in: self) else { return }
        for inner in folder.names { folder.removeAll(inner) }
        _ = unlinkat(descriptor, name, AT_REMOVEDIR)
    }
}
