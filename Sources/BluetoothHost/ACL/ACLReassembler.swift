/// Puts the pieces of one connection's L2CAP PDUs together again (Core Specification Vol 3 Part A 7.2.1).
///
/// One PDU is in the making at a time and never more than `limit` bytes are held; the length that a peer announces
/// allocates nothing. What does not fit together is dropped as a whole, and the next start is a clean beginning: the link
/// layer loses nothing, so such a peer is broken or hostile and gains no more than silence.
struct ACLReassembler: Sendable {
    private enum State {
        case idle
        case collecting([UInt8])
        /// The PDU is too long; its other pieces are still to come.
        case skipping
    }

    /// Basic L2CAP header: length and channel (Vol 3 Part A 3.1).
    private static let header = 4

    private let limit: Int
    private var state: State = .idle
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
            return take(packet.data)
        }
        switch state {
        case .idle:
            dropped &+= 1  // The start is missing.
            return nil
        case .skipping:
            return nil
        case .collecting(var bytes):
            state = .idle  // Released first, so that the append does not copy.
            guard bytes.count + packet.data.count <= Self.header + limit else { return skip() }
            bytes.append(contentsOf: packet.data)
            return take(bytes[...])
        }
    }

    /// Looks at all bytes of a PDU so far.
    private mutating func take(_ bytes: ArraySlice<UInt8>) -> L2CAPFrame? {
        guard bytes.count >= Self.header else {
            state = .collecting([UInt8](bytes))
            return nil
        }
        let length = Int(bytes[bytes.startIndex]) | Int(bytes[bytes.startIndex + 1]) << 8
        guard length <= limit, bytes.count <= Self.header + length else { return skip() }
        guard bytes.count == Self.header + length else {
            state = .collecting([UInt8](bytes))
            return nil
        }
        return L2CAPFrame(complete: bytes)
    }

    private mutating func skip() -> L2CAPFrame? {
        dropped &+= 1
        state = .skipping
        return nil
    }
}
