import CLinuxShims
import Encoding
import Glibc

/// The opener: a small program with CAP_NET_ADMIN that binds the adapter and passes its descriptor to the service. So
/// the service itself needs no capability.
///
/// A client that connects to the opener's socket as the service's user receives one message. It consists of two
/// numbers (errno or 0, and the step that was refused) and, if the adapter was bound, the adapter's descriptor. The
/// opener reads nothing from the client, and sends one answer on each connection. The configuration determines the
/// adapter. systemd listens on the socket (`gatehouse-radio.socket`) and starts the opener for the first request. The
/// opener ends after a minute without a request.
package enum RadioOpener {
    /// Returns the path of the opener's socket for the service with the runtime folder `folder`
    /// (`RUNTIME_DIRECTORY`). The socket is next to the folder and not in it, because the folder belongs to the
    /// service's user. Several gates on one machine have different runtime folders, so each can have an opener for
    /// its own adapter.
    package static func path(beside folder: String) -> String { folder + "-radio.sock" }

    /// The timeout of a request. It is long because a driver may load firmware, but shorter than the gate's timeout
    /// for its radio.
    static let limit = Duration.seconds(9)
    /// The time without a request after which the opener ends.
    package static let idle = Duration.seconds(60)

    /// Asks the opener to bind the adapter, and returns the adapter's descriptor. The caller must close it.
    static func ask(_ path: String) throws(ChannelRefusal) -> Int32 {
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let connection = socket(AF_UNIX, type, 0)
        guard connection >= 0 else { throw ChannelRefusal(step: .asking, code: errno) }
        defer { close(connection) }
        guard withUnixAddress(path, { connect(connection, $0, $1) }) == 0 else {
            throw ChannelRefusal(step: .asking, code: errno)
        }
        var entry = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        let ready = clinux_poll(&entry, 1, limit.nanoseconds)
        guard ready > 0 else { throw ChannelRefusal(step: .asking, code: ready == 0 ? ETIMEDOUT : -ready) }
        var (answer, descriptor): ([Int32], Int32) = ([0, 0], -1)
        let count = clinux_receive_descriptor(connection, &answer, &descriptor)
        if descriptor >= 0 { return descriptor }
        // If no whole message arrived, the opener closed the connection without an answer, as it does for users other
        // than the service's.
        guard count == 8, answer[0] > 0, let step = ChannelRefusal.Step(rawValue: answer[1]) else {
            throw ChannelRefusal(step: .asking, code: count < 0 ? -count : ECONNRESET)
        }
        throw ChannelRefusal(step: step, code: answer[0])
    }

    /// Answers requests on a listening socket. Returns when no request has arrived for the duration `idle`.
    ///
    /// - Parameters:
    ///   - listener: The descriptor of the listening socket.
    ///   - user: The ID of the only user whose requests are answered.
    ///   - idle: The time without a request after which the call returns.
    ///   - device: Returns the name or address of the adapter; nil: the configuration names none. Called for each
    ///     request, because the configuration may change.
    ///   - say: Called when the result of a request differs from that of the previous request. Receives the error;
    ///     nil: the adapter was passed to the client.
    package static func serve(
        _ listener: Int32, user: UInt32, idle: Duration = RadioOpener.idle, device: () -> String?,
        say: (TransportError?) -> Void
    ) throws(TransportError) {
        var last: TransportError??
        while true {
            var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            let ready = clinux_poll(&entry, 1, idle.nanoseconds)
            if ready == 0 { return }
            let connection = clinux_accept(listener)
            // Continue if the client has disconnected or a signal interrupted the call. All other errors are
            // permanent.
            if ready < 0 || connection < 0 {
                let code = ready < 0 ? -ready : -connection
                if [EINTR, EAGAIN, ECONNABORTED].contains(code) { continue }
                throw .opener(String(cString: strerror(code)))
            }
            defer { close(connection) }
            if hasLeft(connection) { continue }
            let device = device()
            var failure: TransportError?
            do throws(TransportError) {
                try answer(connection, user: user, device: device ?? "") { () throws(ChannelRefusal) in
                    guard let name = device.flatMap(AdapterName.init) else {
                        throw ChannelRefusal(step: .asking, code: EINVAL)
                    }
                    return try HCIUserChannel.take(name, buffer: TransportLimits().socketBuffer)
                }
            } catch {
                failure = error
            }
            if last != .some(failure) { say(failure) }
            last = .some(failure)
        }
    }

    /// Returns whether the client has closed the connection, for example to send a new request. In this case the
    /// opener must not bind the adapter.
    static func hasLeft(_ connection: Int32) -> Bool {
        var entry = pollfd(fd: connection, events: 0, revents: 0)
        return clinux_poll(&entry, 1, 0) > 0
    }

    /// Answers one request on a connected socket. `take` binds the adapter and returns its descriptor.
    static func answer(
        _ connection: Int32, user: UInt32, device: String, take: () throws(ChannelRefusal) -> Int32
    ) throws(TransportError) {
        guard let peer = PeerCredentials(of: connection) else { throw .opener("no client is connected") }
        guard peer.user == user else { throw .opener("user \(peer.user) may not have \(device)") }
        do throws(ChannelRefusal) {
            let descriptor = try take()
            defer { close(descriptor) }
            let code = clinux_send_descriptor(connection, [0, 0], descriptor)
            guard code == 0 else { throw ChannelRefusal(step: .asking, code: -code) }
        } catch {
            _ = clinux_send_descriptor(connection, [error.code, error.step.rawValue], -1)
            throw error.meaning(for: device)
        }
    }
}
