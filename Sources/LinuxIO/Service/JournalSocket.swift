import Glibc
import Synchronization

/// The way to journald: a datagram socket that belongs to systemd, so that it is there while journald is started anew.
final class JournalSocket: Sendable {
    /// What became of a datagram.
    enum Outcome: Hashable, Sendable {
        /// journald has it.
        case sent
        /// journald does not read; it is lost.
        case full
        /// There is no journald.
        case absent
    }

    /// How long one waits for journald to read. Only the log's own thread does, which has nothing else to do.
    private static let patience: Int32 = 100

    private let path: String
    private let descriptor = Mutex<Int32?>(nil)

    /// The way to whoever listens at that path; nothing is opened yet.
    init(_ path: String) { self.path = path }

    deinit { descriptor.withLock { if let open = $0 { close(open) } } }

    /// Whether standard error leads to journald (systemd.exec(5), JOURNAL_STREAM): device and inode of that very stream, as a child
    /// inherits the variable with whatever stream.
    static func isStandardError(_ stream: String?) -> Bool {
        var status = stat()
        guard let stream, fstat(2, &status) == 0 else { return false }
        return stream.utf8.elementsEqual("\(status.st_dev):\(status.st_ino)".utf8)
    }

    /// Sends one datagram, over a new socket where the one there is leads nowhere any more.
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

    /// The error; 0: none.
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
