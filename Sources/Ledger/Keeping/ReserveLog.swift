import Encoding

/// The format of the reserve: a file of fixed size for records that the database cannot store.
///
/// The file contains a seed, and then one record after another: length, hash and body. The hashes are a chain that
/// begins with the seed. By the chain, a reader distinguishes complete records from torn ones and from the remains of
/// earlier use. A new seed empties the file.
package struct ReserveLog: Hashable, Sendable {
    /// The size of the seed, in bytes.
    package static let seedBytes = 16
    /// The size of a record without its body, in bytes.
    package static let overhead = 4 + ChainHash.byteCount

    /// The offset at which the next record is written.
    package private(set) var end: Int
    /// The number of records in the log.
    package private(set) var count = 0
    private var hash: ChainHash

    /// Creates an empty log that begins with `seed`.
    package init(seed: [UInt8]) {
        (hash, end) = (.genesis(ledger: Text(Hex.encode(seed))), seed.count)
    }

    /// Adds a record with the given body, and returns the bytes to write at the former ``end``. Call this method on a
    /// copy of the log, and use the copy only once the bytes are durable.
    package mutating func append(_ body: [UInt8]) -> [UInt8] {
        count += 1
        hash = hash.next(position: count, body: body)
        let size = UInt32(clamping: body.count)
        let length = (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) }
        end += Self.overhead + body.count
        return length + hash.bytes + body
    }

    /// Reads `bytes`, the content of the file. Returns the log and the bodies of its records. The log ends before the
    /// first record that does not continue the chain.
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
