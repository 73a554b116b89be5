import Encoding

/// The format of the reserve, a file of fixed size for records that the database refuses.
///
/// A seed, then consecutive records: length, hash, body. The hashes form a chain that begins with the seed. The chain
/// distinguishes records from torn records and from remains of an earlier use. A new seed empties the whole log.
package struct ReserveLog: Hashable, Sendable {
    /// The number of bytes of the seed.
    package static let seedBytes = 16
    /// The number of bytes of one record in addition to its body.
    package static let overhead = 4 + ChainHash.byteCount

    /// The offset of the next record.
    package private(set) var end: Int
    /// The number of records so far.
    package private(set) var count = 0
    private var hash: ChainHash

    /// Creates an empty log with its seed.
    package init(seed: [UInt8]) {
        (hash, end) = (.genesis(ledger: Text(Hex.encode(seed))), seed.count)
    }

    /// Returns the bytes of the next record, to be written at ``end``. Call the function on a copy, and keep the copy
    /// only after the bytes are durable.
    package mutating func append(_ body: [UInt8]) -> [UInt8] {
        count += 1
        hash = hash.next(position: count, body: body)
        let size = UInt32(clamping: body.count)
        let length = (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) }
        end += Self.overhead + body.count
        return length + hash.bytes + body
    }

    /// Parses `bytes`, the beginning of the file. Returns the log and the bodies of its records. The log ends before
    /// the first record that does not continue the chain.
    package static func read(_ bytes: [UInt8]) -> (log: ReserveLog, bodies: [[UInt8]]) {
        var log = ReserveLog(seed: Array(bytes.prefix(seedBytes)))
        var bodies: [[UInt8]] = []
        while log.end + overhead <= bytes.count {
            let length = bytes[log.end..<log.end + 4].reduce(0) { $0 << 8 | Int($1) }
            let body = log.end + overhead
            guard length > 0, length <= bytes.count - body else { break }
            var next = log
            let record = next.append(Array(bytes[body..<body + length]))
            guard record.elementsEqual(bytes[log.end..<body + length]) else { break }
            bodies.append(Array(bytes[body..<body + length]))
            log = next
        }
        return (log, bodies)
    }
}
