import Encoding

/// The form of the reserve, a file of fixed size for records that the database refuses.
///
/// A seed, then records one behind the other: length, hash, body. The hashes form a chain that begins with the seed, so
/// neither a torn record nor what an earlier use left behind is taken for one, and a new seed empties the whole.
package struct ReserveLog: Hashable, Sendable {
    /// Bytes of the seed.
    package static let seedBytes = 16
    /// Bytes of one record beside its body.
    package static let overhead = 4 + ChainHash.byteCount

    /// Where the next record goes.
    package private(set) var end: Int
    /// Records so far.
    package private(set) var count = 0
    private var hash: ChainHash

    /// An empty log behind its seed.
    package init(seed: [UInt8]) {
        (hash, end) = (.genesis(ledger: Text(Hex.encode(seed))), seed.count)
    }

    /// The bytes of the next record, to be written at ``end``. To be called on a copy that is kept once they are durable.
    package mutating func append(_ body: [UInt8]) -> [UInt8] {
        count += 1
        hash = hash.next(position: count, body: body)
        let size = UInt32(clamping: body.count)
        let length = (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) }
        end += Self.overhead + body.count
        return length + hash.bytes + body
    }

    /// Reads what is in `bytes`, the file from its first byte on: the log and the bodies of its records. The first record that
    /// does not continue the chain ends it.
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
