import Glibc

/// A pipe or a socket to a reader that stops reading: writers to it block from then on.
final class Tap: Sendable {
    /// The writer's end.
    let writer: Int32
    /// The reader's end.
    let reader: Int32
    private let isSocket: Bool

    /// Creates a pipe or, as journald has one, a stream socket, with room for the output before ``shut()``.
    init(isSocket: Bool) throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard (isSocket ? socketpair(AF_UNIX, type, 0, &ends) : pipe(&ends)) == 0 else {
            throw PeerFailure("no descriptors: \(errno)")
        }
        (reader, writer, self.isSocket) = (ends[0], ends[1], isSocket)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let pipeSize: Int32 = 1031  // F_SETPIPE_SZ of fcntl(2)
        if !isSocket { _ = fcntl(writer, pipeSize, 1 << 20) }
    }

    deinit {
        close(reader)
        close(writer)
    }

    /// The identity of the stream socket, in the form that systemd puts into JOURNAL_STREAM.
    var identity: String {
        var state = stat()
        fstat(writer, &state)
        return "\(state.st_dev):\(state.st_ino)"
    }

    /// Fills it completely.
    func shut() {
        // A separate open file description: O_NONBLOCK is a property of it, and the program's own writes must
        // block.
        let own = isSocket ? -1 : open("/proc/self/fd/\(writer)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        defer { if own >= 0 { close(own) } }
        let block = [UInt8](repeating: 0x0A, count: 4096)
        for size in [block.count, 1] {
            while isSocket
                ? send(writer, block, size, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) > 0
                : write(own, block, size) > 0
            {}
        }
    }
}
