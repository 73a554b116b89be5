import Glibc
import Synchronization

/// The connection to journald over a datagram socket. systemd owns journald's end of the socket, so the connection
/// survives a restart of journald.
final class JournalSocket: Sendable {
    /// The result of sending a datagram.
    enum Outcome: Hashable, Sendable {
        /// journald's socket accepted the datagram.
        case sent
        /// The datagram is lost, because the queue of journald's socket stayed full or the datagram is too long.
        case full
        /// journald's socket does not exist.
        case absent
    }

    /// How long ``send(_:)`` waits while the queue of journald's socket is full, in milliseconds. Only the log's own
    /// thread waits, which has no other work.
    private static let patience: Int32 = 100

    private let path: String
    private let descriptor = Mutex<Int32?>(nil)

    /// Creates a connection to the socket at `path`. The first ``send(_:)`` opens it.
    init(_ path: String) { self.path = path }

    deinit { descriptor.withLock { if let open = $0 { close(open) } } }

    /// Returns whether standard error leads to journald. `stream` is the value of `JOURNAL_STREAM` (systemd.exec(5)),
    /// the device and inode of the stream. They are compared with those of standard error, because a child process
    /// inherits the variable even if its standard error leads elsewhere.
    static func isStandardError(_ stream: String?) -> Bool {
        guard let stream, let file = (try? FileStatus(of: 2, "standard error"))?.identity else { return false }
        return stream.utf8.elementsEqual("\(file.device):\(file.number)".utf8)
    }

    /// Sends one datagram. Opens a new socket if the present one is no longer connected.
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

    /// Sends the datagram. Returns 0, or the errno value of the error.
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
