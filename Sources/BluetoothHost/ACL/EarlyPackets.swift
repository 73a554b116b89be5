import Encoding

/// Keeps data that overtakes its own Connection Complete for a moment.
///
/// Over USB events and data come through different pipes, so a phone's first request can be read before the event that
/// announces its connection. Dropped, it would cost the phone its 30 s transaction time. Only kept while
/// somebody can connect. What is left over of a connection whose end was read first may slip into the next one of its handle, if
/// that comes at once: then it is refused, as one that identifies itself twice, and its phone comes again.
struct EarlyPackets: Sendable {
    private let limits: Limits
    private var packets: [(packet: ACLPacket, arrival: Instant)] = []

    init(limits: Limits) {
        self.limits = limits
    }

    /// Keeps a packet, if there is room.
    mutating func keep(_ packet: ACLPacket, at now: Instant) {
        packets.removeAll { $0.arrival.advanced(by: limits.earlyPacketTime) < now }
        guard packets.count < limits.earlyPackets, packet.data.count <= limits.receivedPayload + 4 else { return }
        packets.append((packet, now))
    }

    /// The packets of a connection that has just come about, oldest first. They are forgotten here.
    mutating func take(for handle: ConnectionHandle, at now: Instant) -> [ACLPacket] {
        let found = packets.filter {
            $0.packet.handle == handle && $0.arrival.advanced(by: limits.earlyPacketTime) >= now
        }
        forget(handle)
        return found.map(\.packet)
    }

    /// Forgets what belongs to a connection that has ended.
    mutating func forget(_ handle: ConnectionHandle) {
        packets.removeAll { $0.packet.handle == handle }
    }

    /// Forgets everything.
    mutating func forget() {
        packets = []
    }
}
