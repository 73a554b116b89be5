import Glibc
import LinuxIO

/// Reads the input files of commands. Throws every error as a ``CommandFailure``.
package enum InputFile {
    /// Returns the content of the file at `path`, or of standard input for `-`. Throws if it has more than `limit`
    /// bytes. A pipe is accepted only if it is a descriptor of this process, such as `<(command)` in a shell: reading
    /// the pipe of another process could block for ever.
    package static func bytes(_ path: String, limit: Int = 16 * 1024 * 1024) throws -> [UInt8] {
        let name = path == "-" ? "standard input" : path
        let mayWait = path == "/dev/stdin" || path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/")
        // The operator has named the file, so root reads it with its own rights. A path through a folder of the gate's
        // owner is read with the owner's rights.
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
            // Reads to the end of the file, or one byte more than the limit. Reading a folder fails.
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
