import Glibc

/// Reading and replacing small files.
package enum FileBytes {
    /// Returns at most `limit` bytes from the start of a file; nil when it cannot be read. Of a pipe, it
    /// returns only the bytes that are available: it never waits.
    package static func read(_ path: String, limit: Int) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = Glibc.read(file, &bytes, limit)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }

    /// Returns the whole file; nil if it cannot be read, is longer than `limit` bytes or is not a regular
    /// file. Therefore it never waits for the end of a pipe.
    package static func whole(_ path: String, limit: Int) -> [UInt8]? {
        guard let bytes = beginning(path, limit: limit + 1), bytes.count <= limit else { return nil }
        return bytes
    }

    /// Returns at most `limit` bytes from the start of a regular file; nil if it cannot be read or is of
    /// another kind.
    ///
    /// A file of another kind is not even opened, because opening starts some devices. Such a file could
    /// replace a regular file between the check and the opening. This is harmless for root, because root
    /// reads another user's folder with that user's rights (``OwnerRole``).
    package static func beginning(_ path: String, limit: Int) -> [UInt8]? {
        guard isFile(path) else { return nil }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(max(Int(status.st_size), 0), limit) + 1)
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < limit {
            let count = Glibc.read(file, &piece, min(piece.count, limit - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        return bytes
    }

    /// Whether the path names a regular file, following links. Reading a file of another kind, such as a
    /// pipe, may block permanently.
    package static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Returns the first line of a file, without its line end; nil if the file cannot be read.
    package static func line(_ path: String) -> String? {
        read(path, limit: 256).map { String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) }
    }

    /// Replaces a world-readable file in one step: readers see either the old or the new content.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let temporary = "\(path).new"
        // Remove a temporary file that a power cut or another user left.
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw SystemError("creating \(temporary)", code: errno) }
        var failure: Int32 = 0
        var rest = bytes[...]
        while !rest.isEmpty, failure == 0 {
            let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { failure = errno }
        }
        // Let other programs read the file, whatever the umask of the service is.
        fchmod(file, 0o644)
        close(file)
        if failure == 0, rename(temporary, path) != 0 { failure = errno }
        guard failure == 0 else {
            unlink(temporary)
            throw SystemError("writing \(path)", code: failure)
        }
    }
}

/// Reading of folders.
package enum Directory {
    /// Returns the names in a folder in byte order, without `.` and `..`; empty when it cannot be read.
    package static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        return names(folder)
    }

    /// Returns the names in an open folder. The caller keeps the descriptor.
    static func names(of descriptor: Int32) -> [String] {
        let own = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard own >= 0 else { return [] }
        guard let folder = fdopendir(own) else {
            close(own)
            return []
        }
        return names(folder)
    }

    private static func names(_ folder: OpaquePointer) -> [String] {
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            // Swift imports the C array as a tuple; a zero byte ends the name.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
