import CLinuxShims
import Glibc

/// A folder whose descriptor is held open. All operations use the descriptor, so they use the same folder even if its
/// path later leads to another one. Symbolic links in the folder are not followed.
final class HeldFolder {
    private let folder: OpenFile
    private var descriptor: Int32 { folder.descriptor }

    /// Opens a folder by its path. With `isListed` the folder can be listed and synced, which requires the permission
    /// to read it.
    init(_ path: String, isListed: Bool = true) throws(SystemError) {
        folder = try OpenFile(path, isListed ? .folder : .place, links: .followed)
    }

    private init(_ name: String, in folder: HeldFolder) throws(SystemError) {
        self.folder = try OpenFile(name, .folder, in: folder.folder)
    }

    func path(of name: String) -> String { folder.path(of: name) }

    /// The names of the entries in the folder, in byte order.
    var names: [String] { Directory.names(of: folder) }

    /// Waits until the folder's entries are on the disk.
    func sync() throws(SystemError) { try folder.sync() }

    /// Creates a folder that only this user and its group may read, and opens it. Returns nil if the name already
    /// exists. `group`: the ID of its group if root creates it; nil: the group of this folder.
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

    /// Writes a new file and waits until it is on the disk. Throws if the name already exists, even as a symbolic
    /// link. Calls `onStep` after each step. `group`: the ID of the file's group if root creates it; nil: the group
    /// of this folder.
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

    /// If this process is root, changes the owner of a new file or folder to the owner of this folder, its group to
    /// `group` or else the group of this folder, and its permissions to `mode`.
    private func adopt(_ made: OpenFile, _ group: UInt32?, _ mode: mode_t) {
        guard geteuid() == 0, let status = try? folder.status() else { return }
        withExtendedLifetime(made) {
            _ = fchown(made.descriptor, status.owner, group ?? status.group)
            fchmod(made.descriptor, mode)
        }
    }

    /// Opens the file `name` for overwriting. Does not wait if it is a pipe.
    func openForWriting(_ name: String) throws(SystemError) -> OpenFile { try OpenFile(name, .writing, in: folder) }

    /// Returns whether the folder has an entry with the name `name`.
    func has(_ name: String) -> Bool {
        (try? FileStatus(name, in: folder)) != nil
    }

    /// Renames the entry `name` to `other`. Replaces a file with the name `other`.
    func rename(_ name: String, to other: String) throws(SystemError) {
        guard renameat(descriptor, name, descriptor, other) == 0 else {
            throw SystemError("renaming \(path(of: name))", code: errno)
        }
    }

    /// Exchanges the entries of two names in one step.
    func exchange(_ name: String, _ other: String) throws(SystemError) {
        let code = clinux_exchange(descriptor, name, other)
        guard code == 0 else { throw SystemError("exchanging \(path(of: other))", code: -code) }
    }

    /// Removes the file `name`. A missing file is no error.
    func remove(_ name: String) throws(SystemError) {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
            throw SystemError("removing \(path(of: name))", code: errno)
        }
    }

    /// Removes the file `name`, or the folder `name` with all its content. Ignores errors.
    func removeAll(_ name: String) {
        guard unlinkat(descriptor, name, 0) != 0, errno != ENOENT else { return }
        guard let folder = try? HeldFolder(name, in: self) else { return }
        for inner in folder.names { folder.removeAll(inner) }
        _ = unlinkat(descriptor, name, AT_REMOVEDIR)
    }
}
