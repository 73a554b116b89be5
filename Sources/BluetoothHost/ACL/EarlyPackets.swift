import Encoding

/// The data packets that arrived before the Connection Complete event of their link. They are kept for a short time.
///
/// Over USB, events and data use different pipes, so a phone's first request can arrive before the event that
/// announces the link. Dropping that request would make the phone wait for its transaction timeout of 30 s. Packets
/// are kept only while a phone can connect. A late packet of an ended link can be mistaken for data of a new link with
/// the same handle. The phone then seems to identify itself twice, is refused, and connects again.
struct EarlyPackets: Sendable {
    private let limits: Limits
    private var packets: [(packet: ACLPacket, arrival: Instant)] = []

    init(limits: Limits) {
        self.limits = limits
    }

    /// Stores a packet; drops the packet if there is no room.
    mutating func keep(_ packet: ACLPacket, at now: Instant) {
        packets.removeAll { $0.arrival.advanced(by: limits.earlyPacketTime) < now }
        guard packets.count < limits.earlyPackets, packet.data.count <= limits.receivedPayload + 4 else { return }
        packets.append((packet, now))
    }

    /// Returns and removes the packets of a new link, oldest first.
    mutating func take(for handle: ConnectionHandle, at now: Instant) -> [ACLPacket] {
        let found = packets.filter {
            $0.packet.handle == handle && $0.arrival.advanced(by: limits.earlyPacketTime) >= now
        }
        forget(handle)
        return found.map(\.packet)
    }

    /// Drops the packets of a link that has ended.
    mutating func forget(_ handle: ConnectionHandle) {
        packets.removeAll { $0.packet.handle == handle }
    }

    /// Drops all packets.
    mutating func forget() {
        packets = []
    }
}
