import Encoding

/// The verifier's answer to a report request.
package enum TransferReport: Hashable, Sendable {
    /// Every chunk of the transfer was received.
    case success
    /// `count` chunks are missing. `numbers`: the lowest missing numbers, ascending. The list has at least one number,
    /// because an iPhone crashes on an empty list.
    case missing(numbers: [UInt16], count: Int)

    /// Returns the maximum number of sequence numbers in one report: 2 bytes each after 3 bytes of type and page count.
    package static func capacity(maxData: Int) -> Int { max(1, (maxData - 3) / 2) }

    /// Creates the report about an assembly, for a link that carries values of `maxData` bytes.
    package init(_ assembler: Assembler, maxData: Int) {
        self =
            assembler.isComplete
            ? .success
            : .missing(
                numbers: assembler.missing(limit: Self.capacity(maxData: maxData)), count: assembler.missingChunks)
    }

    /// Returns the value to notify: type, number of pages, and the numbers of missing chunks, most significant bytes
    /// first. Only the first page is ever sent: the wallet repeats the chunks on that page and requests another report.
    package func bytes(maxData: Int) -> [UInt8] {
        switch self {
        case .success: return [1, 0, 0]
        case .missing(let numbers, let count):
            let capacity = Self.capacity(maxData: maxData)
            let pages = (max(count, 1) - 1) / capacity + 1
            var bytes: [UInt8] = [0]
            bytes.appendBE(UInt16(clamping: pages))
            for number in numbers.prefix(capacity) { bytes.appendBE(number) }
            return bytes
        }
    }
}
