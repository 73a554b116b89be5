package import Encoding

/// One entry of the ledger's hash chain, as it is stored and exported.
package struct LedgerEntry: Hashable, Sendable {
    /// The position: 1 for the first entry of the ledger, without gaps.
    package var position: Int
    /// The hash of this entry, which depends on `body` and on all earlier entries.
    package var hash: ChainHash
    /// The bytes of the record (``LedgerRecord/bytes``).
    package var body: [UInt8]

    /// Creates an entry from its stored parts, without a check. ``ChainVerifier`` checks entries.
    package init(position: Int, hash: ChainHash, body: [UInt8]) {
        self.position = position
        self.hash = hash
        self.body = body
    }
}

/// A point in the chain: the number of entries before it, and the hash of the last of them. Points describe the start
/// of the entries in the database, the end of the chain, and a ``Checkpoint``.
package struct ChainPoint: Hashable, Sendable {
    /// The largest number of entries: 2^53, up to which JSON readers represent integers exactly. A greater number is a
    /// sign of damage.
    package static let countLimit = 1 << 53

    /// The number of entries before the point, which is also the position of the last of them.
    package var count: Int
    /// The hash of the last entry before the point; the genesis hash if there is none.
    package var hash: ChainHash
    /// The number that the next visit gets.
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
