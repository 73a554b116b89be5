import CLinuxShims
import Encoding
import Glibc

/// A controller that uses H4 over TCP: rootcanal, Bumble, or a network bridge to a real controller.
package enum TCPTransport {
    /// Connects to the controller. Tries all addresses of the host name, each for `timeout`.
    package static func connect(
        host: String, port: UInt16, timeout: Duration = .seconds(3), limits: TransportLimits = TransportLimits()
    ) throws(TransportError) -> StreamTransport {
        let place = "\(host):\(port)"
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0 else { throw .unreachable(place) }
        defer { freeaddrinfo(list) }
        var failure = TransportError.unreachable(place)
        var next = list
        while let address = next?.pointee {
            do {
                return StreamTransport(
                    descriptor: try connect(address, place, timeout), medium: .socket, limits: limits)
            } catch {
                failure = error
            }
            next = address.ai_next
        }
        throw failure
    }

    private static func connect(
        _ address: addrinfo, _ place: String, _ timeout: Duration
    ) throws(TransportError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.ai_family, type, address.ai_protocol)
        guard descriptor >= 0 else { throw .opening(place, "opening a TCP socket", code: errno) }
        var failure: Int32 = 0
        if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 { failure = errno }
        if failure == EINPROGRESS {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let ready = clinux_poll(&entry, 1, max(0, timeout.nanoseconds))
            var size = socklen_t(MemoryLayout<Int32>.size)
            failure = ready == 0 ? ETIMEDOUT : -min(ready, 0)
            if failure == 0 { getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size) }
        }
        guard failure == 0 else {
            close(descriptor)
            throw .opening(place, "connecting to \(place)", code: failure)
        }
        var one: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }
}
