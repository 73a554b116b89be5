package import Encoding

/// One entry of the chain, in its stored and exported form.
package struct LedgerEntry: Hashable, Sendable {
    /// The position: 1 for the ledger's first entry, without gaps.
    package var position: Int
    /// The hash that binds `body` and all earlier entries.
    package var hash: ChainHash
    /// The bytes of the record, as ``LedgerRecord/bytes``.
    package var body: [UInt8]

    /// Creates an entry from stored parts. ``ChainVerifier`` determines whether the entry is genuine.
    package init(position: Int, hash: ChainHash, body: [UInt8]) {
        self.position = position
        self.hash = hash
        self.body = body
    }
}

/// A point in the chain: the number of entries before the point, and the hash of the last of them. Points are the start
/// of the entries on disk, the end that a complete chain must reach, and the content of a ``Checkpoint``.
package struct ChainPoint: Hashable, Sendable {
    /// The maximum number of entries: 2^53, up to which JSON readers keep integers exactly. A greater figure is damage.
    package static let countLimit = 1 << 53

    /// The number of entries up to the point, which is also the position of the last of them.
    package var count: Int
    /// The hash of the last entry up to the point, or the genesis hash without entries.
    package var hash: ChainHash
    /// The number of the next visit.
    package var nextSeq: Int

    /// Creates a point from the values of its properties.
    package init(count: Int, hash: ChainHash, nextSeq: Int) {
        self.count = count
        self.hash = hash
        self.nextSeq = nextSeq
    }
}

extension ChainPoint {
    /// Returns the point before the first entry of the ledger with the id `ledger`.
    package static func genesis(ledger: Text) -> ChainPoint {
        ChainPoint(count: 0, hash: .genesis(ledger: ledger), nextSeq: 1)
    }
}
