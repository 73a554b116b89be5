import Glibc
import Synchronization

/// The connection to journald: a datagram socket that systemd owns, so that it persists while journald
/// restarts.
final class JournalSocket: Sendable {
    /// The result of sending a datagram.
    enum Outcome: Hashable, Sendable {
        /// journald has received the line.
        case sent
        /// journald did not read the socket in time, and the datagram is lost.
        case full
        /// journald's socket does not exist.
        case absent
    }

    /// How long to wait until journald reads the socket, in milliseconds. Only the log's own thread waits; it
    /// has no other work.
    private static let patience: Int32 = 100

    private let path: String
    private let descriptor = Mutex<Int32?>(nil)

    /// Creates a connection to the socket at `path`. The first send opens it.
    init(_ path: String) { self.path = path }

    deinit { descriptor.withLock { if let open = $0 { close(open) } } }

    /// Whether standard error leads to journald. `JOURNAL_STREAM` (systemd.exec(5)) contains the device and
    /// inode of the stream. They are compared with standard error's, because a child process inherits the
    /// variable even if its streams differ.
    static func isStandardError(_ stream: String?) -> Bool {
        guard let stream, let file = (try? FileStatus(of: 2, "standard error"))?.identity else { return false }
        return stream.utf8.elementsEqual("\(file.device):\(file.number)".utf8)
    }

    /// Sends one datagram; opens a new socket if the present one is no longer connected.
    func send(_ datagram: [UInt8]) -> Outcome {
        descriptor.withLock { descriptor in
            for _ in 0..<2 {
                guard let open = descriptor ?? connect() else { return .absent }
                descriptor = open
                switch Self.send(datagram, over: open) {
                case 0: return .sent
                case EAGAIN, ENOBUFS, ENOMEM, EMSGSIZE: return .full
                default:
                    close(open)
                    descriptor = nil
                }
            }
            return .absent
        }
    }

    /// Sends the datagram; returns the errno value, or 0.
    private static func send(_ datagram: [UInt8], over descriptor: Int32) -> Int32 {
        for isLast in [false, true] {
            let count = Glibc.send(descriptor, datagram, datagram.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            if count >= 0 { return 0 }
            let error = errno
            guard error == EAGAIN || error == EINTR, !isLast else { return error }
            var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&wait, 1, patience)
        }
        return EAGAIN
    }

    private func connect() -> Int32? {
        let flags = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, flags, 0)
        guard descriptor >= 0 else { return nil }
        if withUnixAddress(path, { Glibc.connect(descriptor, $0, $1) }) == 0 { return descriptor }
        close(descriptor)
        return nil
    }
}
