import Glibc

/// Reads and replaces small files.
package enum FileBytes {
    /// Returns at most `limit` bytes from the start of a file; nil if it cannot be read. Never waits: of a pipe it
    /// returns only the bytes that are available.
    package static func read(_ path: String, limit: Int) -> [UInt8]? {
        try? OpenFile(path, .reading, links: .followed).readOnce(limit)
    }

    /// Returns the content of a regular file; nil if it cannot be read, is longer than `limit` bytes or is of another
    /// kind. Never waits for the end of a pipe.
    package static func whole(_ path: String, limit: Int) -> [UInt8]? {
        guard let bytes = beginning(path, limit: limit + 1), bytes.count <= limit else { return nil }
        return bytes
    }

    /// Returns at most `limit` bytes from the start of a regular file; nil if it cannot be read or is of another
    /// kind.
    ///
    /// A file of another kind is not opened, because opening starts some devices. Another process could replace the
    /// regular file by such a file between the check and the opening. Root is safe even then, because it reads
    /// another user's folder with that user's rights (``OwnerRole``).
    package static func beginning(_ path: String, limit: Int) -> [UInt8]? {
        guard isFile(path) else { return nil }
        guard let file = try? OpenFile(path, .reading, links: .followed), let status = try? file.status(),
            status.kind == .file
        else { return nil }
        return try? file.read(limit, expected: status.size)
    }

    /// Returns whether the path leads to a regular file. Follows links. Reading a file of another kind, such as a
    /// pipe, may block permanently.
    package static func isFile(_ path: String) -> Bool {
        (try? FileStatus(path, links: .followed))?.kind == .file
    }

    /// Returns the first line of a file without its line end, at most 256 bytes; nil if the file cannot be read.
    package static func line(_ path: String) -> String? {
        read(path, limit: 256).map { String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) }
    }

    /// Replaces or creates a file that all users may read, in one step: readers see either the old or the new
    /// content. The content may be lost in a power cut.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let temporary = "\(path).new"
        // Remove a temporary file that a power cut or another user has left.
        unlink(temporary)
        let file = try OpenFile(temporary, .making(mode: 0o644), operation: "creating")
        do throws(SystemError) {
            try file.write(bytes)
            // Let all users read the file, whatever the umask of the service is.
            fchmod(file.descriptor, 0o644)
            file.close()
            guard rename(temporary, path) == 0 else { throw SystemError("", code: errno) }
        } catch {
            unlink(temporary)
            throw SystemError("writing \(path)", code: error.code)
        }
    }
}

/// Lists folders.
package enum Directory {
    /// Returns the names in a folder in byte order, without `.` and `..`; an empty list if the folder cannot be read.
    package static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        return names(folder)
    }

    /// Returns the names in an open folder, as ``names(in:)``. The folder stays open.
    static func names(of folder: OpenFile) -> [String] {
        guard let own = (try? OpenFile(".", .folder, in: folder))?.release() else { return [] }
        guard let stream = fdopendir(own) else {
            close(own)
            return []
        }
        return names(stream)
    }

    private static func names(_ folder: OpaquePointer) -> [String] {
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            // Swift imports the C array as a tuple. A zero byte ends the name.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
