/// Sends L2CAP PDUs in pieces of the controller's size and never more than its buffers hold (Core Specification Vol 4
/// Part E 4.1.1).
///
/// The buffers are shared by all connections; the turn passes to the next connection after each PDU, and none holds more than
/// its share: a phone that has gone out of range acknowledges nothing for seconds, and the others want their answers.
struct ACLTransmitter: Sendable {
    /// A packet for the controller.
    struct Transmission: Equatable, Sendable {
        let packet: [UInt8]
        let handle: ConnectionHandle
        /// The value whose last piece this is, if it was to be reported.
        let finished: PushedValue?
    }

    private struct Frame {
        let bytes: [UInt8]
        let value: PushedValue?
    }

    private struct Lane {
        let handle: ConnectionHandle
        var frames: [Frame] = []
        var offset = 0
        var unacknowledged = 0
    }

    private let limits: Limits
    private let packetLength: Int
    private let packets: Int
    private var credits: Int
    private var lanes: [Lane] = []
    private var turn = 0

    /// A transmitter for a controller that takes `packets` packets of `packetLength` data bytes each.
    init(packetLength: Int, packets: Int, limits: Limits) {
        self.packetLength = max(packetLength, 1)
        self.packets = packets
        credits = packets
        self.limits = limits
    }

    /// Begins a connection.
    mutating func open(_ handle: ConnectionHandle) {
        lanes.append(Lane(handle: handle))
    }

    /// Ends a connection: what waits is dropped, and what the controller still held counts as sent (Vol 4 Part E 4.3).
    mutating func close(_ handle: ConnectionHandle) {
        guard let index = index(of: handle) else { return }
        credits += lanes[index].unacknowledged
        lanes.remove(at: index)
        turn = 0
    }

    /// Whether another PDU may be queued for the connection.
    func hasRoom(on handle: ConnectionHandle) -> Bool {
        guard let index = index(of: handle) else { return false }
        return lanes[index].frames.count < limits.queuedFrames
    }

    /// Queues a PDU. False when there is no such connection or no room.
    @discardableResult
    mutating func enqueue(_ frame: L2CAPFrame, on handle: ConnectionHandle, reporting value: PushedValue? = nil) -> Bool
    {
        guard let index = index(of: handle), lanes[index].frames.count < limits.queuedFrames else { return false }
        lanes[index].frames.append(Frame(bytes: frame.bytes, value: value))
        return true
    }

    /// The controller has sent, or flushed, that many packets of the connection. Counts beyond what it holds are cut.
    mutating func completed(_ handle: ConnectionHandle, _ count: Int) {
        guard let index = index(of: handle) else { return }
        let count = min(count, lanes[index].unacknowledged)
        lanes[index].unacknowledged -= count
        credits += count
    }

    /// The next packet to send, if there is one and the controller has room.
    mutating func next() -> Transmission? {
        guard credits > 0 else { return nil }
        for _ in lanes.indices {
            if turn >= lanes.count { turn = 0 }
            if let frame = lanes[turn].frames.first, lanes[turn].unacknowledged < share { return piece(of: frame) }
            turn += 1
        }
        return nil
    }

    /// Packets that one connection may have in the controller.
    private var share: Int { max(1, packets / max(1, lanes.count)) }

    private mutating func piece(of frame: Frame) -> Transmission {
        let offset = lanes[turn].offset
        let end = min(offset + packetLength, frame.bytes.count)
        let handle = lanes[turn].handle
        let packet = ACLPacket.encode(frame.bytes[offset..<end], isContinuation: offset > 0, on: handle)
        credits -= 1
        lanes[turn].unacknowledged += 1
        guard end == frame.bytes.count else {
            lanes[turn].offset = end
            return Transmission(packet: packet, handle: handle, finished: nil)
        }
        lanes[turn].offset = 0
        lanes[turn].frames.removeFirst()
        turn += 1
        return Transmission(packet: packet, handle: handle, finished: frame.value)
    }

    private func index(of handle: ConnectionHandle) -> Int? {
        lanes.firstIndex { $0.handle == handle }
    }
}
