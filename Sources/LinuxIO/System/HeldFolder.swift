import CLinuxShims
import Glibc

/// A folder that is held open. All work is done by its descriptor, and so in this folder, even if its path leads
/// elsewhere by then. Links in it are not followed.
final class HeldFolder {
    /// `O_PATH`, which Swift's Glibc module does not show: to make something in it needs no right to read it.
    private static let unread: Int32 = 0o10000000

    private let descriptor: Int32
    /// Its path, for messages.
    private let path: String

    /// Opens a folder by its path. `isListed`: it is to be read and synced, which takes the right to read it.
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

    /// The path of a name in it.
    func path(of name: String) -> String { path.hasSuffix("/") ? path + name : path + "/" + name }

    /// Its names in byte order.
    var names: [String] { Directory.names(of: descriptor) }

    /// Waits until its names are on the disk.
    func sync() throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw SystemError("writing \(path)", code: errno) }
    }

    /// Makes a folder that only this user and its group may read, and opens it; nil: something has the name.
    func make(_ name: String, group: UInt32?) throws(SystemError) -> HeldFolder? {
        guard mkdirat(descriptor, name, 0o750) == 0 else {
            if errno == EEXIST { return nil }
            throw SystemError(
                "making \(path(of: name))", code: errno, remedy: "Check the path and who may write there.")
        }
        let made = try HeldFolder(name, in: self)
        adopt(made.descriptor, group, 0o750)
        return made
    }

    /// Writes a new file and waits until it is on the disk. Throws where something has the name, be it a link.
    func write(
        _ name: String, _ bytes: [UInt8], group: UInt32?, onStep: (DurableFile.Step) -> Void
    ) throws(SystemError) {
        let path = path(of: name)
        let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard file >= 0 else {
            throw SystemError("creating \(path)", code: errno, remedy: "Check the path and who may write there.")
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

    /// Makes the owner of this folder the owner of what root has just made in it.
    private func adopt(_ made: Int32, _ group: UInt32?, _ mode: mode_t) {
        var status = stat()
        guard geteuid() == 0, fstat(descriptor, &status) == 0 else { return }
        _ = fchown(made, status.st_uid, group ?? status.st_gid)
        fchmod(made, mode)
    }

    /// Opens a file to overwrite it, without waiting for the reader of a pipe. The caller closes the descriptor.
    func openForWriting(_ name: String) -> Int32 {
        openat(descriptor, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    }

    /// Whether something has that name.
    func has(_ name: String) -> Bool {
        var status = stat()
        return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Renames `name` to `other`, in the place of whatever has that name.
    func rename(_ name: String, to other: String) throws(SystemError) {
        guard renameat(descriptor, name, descriptor, other) == 0 else {
            throw SystemError("renaming \(path(of: name))", code: errno)
        }
    }

    /// Lets two names change places.
    func exchange(_ name: String, _ other: String) throws(SystemError) {
        let code = clinux_exchange(descriptor, name, other)
        guard code == 0 else { throw SystemError("exchanging \(path(of: other))", code: -code) }
    }

    /// Removes a file; one that is not there is fine.
    func remove(_ name: String) throws(SystemError) {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
            throw SystemError("removing \(path(of: name))", code: errno)
        }
    }

    /// Removes whatever has that name, a folder with all that is in it, as far as that is possible.
    func removeAll(_ name: String) {
        guard unlinkat(descriptor, name, 0) != 0, errno != ENOENT else { return }
        guard let folder = try? HeldFolder(name, in: self) else { return }
        for inner in folder.names { folder.removeAll(inner) }
        _ = unlinkat(descriptor, name, AT_REMOVEDIR)
    }
}
