import Encoding

/// Sends L2CAP PDUs in fragments of the controller's size, and never more packets than its ACL buffers hold
/// (Core Specification Vol 4 Part E 4.1.1).
///
/// All links share the ACL buffers. A buffer is returned only when the phone acknowledges its packet. A phone
/// that acknowledges nothing keeps the buffers of its link until the controller gives up the link. This takes
/// up to 32 s, because the phone chooses the supervision timeout. Therefore:
/// - A link that holds no buffer may take any free buffer.
/// - A link that holds a buffer may take another one only if one of its buffers has been returned before, its
///   oldest packet is younger than ``Limits/acknowledgementTime``, the link holds less than ``share`` (an
///   eighth of the buffers), and at least two shares remain free for other links.
/// - A link whose end has been requested takes no buffer while a frame of another link waits for one.
///
/// | buffers | 1 to 15 | 16 | 20 | |---|---|---|---| | a link holds at most | 1 | 2 | 2 | | links that get a
/// buffer even if all keep all they may (``links(sharing:)``) | one per buffer | 10 | 12 |
///
/// The turn passes to the next link after each PDU.
struct ACLTransmitter: Sendable {
    /// A packet for the controller.
    struct Transmission: Equatable, Sendable {
        let packet: [UInt8]
        let handle: ConnectionHandle
        /// The value whose last fragment is in this packet, if its delivery is to be reported.
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
        /// Whether the controller has returned a buffer of this link.
        var hasReturned = false
        /// Whether the end of the link has been requested: its waiting frames no longer matter.
        var isEnding = false
        /// The last instant at which a fragment was sent, the last held buffer was returned, or a frame was
        /// added to the empty queue.
        var waitingSince = Instant.zero

        /// Whether a frame waits whose delivery still matters.
        var waits: Bool { !isEnding && !frames.isEmpty }
    }

    private let limits: Limits
    private let packetLength: Int
    private var credits: Int
    private var lanes: [Lane] = []
    private var turn = 0
    /// When a buffer was last returned.
    private var returned = Instant.zero
    /// The number of buffers that one link may hold: an eighth of all buffers, at least one.
    private let share: Int

    /// Creates a transmitter for a controller that takes `packets` packets of `packetLength` data bytes each.
    init(packetLength: Int, packets: Int, limits: Limits) {
        self.packetLength = max(packetLength, 1)
        (credits, share) = (packets, Self.share(of: packets))
        self.limits = limits
    }

    private static func share(of packets: Int) -> Int { max(1, packets / 8) }

    /// Returns how many links each get one of `packets` buffers even if every link keeps all it may; at least 1.
    static func links(sharing packets: Int) -> Int {
        let share = share(of: packets)
        guard share > 1 else { return max(1, packets) }
        // Links take full shares while more than two shares are free; after that each link takes one buffer.
        let full = (packets - 2 * share + share - 1) / share
        return full + packets - full * share
    }

    /// Adds a link.
    mutating func open(_ handle: ConnectionHandle) {
        lanes.append(Lane(handle: handle))
    }

    /// Notes that the end of a link has been requested. Its waiting frames are still sent where possible.
    mutating func end(_ handle: ConnectionHandle) {
        if let index = index(of: handle) { lanes[index].isEnding = true }
    }

    /// Removes a link: drops its waiting frames, and counts the packets that the controller still held as
    /// sent (Vol 4 Part E 4.3).
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

    /// Queues a PDU. Returns false if the link `handle` does not exist or its queue is full.
    @discardableResult
    mutating func enqueue(
        _ frame: L2CAPFrame, on handle: ConnectionHandle, reporting value: PushedValue? = nil, at now: Instant
    ) -> Bool {
        guard let index = index(of: handle), lanes[index].frames.count < limits.queuedFrames else { return false }
        if lanes[index].frames.isEmpty { lanes[index].waitingSince = now }
        lanes[index].frames.append(Frame(bytes: frame.bytes, value: value))
        return true
    }

    /// Takes the controller's report that it has sent or flushed `count` packets of a link. A count above
    /// what the link holds is reduced to that.
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

    /// Returns the next packet to send; nil when no frame may be sent or no buffer is free.
    mutating func next(at now: Instant) -> Transmission? {
        guard credits > 0 else { return nil }
        for _ in lanes.indices {
            if turn >= lanes.count { turn = 0 }
            if let frame = lanes[turn].frames.first, mayTake(lanes[turn], at: now) { return piece(of: frame, at: now) }
            turn += 1
        }
        return nil
    }

    /// Returns whether the link may take one of the free buffers.
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

    /// When the oldest unacknowledged packet was sent to the phone; nil when no packet is unacknowledged.
    func unacknowledged(_ handle: ConnectionHandle) -> Instant? { index(of: handle).flatMap { lanes[$0].held.first } }

    /// When the controller counts as withholding its buffers; nil when no frame lacks a buffer.
    ///
    /// The wait begins in one of two cases. Either no buffer is free and a link that holds none has a frame.
    /// Or every link has a frame and holds a buffer, and no link has ever had a buffer returned. A link that
    /// has already had a buffer returned may have gone out of range. That alone is no fault: other phones may
    /// be connected whose visitors are still choosing and which need no buffer.
    var heldDeadline: Instant? {
        let starving = credits > 0 ? [] : lanes.filter { $0.waits && $0.held.isEmpty }.map(\.waitingSince)
        let open = lanes.filter { !$0.isEnding }
        // After the first answer, a request for other connection parameters is queued, so one waiting frame
        // of one phone is normal.
        let isDead =
            open.allSatisfy { $0.waits && !$0.held.isEmpty && !$0.hasReturned }
            && (open.count > 1 || open.contains { $0.frames.count > 1 })
        let since = starving.min() ?? (isDead ? open.map(\.waitingSince).max() : nil)
        guard let since else { return nil }
        // A returned buffer restarts the wait only once, because other links may take every buffer that is returned.
        let last = min(max(since, returned), since.advanced(by: limits.heldBufferTime))
        return last.advanced(by: limits.heldBufferTime)
    }

    private func index(of handle: ConnectionHandle) -> Int? {
        lanes.firstIndex { $0.handle == handle }
    }
}
