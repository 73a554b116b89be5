import Glibc

/// Reads whole files; throws failures for people.
package enum InputFile {
    /// Returns the bytes of the file at `path`, or of standard input for `-`; at most `limit` bytes. Only a
    /// descriptor of this process (`<(command)` in a shell) may be a pipe: a pipe of another process could
    /// block the read for ever.
    package static func bytes(_ path: String, limit: Int = 16 * 1024 * 1024) throws -> [UInt8] {
        let name = path == "-" ? "standard input" : path
        var code: Int32 = 0
        let mayWait = path == "/dev/stdin" || path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/")
        // The operator has named the file: root reads it with its own rights, but does not follow the owner
        // of the gate's folders.
        let descriptor =
            path == "-"
            ? STDIN_FILENO
            : CommandRole.at(path) {
                let opened = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (mayWait ? 0 : O_NONBLOCK))
                code = errno
                return opened
            }
        if descriptor < 0 { errno = code }
        defer { if path != "-", descriptor >= 0 { close(descriptor) } }
        let kind = descriptor >= 0 ? kind(of: descriptor) : nil
        if let kind, kind != S_IFREG, kind != S_IFDIR, path != "-", !mayWait {
            throw CommandFailure(
                "cannot read \(name): it is not a file",
                remedy: "name a file, or - for standard "
                    + "input")
        }
        guard descriptor >= 0, kind != S_IFDIR, let bytes = bytes(of: descriptor, limit: limit + 1) else {
            let reason = kind == S_IFDIR ? EISDIR : errno
            throw CommandFailure(
                "cannot read \(name): \(String(cString: strerror(reason)))",
                remedy: "check the path and its permissions")
        }
        guard bytes.count <= limit else {
            throw CommandFailure(
                "\(name) is larger than \(limit / 1024 / 1024) MiB",
                remedy: "give a file that contains only the "
                    + "document")
        }
        return bytes
    }

    /// Reads to the end, or to `limit` bytes, without a second copy; nil on an error.
    private static func bytes(of descriptor: Int32, limit: Int) -> [UInt8]? {
        var status = stat()
        let expected = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(max(expected, 0), limit) + 1)
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count < limit {
            let count = read(descriptor, &piece, min(piece.count, limit - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes.append(contentsOf: piece[..<count])
        }
        return bytes
    }

    /// Returns the kind of file (inode(7)); nil if the system does not report it.
    private static func kind(of descriptor: Int32) -> mode_t? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
