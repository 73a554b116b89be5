import Glibc

/// Replaces files and folders so that after a power cut at any instant the disk contains either the complete old or
/// the complete new file or folder.
///
/// A file or folder that root creates gets the owner of its parent folder, and the group of that folder may read it,
/// whatever root's umask is. Otherwise the service could not read files that an administrator's command has replaced.
package enum DurableFile {
    /// A completed step of a replacement. Tests examine the disk after each step.
    package enum Step: Hashable, Sendable {
        /// The new file exists under a temporary name and is still empty.
        case created
        /// A part or all of the content is written.
        case written
        /// The content is on the disk.
        case synced
        /// The temporary file has its final name.
        case renamed
        /// The final name is on the disk. The replacement is complete.
        case done
    }

    /// Replaces or creates a file. Its parent folder must exist.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - bytes: The new content.
    ///   - group: The ID of the group that may read a file created by root; nil: the group of the parent folder.
    ///   - onStep: Called after each step.
    package static func replace(
        _ path: String, with bytes: [UInt8], group: UInt32? = nil, onStep: (Step) -> Void = { _ in }
    ) throws(SystemError) {
        let (folder, name) = (try HeldFolder(parent(of: path)), last(of: path))
        let temporary = TemporaryName.make(for: name)
        TemporaryName.removeOrphans(of: name, in: folder)
        do throws(SystemError) {
            try folder.write(temporary, bytes, group: group, onStep: onStep)
            try folder.rename(temporary, to: name)
        } catch {
            try? folder.remove(temporary)
            throw error
        }
        onStep(.renamed)
        try folder.sync()
        onStep(.done)
    }

    /// Replaces or creates a folder. Afterwards it contains exactly the given files; the old folder is removed.
    ///
    /// - Parameters:
    ///   - path: The path of the folder, without a slash at its end.
    ///   - files: The paths inside the folder, with the contents. The caller ensures that no path leads out of the
    ///     folder.
    ///   - onStep: Called after each step.
    package static func replaceFolder(
        _ path: String, with files: [(path: String, bytes: [UInt8])], onStep: (Step) -> Void = { _ in }
    ) throws(SystemError) {
        let (above, name) = (try HeldFolder(parent(of: path)), last(of: path))
        let temporary = TemporaryName.make(for: name)
        TemporaryName.removeOrphans(of: name, in: above)
        do throws(SystemError) {
            guard let made = try above.make(temporary, group: nil) else {
                throw SystemError("making \(above.path(of: temporary))", code: EEXIST)
            }
            onStep(.created)
            var folders = ["": made]
            for file in files {
                var folder = made
                for inner in Self.folders(above: file.path) {
                    if let known = folders[inner] {
                        folder = known
                    } else if let new = try folder.make(last(of: inner), group: nil) {
                        (folders[inner], folder) = (new, new)
                    } else {
                        throw SystemError("making \(folder.path(of: last(of: inner)))", code: EEXIST)
                    }
                }
                try folder.write(last(of: file.path), file.bytes, group: nil, onStep: onStep)
            }
            for folder in folders.values { try folder.sync() }
            onStep(.synced)
            if above.has(name) {
                try above.exchange(temporary, name)
            } else {
                try above.rename(temporary, to: name)
            }
        } catch {
            above.removeAll(temporary)
            throw error
        }
        onStep(.renamed)
        try above.sync()
        above.removeAll(temporary)
        onStep(.done)
    }

    /// Creates a folder that only this user and its group may read. An existing folder stays unchanged. `group`: as
    /// for ``replace(_:with:group:onStep:)``.
    package static func make(folder: String, group: UInt32? = nil) throws(SystemError) {
        _ = try HeldFolder(parent(of: folder), isListed: false).make(last(of: folder), group: group)
    }

    /// Removes the temporary files that interrupted replacements of the file at `path` have left. Call this only if
    /// no other process may be replacing the file.
    package static func clean(_ path: String) {
        guard let folder = try? HeldFolder(parent(of: path)) else { return }
        TemporaryName.removeAll(of: last(of: path), in: folder)
    }

    /// Removes a file so that it does not exist after a power cut either. A missing file is no error, but its folder
    /// is synced nevertheless: an earlier removal may have failed before the sync.
    package static func remove(_ path: String) throws(SystemError) {
        let folder = try HeldFolder(parent(of: path))
        try folder.remove(last(of: path))
        try folder.sync()
    }

    /// Overwrites a file with zeros and then removes it. The storage device may still contain the old blocks, as
    /// flash cards do. A missing file is no error. If the file has several names (hard links), only this name is
    /// removed and the content is not overwritten, because the other names share it.
    package static func erase(_ path: String, onStep: (Step) -> Void = { _ in }) throws(SystemError) {
        let (folder, name) = (try HeldFolder(parent(of: path)), last(of: path))
        let file: OpenFile
        do throws(SystemError) { file = try folder.openForWriting(name) } catch {
            if error.code == ENOENT { return }
            throw SystemError("opening \(path)", code: error.code)
        }
        guard let status = try? file.status(), status.kind == .file else {
            throw SystemError("erasing \(path), which is not a file", code: EINVAL)
        }
        do throws(SystemError) {
            try Self.overwrite(file, status.names == 1 ? status.size : 0)
        } catch {
            throw SystemError("overwriting \(path)", code: error.code)
        }
        onStep(.written)
        try folder.remove(name)
        try folder.sync()
        onStep(.done)
    }

    /// Overwrites the first `size` bytes of the file with zeros.
    private static func overwrite(_ file: OpenFile, _ size: Int) throws(SystemError) {
        let zeros = [UInt8](repeating: 0, count: 4096)
        for done in stride(from: 0, to: size, by: zeros.count) { try file.write(zeros.prefix(size - done)) }
        try file.sync()
    }

    /// Renames a file within its folder. Replaces a file that has the new name.
    package static func rename(_ path: String, to other: String) throws(SystemError) {
        let folder = try HeldFolder(parent(of: path))
        try folder.rename(last(of: path), to: last(of: other))
        try folder.sync()
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func last(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Returns the relative paths of all folders above `path`: `a` and `a/b` for `a/b/c`.
    private static func folders(above path: String) -> [String] {
        let parts = path.split(separator: "/").dropLast()
        return parts.indices.map { parts[...$0].joined(separator: "/") }
    }
}

/// The temporary name of a file until the file is complete. The name is random, because the owner of the folder could
/// create a file or link under a predictable name beforehand.
private enum TemporaryName {
    /// A random token that distinguishes this process from an earlier one with the same process ID.
    private static let token = String(UInt32.random(in: 0...UInt32.max), radix: 16)

    /// Returns a name of the form `.NAME.PROCESS-TOKEN-RANDOM.new`.
    static func make(for name: String) -> String {
        ".\(name).\(getpid())-\(token)-\(String(UInt64.random(in: 0...UInt64.max), radix: 16)).new"
    }

    /// Removes the temporary files of processes that have ended, for example in a power cut.
    static func removeOrphans(of name: String, in folder: HeldFolder) {
        for (other, parts) in all(of: name, in: folder) {
            let isOwn = parts[0] == getpid().description
            let isOver = pid_t(parts[0]).map { kill($0, 0) != 0 && errno == ESRCH } ?? false
            if isOwn ? parts.count > 1 && parts[1] != token : isOver { folder.removeAll(other) }
        }
    }

    /// Removes all temporary files of the file `name`.
    static func removeAll(of name: String, in folder: HeldFolder) {
        for (other, _) in all(of: name, in: folder) { folder.removeAll(other) }
    }

    /// Returns the temporary files of the file `name`, with the parts of their names: process ID, token and random
    /// number. Earlier versions used only the process ID.
    private static func all(of name: String, in folder: HeldFolder) -> [(name: String, parts: [Substring])] {
        folder.names.compactMap { other in
            guard other.hasPrefix(".\(name)."), other.hasSuffix(".new"), other.count > name.count + 6 else {
                return nil
            }
            let parts = other.dropFirst(name.count + 2).dropLast(4).split(separator: "-")
            guard parts.count == 1 || parts.count == 3, parts[0].allSatisfy(\.isNumber),
                parts.dropFirst().allSatisfy({ $0.allSatisfy(\.isHexDigit) })
            else { return nil }
            return (other, parts)
        }
    }
}
