/// Reassembles the L2CAP PDUs of one link from the data of its ACL packets (Core Specification Vol 3 Part A 7.2.1).
///
/// One PDU is assembled at a time, with at most `limit` bytes of payload. The length that a peer announces never
/// determines how much memory is allocated. A PDU with inconsistent fragments is dropped as a whole, and the next
/// start fragment begins a new PDU. The link layer loses nothing, so a peer that sends inconsistent fragments is
/// faulty or hostile. The only consequence for such a peer is that it gets no answer.
struct ACLReassembler: Sendable {
    private enum State {
        case idle
        /// The buffer holds the bytes received so far.
        case collecting
        /// The PDU is too long. The remaining fragments are ignored.
        case skipping
    }

    /// Basic L2CAP header: length and channel (Vol 3 Part A 3.1).
    private static let header = 4

    private let limit: Int
    private var state: State = .idle
    /// The PDU being assembled. The next fragmented PDU reuses the memory if the last returned frame was released.
    private var buffer: [UInt8] = []
    /// The number of PDUs dropped so far.
    private(set) var dropped = 0

    /// `limit` is the longest payload of a PDU, in bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// Adds one packet. Returns the PDU that the packet completes; nil for an incomplete PDU.
    mutating func append(_ packet: ACLPacket) -> L2CAPFrame? {
        if !packet.isContinuation {
            if case .collecting = state { dropped &+= 1 }
            state = .idle
            return begin(packet.data)
        }
        switch state {
        case .idle:
            dropped &+= 1  // The start fragment is missing.
            return nil
        case .skipping:
            return nil
        case .collecting:
            guard buffer.count + packet.data.count <= Self.header + limit else { return skip() }
            buffer.append(contentsOf: packet.data)
            return isComplete(buffer[...]).flatMap { $0 ? finish() : nil }
        }
    }

    /// Handles the first fragment of a PDU. The fragment may be the whole PDU.
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

    /// Returns whether `bytes`, the bytes of a PDU so far, are the whole PDU; nil if the PDU is dropped.
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
