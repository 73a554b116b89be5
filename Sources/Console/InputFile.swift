import Glibc
import LinuxIO

/// Reads whole files; throws failures for people.
package enum InputFile {
    /// Returns the bytes of the file at `path`, or of standard input for `-`; at most `limit` bytes. Only a
    /// descriptor of this process (`<(command)` in a shell) may be a pipe: a pipe of another process could
    /// block the read for ever.
    package static func bytes(_ path: String, limit: Int = 16 * 1024 * 1024) throws -> [UInt8] {
        let name = path == "-" ? "standard input" : path
        let mayWait = path == "/dev/stdin" || path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/")
        // The operator has named the file: root reads it with its own rights, but does not follow the owner
        // of the gate's folders.
        let bytes: [UInt8]
        do {
            let file =
                try path == "-"
                ? OpenFile(borrowing: STDIN_FILENO, name)
                : CommandRole.at(path) { try OpenFile(path, .reading, links: .followed, mayWait: mayWait) }
            let status = try? file.status()
            if let kind = status?.kind, kind != .file, kind != .folder, path != "-", !mayWait {
                throw CommandFailure(
                    "cannot read \(name): it is not a file", remedy: "name a file, or - for standard input")
            }
            // Reads to the end or to the limit without a second copy. The kernel refuses to read a folder.
            bytes = try file.read(limit + 1, expected: status?.size ?? 0)
        } catch let error as SystemError {
            throw CommandFailure(
                "cannot read \(name): \(String(cString: strerror(error.code)))",
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
}
