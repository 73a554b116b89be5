import Encoding

/// Sends L2CAP PDUs in fragments of the controller's size. Never sends more packets than the controller has free ACL
/// buffers (Core Specification Vol 4 Part E 4.1.1).
///
/// All links share the ACL buffers. The controller returns a buffer only when the phone acknowledges the packet. A
/// phone that acknowledges nothing keeps the buffers of its link until the controller gives up the link. The phone
/// chooses the supervision timeout, so giving up takes up to 32 s. Therefore:
/// - A link without a buffer may take any free buffer.
/// - A link with a buffer may take another buffer only if the controller has already returned a buffer of the link,
///   the link's oldest packet is younger than ``Limits/acknowledgementTime``, the link has less than ``share`` (an
///   eighth of the buffers), and at least two shares remain free for other links.
/// - A link whose end was requested takes no buffer while a frame of another link waits for a buffer.
///
/// Of 16 or of 20 buffers, one link takes at most 2. Even if all links keep as many buffers as they may, 10 or 12
/// links get a buffer (``links(sharing:)``). With 15 buffers or fewer, each link takes one buffer.
///
/// After each PDU, the next link in the order of their connections may send.
struct ACLTransmitter: Sendable {
    /// A packet for the controller.
    struct Transmission: Equatable, Sendable {
        let packet: [UInt8]
        let handle: ConnectionHandle
        /// The value whose last fragment is in this packet; nil if no delivery has to be reported.
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
        /// The times at which the unacknowledged packets were sent to the controller, the oldest first.
        var held: [Instant] = []
        /// Whether the controller has returned a buffer of this link.
        var hasReturned = false
        /// Whether the end of the link was requested. Then its waiting frames do not matter.
        var isEnding = false
        /// The start of the link's present wait for a buffer: the last time at which a fragment was sent, the last
        /// buffer was returned, or a frame was added to the empty queue.
        var waitingSince = Instant.zero

        /// Whether a frame is waiting whose delivery matters.
        var waits: Bool { !isEnding && !frames.isEmpty }
    }

    private let limits: Limits
    private let packetLength: Int
    private var credits: Int
    private var lanes: [Lane] = []
    private var turn = 0
    /// The time at which the controller last returned a buffer.
    private var returned = Instant.zero
    /// The maximum number of buffers of one link: an eighth of all buffers, at least one.
    private let share: Int

    /// Creates a transmitter for a controller with `packets` buffers of `packetLength` data bytes each.
    init(packetLength: Int, packets: Int, limits: Limits) {
        self.packetLength = max(packetLength, 1)
        (credits, share) = (packets, Self.share(of: packets))
        self.limits = limits
    }

    private static func share(of packets: Int) -> Int { max(1, packets / 8) }

    /// Returns how many links get at least one of `packets` buffers if every link keeps as many as it may; at least 1.
    static func links(sharing packets: Int) -> Int {
        let share = share(of: packets)
        guard share > 1 else { return max(1, packets) }
        // While more than two shares are free, a link takes a full share. After that, each link takes one buffer.
        let full = (packets - 2 * share + share - 1) / share
        return full + packets - full * share
    }

    /// Adds a link.
    mutating func open(_ handle: ConnectionHandle) {
        lanes.append(Lane(handle: handle))
    }

    /// Notes that the end of a link was requested. If possible, waiting frames are still sent.
    mutating func end(_ handle: ConnectionHandle) {
        if let index = index(of: handle) { lanes[index].isEnding = true }
    }

    /// Removes a link and its waiting frames. The packets that the controller still has count as sent (Vol 4 Part E
    /// 4.3).
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

    /// Queues a PDU. Returns false if there is no link `handle` or its queue is full.
    @discardableResult
    mutating func enqueue(
        _ frame: L2CAPFrame, on handle: ConnectionHandle, reporting value: PushedValue? = nil, at now: Instant
    ) -> Bool {
        guard let index = index(of: handle), lanes[index].frames.count < limits.queuedFrames else { return false }
        if lanes[index].frames.isEmpty { lanes[index].waitingSince = now }
        lanes[index].frames.append(Frame(bytes: frame.bytes, value: value))
        return true
    }

    /// Handles the controller's report that it has sent or flushed `count` packets of a link. A count above the number
    /// of outstanding packets is reduced to that number.
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

    /// Returns the next packet to send; nil if no frame may be sent or no buffer is free.
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

    // MARK: - Phones that acknowledge no packet

    /// The time at which the oldest unacknowledged packet was sent to the phone; nil if all packets are acknowledged.
    func unacknowledged(_ handle: ConnectionHandle) -> Instant? { index(of: handle).flatMap { lanes[$0].held.first } }

    /// The time from which the controller is considered stuck because it returns no buffers; nil if no frame lacks a
    /// buffer.
    ///
    /// The wait begins in two cases. In the first case no buffer is free and a link without a buffer has a frame. In
    /// the second case every link has a frame and a buffer, and the controller has never returned a buffer to any of
    /// them. If the controller has once returned a buffer of a link, the phone may simply be out of range. Such silence
    /// is no fault of the controller: the visitors at the other phones may still be choosing, and their links need no
    /// buffer.
    var heldDeadline: Instant? {
        let starving = credits > 0 ? [] : lanes.filter { $0.waits && $0.held.isEmpty }.map(\.waitingSince)
        let open = lanes.filter { !$0.isEnding }
        // After the first answer, a request for other connection parameters is queued. One waiting frame of one phone
        // is therefore normal.
        let isDead =
            open.allSatisfy { $0.waits && !$0.held.isEmpty && !$0.hasReturned }
            && (open.count > 1 || open.contains { $0.frames.count > 1 })
        let since = starving.min() ?? (isDead ? open.map(\.waitingSince).max() : nil)
        guard let since else { return nil }
        // A returned buffer restarts the wait only once, because other links may take all returned buffers.
        let last = min(max(since, returned), since.advanced(by: limits.heldBufferTime))
        return last.advanced(by: limits.heldBufferTime)
    }

    private func index(of handle: ConnectionHandle) -> Int? {
        lanes.firstIndex { $0.handle == handle }
    }
}
