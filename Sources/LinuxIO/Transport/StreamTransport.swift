import Encoding
import Glibc

/// A transport over a byte stream with H4 framing: a TCP connection to a virtual controller, or a serial line.
package final class StreamTransport: HCITransport {
    /// The medium of the byte stream.
    package enum Medium: Sendable {
        /// The stream is a connected TCP socket. TCP_QUICKACK is set after each read. Otherwise a controller that
        /// writes a packet in pieces would wait 40 ms for the delayed acknowledgement at each command (Nagle's
        /// algorithm).
        case socket
        /// The stream is a serial line.
        case line
    }

    /// The descriptor to poll (``HCITransport/descriptor``).
    package private(set) var descriptor: Int32
    private let limits: TransportLimits
    private let medium: Medium
    private var framing: H4Framing
    private var waiting: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 16 * 1024)

    /// Takes over an open descriptor and makes it non-blocking. The descriptor is closed when this object is
    /// released.
    package init(descriptor: Int32, medium: Medium, limits: TransportLimits = TransportLimits()) {
        self.descriptor = descriptor
        self.limits = limits
        self.medium = medium
        framing = H4Framing(maximumPacket: limits.maximumPacket)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit { close() }

    /// The events for which to poll the descriptor (``HCITransport/interest``).
    package var interest: PollThread.Interest { waiting.isEmpty ? .readable : [.readable, .writable] }

    /// Returns received events (``HCITransport/receive()``).
    package func receive() -> [HCITransportEvent] {
        guard descriptor >= 0 else { return [] }
        var events: [HCITransportEvent] = []
        var taken = 0
        while taken < limits.receiveBatch {
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                taken += count
                if medium == .socket { acknowledgeAtOnce() }
                framing.append(buffer[..<count])
                do {
                    while let packet = try framing.next() { events.append(.packet(packet)) }
                    continue
                } catch {
                    events.append(.closed(.framing(error)))
                }
            } else if count == 0 {
                events.append(.closed(.gone))
            } else if errno == EINTR {
                continue
            } else if errno != EAGAIN {
                events.append(.closed(.transferring("reading from the controller", code: errno)))
            }
            break
        }
        return events
    }

    /// Sends one packet or queues it (``HCITransport/send(_:)``).
    package func send(_ packet: [UInt8]) -> TransportError? {
        guard descriptor >= 0 else { return .gone }
        guard !packet.isEmpty, packet.count <= limits.maximumPacket else { return .badPacket(packet.count) }
        guard waiting.count + packet.count <= limits.sendQueue else { return .stalled }
        waiting.append(contentsOf: packet)
        return flush()
    }

    /// Sends queued packets (``HCITransport/flush()``).
    package func flush() -> TransportError? {
        guard descriptor >= 0 else { return .gone }
        var sent = 0
        defer { waiting.removeFirst(sent) }
        while sent < waiting.count {
            let count = waiting[sent...].withUnsafeBytes { bytes in
                // Without MSG_NOSIGNAL a write to a closed socket would end the process by a signal.
                medium == .socket
                    ? Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                    : write(descriptor, bytes.baseAddress, bytes.count)
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                break
            } else if errno != EINTR {
                return .transferring("writing to the controller", code: errno)
            }
        }
        return nil
    }

    /// Closes the transport (``HCITransport/close()``).
    package func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    private func acknowledgeAtOnce() {
        var one: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &one, socklen_t(MemoryLayout<Int32>.size))
    }
}
