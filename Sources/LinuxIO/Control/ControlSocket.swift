import CLinuxShims
import Glibc

/// A listening Unix socket at a path. Its creation never replaces a socket that is in use.
package struct ControlSocket: Sendable {
    /// The descriptor of the listening socket. It is non-blocking.
    package let descriptor: Int32
    private let path: String
    private let identity: FileStatus.Identity

    /// The maximum length of the path in bytes. A socket address holds 108 bytes with the terminating zero
    /// (unix(7)), and the new socket is first created at the path with `.new` appended.
    static let longestPath = 100

    /// Creates the socket. A socket without a listener, left by an earlier process, is replaced in one step.
    /// A socket with a listener, or a file of another kind, is an error.
    ///
    /// With `isShared`, every user can connect, and the server then admits clients by the credentials that
    /// the kernel gives; otherwise only root and the owner can. `key` is the configuration's key for the
    /// path.
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
        // Clients can connect only after listen(2), and the socket gets its final name last.
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

    /// Removes the socket's file, unless the path names another file by now.
    package func removeName() { if isInPlace { unlink(path) } }

    /// Whether the path still names this socket.
    var isInPlace: Bool {
        (try? FileStatus(path))?.identity == identity
    }

    static let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)

    /// Creates the folder if only the last component is missing. Other errors are reported when the socket is
    /// created.
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

/// Calls `body` with the address of a path, for bind(2) and connect(2). The path must fit
/// (``ControlSocket/longestPath``).
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
