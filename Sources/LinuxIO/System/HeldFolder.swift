import CLinuxShims
import Glibc

/// A folder that is held open. All operations use its descriptor and therefore this folder, even if its path
/// names another one later. Symbolic links in it are not followed.
final class HeldFolder {
    private let folder: OpenFile
    private var descriptor: Int32 { folder.descriptor }

    /// Opens a folder by its path. With `isListed`, the folder can be read and synced; this requires the
    /// right to read it.
    init(_ path: String, isListed: Bool = true) throws(SystemError) {
        folder = try OpenFile(path, isListed ? .folder : .place, links: .followed)
    }

    private init(_ name: String, in folder: HeldFolder) throws(SystemError) {
        self.folder = try OpenFile(name, .folder, in: folder.folder)
    }

    func path(of name: String) -> String { folder.path(of: name) }

    /// The names in the folder, in byte order.
    var names: [String] { Directory.names(of: folder) }

    /// Waits until the folder's entries are on the disk.
    func sync() throws(SystemError) { try folder.sync() }

    /// Creates a folder that only this user and its group may read, and opens it; nil: the name exists
    /// already.
    func make(_ name: String, group: UInt32?) throws(SystemError) -> HeldFolder? {
        guard mkdirat(descriptor, name, 0o750) == 0 else {
            if errno == EEXIST { return nil }
            throw SystemError(
                "making \(path(of: name))", code: errno, remedy: "Check the path and its permissions.")
        }
        let made = try HeldFolder(name, in: self)
        adopt(made.folder, group, 0o750)
        return made
    }

    /// Writes a new file and waits until it is on the disk. Throws if the name exists already, even as a
    /// symbolic link.
    func write(
        _ name: String, _ bytes: [UInt8], group: UInt32?, onStep: (DurableFile.Step) -> Void
    ) throws(SystemError) {
        let file: OpenFile
        do throws(SystemError) {
            file = try OpenFile(name, .making(mode: 0o640), in: folder, operation: "creating")
        } catch {
            throw SystemError(error.operation, code: error.code, remedy: "Check the path and its permissions.")
        }
        adopt(file, group, 0o640)
        onStep(.created)
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 << 20)
            try file.write(piece)
            rest = rest.dropFirst(piece.count)
            onStep(.written)
        }
        try file.sync()
        onStep(.synced)
    }

    /// Gives what root has just created the owner and group of this folder.
    private func adopt(_ made: OpenFile, _ group: UInt32?, _ mode: mode_t) {
        guard geteuid() == 0, let status = try? folder.status() else { return }
        withExtendedLifetime(made) {
            _ = fchown(made.descriptor, status.owner, group ?? status.group)
            fchmod(made.descriptor, mode)
        }
    }

    /// Opens a file to overwrite it, without waiting if it is a pipe.
    func openForWriting(_ name: String) throws(SystemError) -> OpenFile { try OpenFile(name, .writing, in: folder) }

    /// Whether the folder has an entry of this name.
    func has(_ name: String) -> Bool {
        (try? FileStatus(name, in: folder)) != nil
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
