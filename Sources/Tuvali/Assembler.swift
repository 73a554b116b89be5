import Encoding

/// Puts the chunks of one transfer in order.
///
/// The stride is fixed when the size is accepted and never derived from what arrives. A chunk is looked at in this order
/// and dropped at the first fault: length, CRC, sequence number, exact payload length (spec: Tuvali chunks). Memory is
/// taken once, for a size that has been accepted.
package struct Assembler: Sendable {
    /// What became of a chunk.
    package enum Arrival: Hashable, Sendable {
        /// New and sound.
        case accepted
        /// Its number is already held; nothing changed.
        case duplicate
        /// It has a fault; its number stays missing until a sound one comes.
        case dropped
    }

    /// The size is outside the accepted range; there is no assembly.
    package struct Refused: Error, Hashable, Sendable {
        /// The size in bytes that was refused.
        package let size: Int
    }

    /// Encrypted bytes that can be accepted: a tag and one byte, up to 2 MiB.
    package static let acceptedSizes = 17...2_097_152
    /// Bytes before the payload: sequence number and CRC.
    private static let headerLength = 4

    /// Encrypted bytes of the whole transfer.
    package let size: Int
    /// The largest chunk in bytes, header included.
    package let maxData: Int
    /// Chunks of the whole transfer.
    package let totalChunks: Int
    /// Different chunks held so far.
    package private(set) var receivedChunks = 0
    /// Chunks dropped because of their CRC.
    package private(set) var crcFailures = 0
    /// Chunks whose number was already held.
    package private(set) var duplicates = 0
    /// The bytes so far, zero where nothing came yet.
    package private(set) var bytes: [UInt8]

    private var held: [Bool]
    private var stride: Int { maxData - Self.headerLength }

    /// Prepares for `size` bytes in chunks of at most `maxData` bytes (the link's ATT MTU, at most 512, less 3).
    package init(size: Int, maxData: Int, accepting sizes: ClosedRange<Int> = acceptedSizes) throws(Refused) {
        let stride = maxData - Self.headerLength
        guard sizes.contains(size), size > 0, stride > 0 else { throw Refused(size: size) }
        let total = (size - 1) / stride + 1
        guard total <= Int(UInt16.max) else { throw Refused(size: size) }
        self.size = size
        self.maxData = maxData
        totalChunks = total
        bytes = [UInt8](repeating: 0, count: size)
        held = [Bool](repeating: false, count: total)
    }

    /// Whether every chunk is held.
    package var isComplete: Bool { receivedChunks == totalChunks }

    /// Chunks not yet held.
    package var missingChunks: Int { totalChunks - receivedChunks }

    /// The lowest missing sequence numbers, ascending, at most `limit` of them.
    package func missing(limit: Int = .max) -> [UInt16] {
        var numbers: [UInt16] = []
        for (index, isHeld) in held.enumerated() where !isHeld {
            if numbers.count >= limit { break }
            numbers.append(UInt16(truncatingIfNeeded: index + 1))
        }
        return numbers
    }

    /// Takes one chunk: sequence number (2, from 1), CRC of the payload (2), payload; both most significant byte first.
    package mutating func add(_ chunk: [UInt8]) -> Arrival {
        guard chunk.count > Self.headerLength, chunk.count <= maxData else { return .dropped }
        var reader = ByteReader(chunk)
        guard let number = try? reader.uint16BE(), let crc = try? reader.uint16BE() else { return .dropped }
        let payload = reader.rest
        guard CRC16.kermit(payload) == crc else {
            crcFailures += 1
            return .dropped
        }
        guard number >= 1, number <= totalChunks else { return .dropped }
        let index = Int(number) - 1
        let start = index * stride
        guard payload.count == min(stride, size - start) else { return .dropped }
        guard !held[index] else {
            duplicates += 1
            return .duplicate
        }
        bytes.replaceSubrange(start..<start + payload.count, with: payload)
        held[index] = true
        receivedChunks += 1
        return .accepted
    }

    /// Overwrites what was received.
    mutating func wipe() { bytes.wipe() }
}
