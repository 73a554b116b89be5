import Encoding
import Glibc

/// A transport over a socket that preserves packet boundaries: each read or write is one packet.
///
/// The HCI user channel is such a socket. So is `socketpair(AF_UNIX, SOCK_SEQPACKET)`, at whose other end a virtual
/// controller can be.
package final class PacketTransport: HCITransport {
    /// The descriptor to poll (``HCITransport/descriptor``).
    package private(set) var descriptor: Int32
    private let limits: TransportLimits
    private var waiting: [[UInt8]] = []
    private var waitingBytes = 0
    private var buffer: [UInt8]

    /// Takes over an open socket and makes it non-blocking. The socket is closed when this object is released.
    package init(descriptor: Int32, limits: TransportLimits = TransportLimits()) {
        self.descriptor = descriptor
        self.limits = limits
        // Make space for one byte more than allowed, so that a packet that is too long is detected.
        buffer = [UInt8](repeating: 0, count: limits.maximumPacket + 1)
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
            if count > limits.maximumPacket {
                events.append(.closed(.framing(.packetTooLong(count))))
            } else if count > 0 {
                events.append(.packet(Array(buffer[..<count])))
                taken += count
                continue
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
        guard waitingBytes + packet.count <= limits.sendQueue else { return .stalled }
        waiting.append(packet)
        waitingBytes += packet.count
        return flush()
    }

    /// Sends queued packets (``HCITransport/flush()``).
    package func flush() -> TransportError? {
        guard descriptor >= 0 else { return .gone }
        var sent = 0
        defer { waiting.removeFirst(sent) }
        while sent < waiting.count {
            let packet = waiting[sent]
            // Without MSG_NOSIGNAL a write to a closed socket would end the process by a signal.
            let count = Glibc.send(descriptor, packet, packet.count, Int32(MSG_NOSIGNAL))
            if count >= 0 {
                waitingBytes -= packet.count
                sent += 1
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
}
