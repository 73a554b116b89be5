/// Puts the pieces of one connection's L2CAP PDUs together again (Core Specification Vol 3 Part A 7.2.1).
///
/// One PDU is in the making at a time and never more than `limit` bytes are held; the length that a peer announces
/// allocates nothing. What does not fit together is dropped as a whole, and the next start is a clean beginning: the link
/// layer loses nothing, so such a peer is broken or hostile and gains no more than silence.
struct ACLReassembler: Sendable {
    private enum State {
        case idle
        /// What came so far is in the buffer.
        case collecting
        /// The PDU is too long; its other pieces are still to come.
        case skipping
    }

    /// Basic L2CAP header: length and channel (Vol 3 Part A 3.1).
    private static let header = 4

    private let limit: Int
    private var state: State = .idle
    /// The PDU in the making. Kept from one to the next, so that a PDU in pieces costs no memory once the last one is done with.
    private var buffer: [UInt8] = []
    /// PDUs dropped so far.
    private(set) var dropped = 0

    /// `limit` is the longest payload of a PDU, in bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes one packet; returns the PDU that it completes.
    mutating func append(_ packet: ACLPacket) -> L2CAPFrame? {
        if !packet.isContinuation {
            if case .collecting = state { dropped &+= 1 }
            state = .idle
            return begin(packet.data)
        }
        switch state {
        case .idle:
            dropped &+= 1  // The start is missing.
            return nil
        case .skipping:
            return nil
        case .collecting:
            guard buffer.count + packet.data.count <= Self.header + limit else { return skip() }
            buffer.append(contentsOf: packet.data)
            return isComplete(buffer[...]).flatMap { $0 ? finish() : nil }
        }
    }

    /// The first piece of a PDU, which may be all of it.
    private mutating func begin(_ bytes: ArraySlice<UInt8>) -> L2CAPFrame? {
        guard let isComplete = isComplete(bytes) else { return nil }
        if isComplete { return L2CAPFrame(complete: bytes) }
        buffer.removeAll(keepingCapacity: true)
        buffer.append(contentsOf: bytes)
        state = .collecting
        return nil
    }

    private mutating func finish() -> L2CAPFrame? {
        state = .idle
        return L2CAPFrame(complete: buffer[...])
    }

    /// Looks at all bytes of a PDU so far; nil when it is dropped.
    private mutating func isComplete(_ bytes: ArraySlice<UInt8>) -> Bool? {
        guard bytes.count >= Self.header else { return false }
        let length = Int(bytes[bytes.startIndex]) | Int(bytes[bytes.startIndex + 1]) << 8
        guard length <= limit, bytes.count <= Self.header + length else {
            _ = skip()
            return nil
        }
        return bytes.count == Self.header + length
    }

    private mutating func skip() -> L2CAPFrame? {
        dropped &+= 1
        state = .skipping
        return nil
    }
}
