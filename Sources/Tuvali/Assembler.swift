import Encoding

/// Assembles the chunks of one transfer.
///
/// The stride (the number of payload bytes in a chunk) is fixed when the size is accepted, and never follows from
/// received data. A chunk is checked for length, CRC, sequence number and exact payload length, in this order, and
/// dropped at the first fault (`docs/protocols/tuvali.md`). Memory is allocated at the first valid chunk and reused by
/// later transfers: a size without chunks uses no memory.
package struct Assembler: Sendable {
    /// The result of a chunk.
    package enum Arrival: Hashable, Sendable {
        /// The chunk is new and sound.
        case accepted
        /// The chunk with this number was received before. Nothing changed.
        case duplicate
        /// The chunk has a fault. Its number stays missing until a valid chunk arrives.
        case dropped
    }

    /// The error for a size that is not accepted. The assembler is then not created, or stays as it was.
    package struct Refused: Error, Hashable, Sendable {
        /// The size in bytes that was refused.
        package let size: Int
    }

    /// The accepted numbers of encrypted bytes: from a tag and one byte up to 2 MiB.
    package static let acceptedSizes = 17...2_097_152
    /// The number of bytes before the payload of a chunk: sequence number (2) and CRC (2).
    private static let headerLength = 4

    /// The number of encrypted bytes of the whole transfer.
    package private(set) var size: Int
    /// The largest chunk in bytes, header included.
    package private(set) var maxData: Int
    /// The number of chunks of the whole transfer.
    package private(set) var totalChunks: Int
    /// The number of different chunks received.
    package private(set) var receivedChunks = 0
    /// The number of chunks that were dropped because of their CRC.
    package private(set) var crcFailures = 0
    /// The number of chunks that arrived although they had been received before.
    package private(set) var duplicates = 0

    /// The received payloads, each at its offset. The gaps between them, and the bytes after `size`, are undefined.
    /// Empty before the first chunk.
    private var storage: [UInt8] = []
    /// One bit for each chunk, set if the chunk was received. The array keeps the size of the largest transfer so far.
    private var held: [UInt64] = []
    private var stride: Int { maxData - Self.headerLength }

    /// Prepares for `size` bytes in chunks of at most `maxData` bytes (the link's ATT MTU, at most 512, minus 3).
    /// Throws if the size is outside `sizes` or needs more than 65 535 chunks.
    package init(size: Int, maxData: Int, accepting sizes: ClosedRange<Int> = acceptedSizes) throws(Refused) {
        totalChunks = try Self.totalChunks(size, maxData, sizes)
        (self.size, self.maxData) = (size, maxData)
    }

    /// Drops all chunks and prepares for another transfer. The memory is reused.
    package mutating func restart(
        size: Int, maxData: Int, accepting sizes: ClosedRange<Int> = acceptedSizes
    ) throws(Refused) {
        let total = try Self.totalChunks(size, maxData, sizes)
        if receivedChunks > 0 {
            for word in 0..<(totalChunks + 63) / 64 { held[word] = 0 }
        }
        (self.size, self.maxData, totalChunks) = (size, maxData, total)
        (receivedChunks, crcFailures, duplicates) = (0, 0, 0)
    }

    private static func totalChunks(_ size: Int, _ maxData: Int, _ sizes: ClosedRange<Int>) throws(Refused) -> Int {
        let stride = maxData - Self.headerLength
        guard sizes.contains(size), size > 0, stride > 0 else { throw Refused(size: size) }
        let total = (size - 1) / stride + 1
        guard total <= Int(UInt16.max) else { throw Refused(size: size) }
        return total
    }

    /// The whole message if ``isComplete``; otherwise empty.
    package var bytes: ArraySlice<UInt8> { isComplete ? storage.prefix(size) : [] }

    /// The number of bytes allocated for received data.
    package var reservedBytes: Int { storage.count }

    /// Whether all chunks were received.
    package var isComplete: Bool { receivedChunks == totalChunks }

    /// The number of missing chunks.
    var missingChunks: Int { totalChunks - receivedChunks }

    /// Returns the lowest missing sequence numbers, ascending, at most `limit`.
    package func missing(limit: Int = .max) -> [UInt16] {
        var numbers: [UInt16] = []
        for index in 0..<totalChunks where !isHeld(index) {
            if numbers.count >= limit { break }
            numbers.append(UInt16(truncatingIfNeeded: index + 1))
        }
        return numbers
    }

    /// Adds one chunk: sequence number (2 bytes, from 1), CRC of the payload (2 bytes), payload. Both numbers begin
    /// with the most significant byte.
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
        guard !isHeld(index) else {
            duplicates += 1
            return .duplicate
        }
        reserve()
        storage.withUnsafeMutableBytes { target in
            payload.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: target[start..<start + $0.count]).copyMemory(from: $0)
            }
        }
        held[index / 64] |= 1 << UInt64(index % 64)
        receivedChunks += 1
        return .accepted
    }

    private func isHeld(_ index: Int) -> Bool {
        receivedChunks > 0 && held[index / 64] & 1 << UInt64(index % 64) != 0
    }

    /// Allocates missing memory for the announced size. A growing buffer at least doubles, so that sizes that grow step
    /// by step cost no more than one large size.
    private mutating func reserve() {
        guard receivedChunks == 0 else { return }
        let words = (totalChunks + 63) / 64
        if held.count < words { held += [UInt64](repeating: 0, count: words - held.count) }
        guard storage.count < size else { return }
        storage = [UInt8](repeating: 0, count: max(size, min(2 * storage.count, Self.acceptedSizes.upperBound)))
    }

    /// Overwrites the received data with zeros and drops all chunks.
    mutating func wipe() {
        storage.wipe()
        held = []
        receivedChunks = 0
    }
}
