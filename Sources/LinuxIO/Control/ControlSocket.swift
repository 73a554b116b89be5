import CLinuxShims
import Glibc

/// A listening Unix socket at a path. Its creation never replaces a socket on which another process listens.
package struct ControlSocket: Sendable {
    /// The descriptor of the listening socket. It is non-blocking.
    package let descriptor: Int32
    private let path: String
    private let identity: FileStatus.Identity

    /// The maximum length of the path in bytes. A socket address has space for 108 bytes with the terminating zero
    /// (unix(7)), and the socket is first created at the path with `.new` appended.
    static let longestPath = 100

    /// Creates the socket. Replaces, in one step, a socket that an earlier process left and on which no process
    /// listens. Throws if a process listens on the socket at the path, or if the path leads to a file of another
    /// kind.
    ///
    /// With `isShared` every user can connect, and the caller must check the credentials of each client; otherwise
    /// only root and the owner can connect. `key` is the key of the configuration that contains the path; the remedy
    /// of an error names it.
    package init(
        _ path: String, isShared: Bool, backlog: Int32, key: String = "control.path"
    ) throws(SystemError) {
        self.path = path
        let work = "creating the socket \(path)"
        guard path.utf8.count <= Self.longestPath else { throw SystemError(work, code: ENAMETOOLONG) }
        Self.makeFolder(of: path)
        try Self.checkPlace(path, work, key)
        let listener = socket(AF_UNIX, Self.type, 0)
        guard listener >= 0 else { throw SystemError(work, code: errno) }
        let beside = path + ".new"
        var made: FileStatus.Identity?
        unlink(beside)
        // Clients can connect only after listen(2), so give the socket its final name last.
        let isMade =
            withUnixAddress(beside) { Glibc.bind(listener, $0, $1) } == 0
            && chmod(beside, isShared ? 0o666 : 0o600) == 0
            && Glibc.listen(listener, backlog) == 0
        if isMade { made = (try? FileStatus(beside))?.identity }
        guard isMade, let identity = made, rename(beside, path) == 0 else {
            let code = errno
            unlink(beside)
            Glibc.close(listener)
            throw SystemError(
                work, code: code, remedy: "Check \(key), and that the service's user may write to its folder.")
        }
        descriptor = listener
        self.identity = identity
    }

    /// Closes the socket and removes its file.
    func close() {
        Glibc.close(descriptor)
        removeName()
    }

    /// Removes the socket's file, unless the path now leads to another file.
    package func removeName() { if isInPlace { unlink(path) } }

    /// Whether the path still leads to this socket.
    var isInPlace: Bool {
        (try? FileStatus(path))?.identity == identity
    }

    static let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)

    /// Creates the folder if only its last path component is missing. If that fails, the creation of the socket
    /// reports the error.
    private static func makeFolder(of path: String) {
        guard let end = path.lastIndex(of: "/"), end > path.startIndex else { return }
        mkdir(String(path[..<end]), 0o750)
    }

    private static func checkPlace(_ path: String, _ work: String, _ key: String) throws(SystemError) {
        guard let status = try? FileStatus(path) else { return }
        guard status.kind == .socket else {
            throw SystemError(work, code: EEXIST, remedy: "The path is not a socket: check \(key).")
        }
        let probe = socket(AF_UNIX, type, 0)
        defer { Glibc.close(probe) }
        let isUsed = withUnixAddress(path) { connect(probe, $0, $1) } == 0 || errno == EAGAIN
        guard !isUsed else {
            throw SystemError(
                work, code: EADDRINUSE, remedy: "Another service uses it: give each its own \(key).")
        }
    }
}

/// Calls `body` with the socket address of a path, for bind(2) and connect(2). A path longer than
/// ``ControlSocket/longestPath`` is truncated.
func withUnixAddress<Result>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}
