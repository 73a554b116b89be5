import CLinuxShims
import Glibc

/// Puts files and folders in the place of others so that a cut at any instant leaves the old or the new, whole.
///
/// What root makes belongs to whom the folder above belongs, and its group may read it whatever root's umask is: an administrator's
/// command must not lock the service out.
package enum DurableFile {
    /// What has just been done; told to whoever wants to look at the disk at that instant.
    package enum Step: Hashable, Sendable {
        /// The new file is there under another name, still empty.
        case created
        /// Part or all of it is written.
        case written
        /// It is on the disk.
        case synced
        /// It has its name.
        case renamed
        /// Its name is on the disk, too.
        case done
    }

    /// Replaces a file, or makes it. Folders above it must exist.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - bytes: What is to be in it.
    ///   - group: The number of the group that may read what root makes; nil: that of the folder above.
    ///   - onStep: Called after each step.
    package static func replace(
        _ path: String, with bytes: [UInt8], group: UInt32? = nil, onStep: (Step) -> Void = { _ in }
    ) throws(SystemError) {
        let temporary = temporaryName(of: path)
        do throws(SystemError) {
            try write(temporary, bytes, group, onStep: onStep)
            guard Glibc.rename(temporary, path) == 0 else { throw SystemError("renaming \(temporary)", code: errno) }
        } catch {
            unlink(temporary)
            throw error
        }
        onStep(.renamed)
        try sync(folder: parent(of: path))
        onStep(.done)
    }

    /// Replaces a folder by one with just these files, or makes it. The old one is removed afterwards.
    ///
    /// - Parameters:
    ///   - path: The folder; no slash at its end.
    ///   - files: Paths inside it and their content. The caller has made sure that none leads out of it.
    ///   - onStep: Called after each step.
    package static func replaceFolder(
        _ path: String, with files: [(path: String, bytes: [UInt8])], onStep: (Step) -> Void = { _ in }
    ) throws(SystemError) {
        let temporary = temporaryName(of: path)
        remove(folder: temporary)
        do throws(SystemError) {
            try make(folder: temporary)
            onStep(.created)
            var folders: Set<String> = [temporary]
            for file in files {
                let place = temporary + "/" + file.path
                for folder in Self.folders(above: file.path) where folders.insert(temporary + "/" + folder).inserted {
                    try make(folder: temporary + "/" + folder)
                }
                try write(place, file.bytes, nil, onStep: onStep)
            }
            for folder in folders { try sync(folder: folder) }
            onStep(.synced)
            var isThere = stat()
            if lstat(path, &isThere) == 0 {
                let code = clinux_exchange(temporary, path)
                guard code == 0 else { throw SystemError("exchanging \(path)", code: -code) }
            } else if Glibc.rename(temporary, path) != 0 {
                throw SystemError("renaming \(temporary)", code: errno)
            }
        } catch {
            remove(folder: temporary)
            throw error
        }
        onStep(.renamed)
        try sync(folder: parent(of: path))
        remove(folder: temporary)
        onStep(.done)
    }

    /// Makes a folder that only this user and its group may read; one that is there is fine, and stays as it is. `group` as for a file.
    package static func make(folder: String, group: UInt32? = nil) throws(SystemError) {
        if mkdir(folder, 0o750) == 0 {
            let made = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
            guard made >= 0 else { return }
            defer { close(made) }
            return adopt(made, parent(of: folder), group, 0o750)
        }
        guard errno == EEXIST else {
            throw SystemError("making \(folder)", code: errno, remedy: "Check the path and who may write there.")
        }
    }

    /// Gives what was just made to whom `folder` belongs. By its descriptor: its name may lead elsewhere by now.
    private static func adopt(_ descriptor: Int32, _ folder: String, _ group: UInt32?, _ mode: mode_t) {
        var above = stat()
        guard geteuid() == 0, stat(folder, &above) == 0 else { return }
        _ = fchown(descriptor, above.st_uid, group ?? above.st_gid)
        fchmod(descriptor, mode)
    }

    private static func write(
        _ path: String, _ bytes: [UInt8], _ group: UInt32?, onStep: (Step) -> Void
    ) throws(SystemError) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard file >= 0 else {
            throw SystemError("creating \(path)", code: errno, remedy: "Check the path and who may write there.")
        }
        defer { close(file) }
        adopt(file, parent(of: path), group, 0o640)
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

    /// Removes what replacements of that file left behind when they were cut. Only where nobody else may be replacing it now.
    package static func clean(_ path: String) {
        let (folder, name) = (parent(of: path), path.split(separator: "/").last.map(String.init) ?? path)
        for other in Directory.names(in: folder) where other.hasPrefix(".\(name).") && other.hasSuffix(".new") {
            let number = other.dropFirst(name.count + 2).dropLast(4)
            if !number.isEmpty, number.allSatisfy(\.isNumber) { unlink("\(folder)/\(other)") }
        }
    }

    /// Removes a file, so that no cut brings it back. One that is not there is fine, but its folder goes to the disk all the same: whoever
    /// removed it may have failed at that.
    package static func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("removing \(path)", code: errno) }
        try sync(folder: parent(of: path))
    }

    /// Takes a file away so that its content is not in the file any more: it is overwritten, and then removed. What the disk itself keeps
    /// of old blocks (a flash card does) nobody can say. One that is not there is fine.
    package static func erase(_ path: String, onStep: (Step) -> Void = { _ in }) throws(SystemError) {
        let file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return }
            throw SystemError("opening \(path)", code: errno)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError("erasing \(path), which is no file", code: EINVAL)
        }
        let zeros = [UInt8](repeating: 0, count: 4096)
        var rest = Int(status.st_size)
        while rest > 0 {
            let count = Glibc.write(file, zeros, min(rest, zeros.count))
            guard count >= 0 || errno == EINTR else { throw SystemError("overwriting \(path)", code: errno) }
            rest -= max(count, 0)
        }
        guard fsync(file) == 0 else { throw SystemError("overwriting \(path)", code: errno) }
        onStep(.written)
        guard unlink(path) == 0 else { throw SystemError("removing \(path)", code: errno) }
        try sync(folder: parent(of: path))
        onStep(.done)
    }

    /// Gives a file another name in its folder, in the place of whatever has that name.
    package static func rename(_ path: String, to other: String) throws(SystemError) {
        guard Glibc.rename(path, other) == 0 else { throw SystemError("renaming \(path)", code: errno) }
        try sync(folder: parent(of: other))
    }

    private static func sync(folder: String) throws(SystemError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("opening \(folder)", code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemError("writing \(folder)", code: errno) }
    }

    /// What a cut left behind is overwritten by the next attempt of the same process, and has a name that nobody reads.
    private static func temporaryName(of path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return "\(parent(of: path))/.\(name).\(getpid()).new"
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// `a/b/c` has the folders `a` and `a/b` above it.
    private static func folders(above path: String) -> [String] {
        let parts = path.split(separator: "/").dropLast()
        return parts.indices.map { parts[...$0].joined(separator: "/") }
    }

    private static func remove(folder: String) {
        for name in Directory.names(in: folder) {
            let path = folder + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR { remove(folder: path) } else { unlink(path) }
        }
        rmdir(folder)
    }
}
