import CLinuxShims
import Encoding
import Glibc

/// The client of ``ControlServer``. It sends one request and waits for the answer.
package enum ControlClient {
    /// The reason why there is no answer.
    package enum Failure: Error, Hashable, Sendable {
        /// The socket does not exist, or no process listens on it.
        case notRunning
        /// The user of this process may not connect to the socket.
        case forbidden
        /// The server did not answer in time, closed the connection, or sent too long an answer.
        case silent
        /// The system reported another error; the value is its `errno`.
        case system(Int32)
    }

    /// The maximum length of an answer in bytes. A longer answer is a failure.
    private static let longestAnswer = 1 << 20

    /// Sends the line `line` to the socket at `path` and returns the answer, both without line ends. Waits at most
    /// `limit` in total.
    package static func ask(_ path: String, _ line: [UInt8], within limit: Duration) throws(Failure) -> [UInt8] {
        guard path.utf8.count <= ControlSocket.longestPath else { throw .system(ENAMETOOLONG) }
        let end = SystemClock.now().advanced(by: limit)
        let descriptor = socket(AF_UNIX, ControlSocket.type, 0)
        guard descriptor >= 0 else { throw .system(errno) }
        defer { close(descriptor) }
        try connect(descriptor, path, until: end)
        var rest = (line + [0x0A])[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 { rest = rest.dropFirst(count) }
            if count < 0, errno != EAGAIN, errno != EINTR { break }  // the refusal may still be readable
            if !rest.isEmpty { try wait(descriptor, POLLOUT, until: end) }
        }
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while answer.count <= longestAnswer {
            let count = recv(descriptor, &piece, piece.count, 0)
            if count > 0 {
                answer += piece[..<count]
                if let end = answer.firstIndex(of: 0x0A) { return Array(answer[..<end]) }
            } else if count == 0 || errno != EAGAIN && errno != EINTR {
                throw .silent
            } else {
                try wait(descriptor, POLLIN, until: end)
            }
        }
        throw .silent
    }

    private static func connect(_ descriptor: Int32, _ path: String, until end: Instant) throws(Failure) {
        while withUnixAddress(path, { Glibc.connect(descriptor, $0, $1) }) != 0 {
            switch errno {
            case ENOENT, ECONNREFUSED, ENOTDIR: throw .notRunning
            case EACCES, EPERM: throw .forbidden
            case EINTR: break
            case EAGAIN:  // the kernel's queue of connections is full
                guard SystemClock.now() < end else { throw .silent }
                usleep(10_000)
            default: throw .system(errno)
            }
        }
    }

    private static func wait(_ descriptor: Int32, _ events: Int32, until end: Instant) throws(Failure) {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        let left = SystemClock.now().duration(to: end).nanoseconds
        guard left > 0, clinux_poll(&entry, 1, left) != 0 else { throw .silent }
    }
}
