import CLinuxShims
import Encoding
import Glibc

/// The opener: a small program with CAP_NET_ADMIN that takes the adapter and hands the descriptor to the service, which then
/// needs no right of its own.
///
/// Whoever connects to its socket and is the service's user gets one message: two numbers (errno or 0, and the step that was
/// refused) and, when the adapter was taken, its descriptor. Nothing that a requester sends is read, and one answer is all that a
/// connection gets. Which adapter is the configuration's business. systemd listens (`gatehouse-radio.socket`) and starts it for
/// the first request; it stays for those that follow a fault and ends when none has come for a minute.
package enum RadioOpener {
    /// Where it listens for the service with that runtime folder (`RUNTIME_DIRECTORY`): beside the folder, which goes with each stop. So
    /// each of several gates on one box has the opener of its own adapter, or none.
    package static func path(beside folder: String) -> String { folder + "-radio.sock" }

    /// How long an answer may take: a driver may load firmware. Less than the kiosk waits for its radio.
    static let limit = Duration.seconds(9)
    /// How long the opener stays without a request.
    package static let idle = Duration.seconds(60)

    /// Asks for the adapter; returns its descriptor, which is the caller's.
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
        // An empty answer: it ended without one, as it does for a stranger.
        guard count == 8, answer[0] > 0, let step = ChannelRefusal.Step(rawValue: answer[1]) else {
            throw ChannelRefusal(step: .asking, code: count < 0 ? -count : ECONNRESET)
        }
        throw ChannelRefusal(step: step, code: answer[0])
    }

    /// Answers requests on a listening socket until none has come for `idle`. `user`: the only one who is answered; `device` is asked
    /// for each request, since a configuration changes: nil when none can be had; `say` is told how a request ended when that is not
    /// as before: nil when the adapter was handed over.
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
            // A requester that gave up is none; whatever else is wrong with the socket does not mend.
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

    /// Whether a requester does not wait any more, as one that asked anew meanwhile: nothing is taken for it.
    static func hasLeft(_ connection: Int32) -> Bool {
        var entry = pollfd(fd: connection, events: 0, revents: 0)
        return clinux_poll(&entry, 1, 0) > 0
    }

    /// Answers one request on a connected socket.
    static func answer(
        _ connection: Int32, user: UInt32, device: String, take: () throws(ChannelRefusal) -> Int32
    ) throws(TransportError) {
        guard let peer = PeerCredentials(of: connection) else { throw .opener("nobody is connected") }
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
