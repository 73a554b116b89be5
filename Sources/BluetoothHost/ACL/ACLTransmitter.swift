import Encoding

/// Sends L2CAP PDUs in pieces of the controller's size and never more than its buffers hold (Core Specification Vol 4
/// Part E 4.1.1).
///
/// All connections share the buffers, and a buffer comes back only when the phone acknowledges its packet: one that
/// acknowledges nothing keeps what it has until the controller gives the link up, which takes up to 32 s at the phone's
/// own choice. So:
/// - A link that holds nothing may take any free buffer.
/// - It may take another one only after a packet of it has come back, while its oldest packet is younger than
///   ``Limits/acknowledgementTime``, up to ``share``, an eighth of the buffers, and while two shares stay free for
///   others.
/// - A link whose end has been asked for takes none that another one waits for.
///
/// | buffers | 1 to 15 | 16 | 20 |
/// |---|---|---|---|
/// | a link holds at most | 1 | 2 | 2 |
/// | links that have a buffer although all keep what they can (``links(sharing:)``) | one for each buffer | 10 | 12 |
///
/// The turn passes to the next connection after each PDU.
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
        /// When the packets that the controller holds were handed over, the oldest first.
        var held: [Instant] = []
        /// Whether a packet of it has come back.
        var hasReturned = false
        /// Whether its end has been asked for: nothing depends on what still waits.
        var isEnding = false
        /// When a piece of it last left, when the last of its packets came back, or since when the first of its frames
        /// waits.
        var waitingSince = Instant.zero

        /// Whether a frame waits that matters.
        var waits: Bool { !isEnding && !frames.isEmpty }
    }

    private let limits: Limits
    private let packetLength: Int
    private var credits: Int
    private var lanes: [Lane] = []
    private var turn = 0
    /// When a buffer last came back.
    private var returned = Instant.zero
    /// Buffers that one link may hold: an eighth of them, at least one.
    private let share: Int

    /// A transmitter for a controller that takes `packets` packets of `packetLength` data bytes each.
    init(packetLength: Int, packets: Int, limits: Limits) {
        self.packetLength = max(packetLength, 1)
        (credits, share) = (packets, Self.share(of: packets))
        self.limits = limits
    }

    private static func share(of packets: Int) -> Int { max(1, packets / 8) }

    /// Links that each have a buffer of so many although every link keeps as many as it may, at least 1.
    static func links(sharing packets: Int) -> Int {
        let share = share(of: packets)
        guard share > 1 else { return max(1, packets) }
        // Full shares are taken while more than two of them are free; then each link takes one.
        let full = (packets - 2 * share + share - 1) / share
        return full + packets - full * share
    }

    /// Begins a connection.
    mutating func open(_ handle: ConnectionHandle) {
        lanes.append(Lane(handle: handle))
    }

    /// The end of a connection has been asked for. What waits still goes out where it can.
    mutating func end(_ handle: ConnectionHandle) {
        if let index = index(of: handle) { lanes[index].isEnding = true }
    }

    /// Ends a connection: what waits is dropped, and what the controller still held counts as sent (Vol 4 Part E 4.3).
    mutating func close(_ handle: ConnectionHandle, at now: Instant) {
        guard let index = index(of: handle) else { return }
        takeBack(lanes[index].held.count, at: now)
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
    mutating func enqueue(
        _ frame: L2CAPFrame, on handle: ConnectionHandle, reporting value: PushedValue? = nil, at now: Instant
    ) -> Bool {
        guard let index = index(of: handle), lanes[index].frames.count < limits.queuedFrames else { return false }
        if lanes[index].frames.isEmpty { lanes[index].waitingSince = now }
        lanes[index].frames.append(Frame(bytes: frame.bytes, value: value))
        return true
    }

    /// The controller has sent, or flushed, that many packets of the connection. Counts beyond what it holds are cut.
    mutating func completed(_ handle: ConnectionHandle, _ count: Int, at now: Instant) {
        guard let index = index(of: handle) else { return }
        let count = min(count, lanes[index].held.count)
        guard count > 0 else { return }
        lanes[index].held.removeFirst(count)
        lanes[index].hasReturned = true
        if lanes[index].held.isEmpty { lanes[index].waitingSince = now }
        takeBack(count, at: now)
    }

    private mutating func takeBack(_ count: Int, at now: Instant) {
        credits += count
        if count > 0 { returned = now }
    }

    /// The next packet to send, if there is one and the controller has room.
    mutating func next(at now: Instant) -> Transmission? {
        guard credits > 0 else { return nil }
        for _ in lanes.indices {
            if turn >= lanes.count { turn = 0 }
            if let frame = lanes[turn].frames.first, mayTake(lanes[turn], at: now) { return piece(of: frame, at: now) }
            turn += 1
        }
        return nil
    }

    /// Whether the link may take one of the free buffers.
    private func mayTake(_ lane: Lane, at now: Instant) -> Bool {
        if lane.isEnding, lanes.contains(where: \.waits) { return false }
        guard let oldest = lane.held.first else { return true }
        return lane.hasReturned && lane.held.count < share && credits > 2 * share
            && now < oldest.advanced(by: limits.acknowledgementTime)
    }

    private mutating func piece(of frame: Frame, at now: Instant) -> Transmission {
        let offset = lanes[turn].offset
        let end = min(offset + packetLength, frame.bytes.count)
        let handle = lanes[turn].handle
        let packet = ACLPacket.encode(frame.bytes[offset..<end], isContinuation: offset > 0, on: handle)
        credits -= 1
        lanes[turn].held.append(now)
        lanes[turn].waitingSince = now
        guard end == frame.bytes.count else {
            lanes[turn].offset = end
            return Transmission(packet: packet, handle: handle, finished: nil)
        }
        lanes[turn].offset = 0
        lanes[turn].frames.removeFirst()
        turn += 1
        return Transmission(packet: packet, handle: handle, finished: frame.value)
    }

    // MARK: - Phones that acknowledge nothing

    /// Since when the phone has acknowledged nothing of what was sent to it; nil: nothing is unacknowledged.
    func unacknowledged(_ handle: ConnectionHandle) -> Instant? { index(of: handle).flatMap { lanes[$0].held.first } }

    /// When the controller counts as keeping its buffers; nil: no frame waits for one in vain.
    ///
    /// Either a link that holds nothing has a frame and no buffer is free, or every link has a frame, and not one of
    /// them has ever had a packet back. A link that once had may have gone out of range: that alone is no fault, and
    /// others may be there who choose and need no buffer.
    var heldDeadline: Instant? {
        let starving = credits > 0 ? [] : lanes.filter { $0.waits && $0.held.isEmpty }.map(\.waitingSince)
        let open = lanes.filter { !$0.isEnding }
        // After the first answer a request for other parameters is queued, so one waiting frame of one phone is normal.
        let isDead =
            open.allSatisfy { $0.waits && !$0.held.isEmpty && !$0.hasReturned }
            && (open.count > 1 || open.contains { $0.frames.count > 1 })
        let since = starving.min() ?? (isDead ? open.map(\.waitingSince).max() : nil)
        guard let since else { return nil }
        // A buffer that returns restarts the time only once, as other links may take every buffer that returns.
        let last = min(max(since, returned), since.advanced(by: limits.heldBufferTime))
        return last.advanced(by: limits.heldBufferTime)
    }

    private func index(of handle: ConnectionHandle) -> Int? {
        lanes.firstIndex { $0.handle == handle }
    }
}
